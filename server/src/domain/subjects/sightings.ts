/** Looks up which ids were seen first or last at one moment under the same names, in the layers of a list of subjects. */
import { takeTurns } from '@tapedeck/concurrency/turns';
import type { SubjectDirectory, SubjectSum } from '../ports/logQueries.ts';

export type Layers = readonly SubjectDirectory[];

/** A moment, whether it was the first or the last one, and the names. */
type Sighting = string;

/** Most ids are alone with theirs. */
type Index = ReadonlyMap<Sighting, string | readonly string[]>;

/** Of a directory: those never change, and the same one is asked for again and again. */
const known = new WeakMap<SubjectDirectory, Promise<Index>>();

export class Sightings {
  readonly #layers: Layers;
  readonly #largest: Index;
  /** Of the ids in the other layers, by what all layers together say of them. */
  readonly #others: Index;
  /** Ids in the layers beside the largest. */
  readonly changed: ReadonlySet<string>;

  private constructor(layers: Layers, [largest, others]: [Index, Index], changed: ReadonlySet<string>) {
    this.#layers = layers;
    this.#largest = largest;
    this.#others = others;
    this.changed = changed;
  }

  static async open(layers: Layers): Promise<Sightings> {
    const largest = findLargest(layers);
    const changed = new Set(layers.flatMap(layer => (layer === largest ? [] : [...layer.keys()])));
    return new Sightings(layers, [await findIndex(largest), await index(changed, layers)], changed);
  }

  /** Ids that share a sighting with another one of the largest layer. */
  *listShared(): Generator<string> {
    for (const ids of this.#largest.values()) if (typeof ids !== 'string') yield* ids;
  }

  /** Without a name, a moment alone says too little. */
  find(id: string): readonly Sighting[] {
    return describe(id, this.#layers);
  }

  *listIds(sighting: Sighting): Generator<string> {
    for (const id of listAt(this.#largest, sighting)) if (!this.changed.has(id)) yield id;
    yield* listAt(this.#others, sighting);
  }
}

export function findLargest([first = new Map(), ...others]: Layers): SubjectDirectory {
  return others.reduce((one, other) => (other.size > one.size ? other : one), first);
}

function findIndex(directory: SubjectDirectory): Promise<Index> {
  const found = known.get(directory) ?? index(directory.keys(), [directory]);
  known.set(directory, found);
  return found;
}

async function index(ids: Iterable<string>, layers: Layers): Promise<Index> {
  const sightings = new Map<Sighting, string | string[]>();
  const pause = takeTurns();
  for (const id of ids) {
    const waiting = pause();
    if (waiting !== null) await waiting;
    for (const sighting of describe(id, layers)) {
      const there = sightings.get(sighting);
      if (there === undefined) sightings.set(sighting, id);
      else if (typeof there === 'string') sightings.set(sighting, [there, id]);
      else there.push(id);
    }
  }
  return sightings;
}

function describe(id: string, layers: Layers): Sighting[] {
  const sums = layers.flatMap(layer => layer.get(id) ?? []);
  const names = spellNames(sums);
  if (names === '') return [];
  const first = Math.min(...sums.map(({ firstMicros }) => firstMicros));
  const last = Math.max(...sums.map(({ lastMicros }) => lastMicros));
  return [`first ${first} ${names}`, `last ${last} ${names}`];
}

/** '' where there are none. */
function spellNames(sums: readonly SubjectSum[]): string {
  const names = new Set(sums.flatMap(({ names }) => [...names.keys()]));
  return names.size === 0 ? '' : JSON.stringify([...names].sort());
}

function listAt(index: Index, sighting: Sighting): readonly string[] {
  const there = index.get(sighting) ?? [];
  return typeof there === 'string' ? [there] : there;
}
