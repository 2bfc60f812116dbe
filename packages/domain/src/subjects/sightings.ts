/** Finds ids that were first or last seen at the same moment with the same names, in the layers of a list of subjects. */
import { takeTurns } from '@tapedeck/concurrency/turns';
import type { SubjectList, SubjectSum, TimesUsed } from '../ports/logQueries.ts';

export type Layers = readonly SubjectList[];

/** A moment, whether it was the first or last one, and the names. */
type Sighting = string;

/** Most sightings belong to a single id. */
type Index = ReadonlyMap<Sighting, string | readonly string[]>;

/** Cached per list, because lists never change and are reused. */
const known = new WeakMap<SubjectList, Promise<Index>>();

export class Sightings {
  readonly #layers: Layers;
  readonly #largest: Index;
  /** Ids in the other layers, with data from all layers. */
  readonly #others: Index;
  /** Ids in the layers beside the largest. */
  readonly changed: ReadonlySet<string>;
  readonly #unclear = new Set<Sighting>();

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

  /** Lists ids whose subject may differ from the largest layer's: changed ids, and ids that share a sighting with them. */
  async listTouched(): Promise<Set<string>> {
    const touched = new Set(this.changed);
    const looked = new Set<Sighting>(this.#others.keys());
    const alone = [findLargest(this.#layers)];
    const pause = takeTurns();
    for (const id of this.changed) {
      const waiting = pause();
      if (waiting !== null) await waiting;
      for (const sighting of describe(id, alone)) looked.add(sighting);
    }
    for (const sighting of looked) {
      const waiting = pause();
      if (waiting !== null) await waiting;
      for (const id of listAt(this.#largest, sighting)) touched.add(id);
    }
    return touched;
  }

  /** Yields ids that share a sighting with another id in the largest layer. */
  *listShared(): Generator<string> {
    for (const ids of this.#largest.values()) if (typeof ids !== 'string') yield* ids;
  }

  find(id: string): readonly Sighting[] {
    return describe(id, this.#layers);
  }

  /** Returns none if two ids have the same form, because an entry with both may be about two subjects. */
  listIds(sighting: Sighting): readonly string[] {
    if (this.#unclear.has(sighting)) return [];
    const ids: string[] = [];
    const forms = new Set<string>();
    for (const id of this.#goThrough(sighting)) {
      ids.push(id);
      if (forms.size < forms.add(findForm(id)).size) continue;
      this.#unclear.add(sighting);
      return [];
    }
    return ids;
  }

  *#goThrough(sighting: Sighting): Generator<string> {
    for (const id of listAt(this.#largest, sighting)) if (!this.changed.has(id)) yield id;
    yield* listAt(this.#others, sighting);
  }
}

export function findLargest([first = new Map(), ...others]: Layers): SubjectList {
  return others.reduce((one, other) => (other.size > one.size ? other : one), first);
}

function findIndex(list: SubjectList): Promise<Index> {
  const found = known.get(list) ?? index(list.keys(), [list]);
  known.set(list, found);
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

/** Without a name, a moment alone proves too little. If a moment has two names, its entry may be about two subjects. */
function describe(id: string, layers: Layers): Sighting[] {
  const sums = layers.flatMap(layer => layer.get(id) ?? []);
  const names = formatNames(sums);
  if (names === '') return [];
  const first = Math.min(...sums.map(({ firstMicros }) => firstMicros));
  const last = Math.max(...sums.map(({ lastMicros }) => lastMicros));
  const sightings: Sighting[] = [];
  if (countNames(sums, ({ firstMicros }) => firstMicros === first) < 2)
    sightings.push(`first ${first} ${names}`);
  if (countNames(sums, ({ lastMicros }) => lastMicros === last) < 2) sightings.push(`last ${last} ${names}`);
  return sightings;
}

function countNames(sums: readonly SubjectSum[], isMeant: (times: TimesUsed) => boolean): number {
  const meant = new Set<string>();
  for (const { names } of sums) for (const [name, times] of names) if (isMeant(times)) meant.add(name);
  return meant.size;
}

/** Ids of the same form come from the same counter or service: `43` and `44`, `steam:1` and `steam:2`. */
function findForm(id: string): string {
  if (/^\d+$/u.test(id)) return '0';
  return /^[\p{L}\d_-]+:/u.exec(id)?.[0].toLowerCase() ?? `only ${id}`;
}

/** Returns '' if there are none. */
function formatNames(sums: readonly SubjectSum[]): string {
  const names = new Set(sums.flatMap(({ names }) => [...names.keys()]));
  return names.size === 0 ? '' : JSON.stringify([...names].sort());
}

function listAt(index: Index, sighting: Sighting): readonly string[] {
  const there = index.get(sighting) ?? [];
  return typeof there === 'string' ? [there] : there;
}
