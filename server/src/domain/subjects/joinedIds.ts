/** Finds ids that belong to one subject, such as a player's id and licence, in lists of subjects by id. */
import type { SubjectDirectory } from '../ports/logQueries.ts';
import { takeTurns } from './turns.ts';

/** Each id that is one of several, with all of them: the one mentioned most often first. */
export type JoinedIds = ReadonlyMap<string, readonly string[]>;

/**
 * One subject's: they were seen first or last at the same moment, and have the same names. `meant`: only groups with one of these are
 * wanted; null: all.
 */
export async function joinIds(
  layers: readonly SubjectDirectory[],
  meant: ReadonlySet<string> | null,
): Promise<JoinedIds> {
  let [wanted, groups] = [meant, await groupIds(layers, meant)];
  // One that was found may share another moment with a third.
  for (let size = wanted?.size; wanted !== null; size = wanted.size) {
    wanted = new Set([...wanted, ...groups.keys()]);
    if (wanted.size === size) break;
    groups = await groupIds(layers, wanted);
  }
  const pause = takeTurns();
  const joined = new Map<string, readonly string[]>();
  for (const group of new Set(groups.values())) {
    const waiting = pause();
    if (waiting !== null) await waiting;
    const ids = [...group]
      .map(id => ({ id, count: layers.reduce((sum, layer) => sum + (layer.get(id)?.count ?? 0), 0) }))
      .sort((one, other) => other.count - one.count || compareIds(one.id, other.id))
      .map(({ id }) => id);
    for (const id of ids) joined.set(id, ids);
  }
  return joined;
}

type Groups = Map<string, Set<string>>;

async function groupIds(
  layers: readonly SubjectDirectory[],
  wanted: ReadonlySet<string> | null,
): Promise<Groups> {
  const groups: Groups = new Map();
  const pause = takeTurns();
  for (const ids of await listSimultaneous(layers, wanted)) {
    const waiting = pause();
    if (waiting !== null) await waiting;
    const known = groups.get(ids[0] ?? '');
    if (known !== undefined && ids.every(id => known.has(id))) continue;
    for (const alike of groupByNames(ids, layers)) {
      const group = new Set(alike.flatMap(id => [...(groups.get(id) ?? [id])]));
      for (const id of group) groups.set(id, group);
    }
  }
  return groups;
}

/** People read short ids more easily. */
function compareIds(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1);
}

/** Ids that share their first moment, and those that share their last one, where a wanted one is among them. */
async function listSimultaneous(
  layers: readonly SubjectDirectory[],
  wanted: ReadonlySet<string> | null,
): Promise<string[][]> {
  const [firsts, lasts] = [new Map<number, string[]>(), new Map<number, string[]>()];
  for (const id of wanted ?? []) {
    const { first, last } = findTimes(id, layers);
    firsts.set(first, []);
    lasts.set(last, []);
  }
  const note = (moments: Map<number, string[]>, moment: number, id: string) => {
    const known = moments.get(moment);
    if (known !== undefined) known.push(id);
    else if (wanted === null) moments.set(moment, [id]);
  };
  const pause = takeTurns();
  for (const id of listIds(layers)) {
    const waiting = pause();
    if (waiting !== null) await waiting;
    const { first, last } = findTimes(id, layers);
    note(firsts, first, id);
    note(lasts, last, id);
  }
  return [...firsts.values(), ...lasts.values()].filter(({ length }) => length > 1);
}

function findTimes(id: string, layers: readonly SubjectDirectory[]): { first: number; last: number } {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const layer of layers) {
    const sum = layer.get(id);
    if (sum === undefined) continue;
    first = Math.min(first, sum.firstMicros);
    last = Math.max(last, sum.lastMicros);
  }
  return { first, last };
}

export function* listIds(layers: readonly SubjectDirectory[]): Generator<string> {
  const earlier: SubjectDirectory[] = [];
  for (const layer of layers) {
    for (const id of layer.keys()) if (!earlier.some(other => other.has(id))) yield id;
    earlier.push(layer);
  }
}

/** Without a name, a moment alone says too little. */
function groupByNames(ids: readonly string[], layers: readonly SubjectDirectory[]): string[][] {
  const byNames = new Map<string, string[]>();
  for (const id of ids) {
    const names = new Set(layers.flatMap(layer => [...(layer.get(id)?.names.keys() ?? [])]));
    if (names.size === 0) continue;
    const key = JSON.stringify([...names].sort());
    byNames.set(key, [...(byNames.get(key) ?? []), id]);
  }
  return [...byNames.values()].filter(({ length }) => length > 1);
}
