/** Finds ids that belong to one subject, such as a player's id and licence, in lists of subjects by id. */
import type { SubjectDirectory } from '../ports/logQueries.ts';
import { takeTurns } from './turns.ts';

/** Each id that is one of several, with all of them: the one mentioned most often first. */
export type JoinedIds = ReadonlyMap<string, readonly string[]>;

/** One subject's: they were seen first or last at the same moment, and have the same names. */
export async function joinIds(layers: readonly SubjectDirectory[]): Promise<JoinedIds> {
  const groups = new Map<string, Set<string>>();
  const pause = takeTurns();
  for (const ids of await listSimultaneous(layers)) {
    const waiting = pause();
    if (waiting !== null) await waiting;
    for (const alike of groupByNames(ids, layers)) {
      const group = new Set(alike.flatMap(id => [...(groups.get(id) ?? [id])]));
      for (const id of group) groups.set(id, group);
    }
  }
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

/** People read short ids more easily. */
function compareIds(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1);
}

/** Ids that share their first moment, and those that share their last one. */
async function listSimultaneous(layers: readonly SubjectDirectory[]): Promise<string[][]> {
  const [firsts, lasts] = [new Map<number, string[]>(), new Map<number, string[]>()];
  const note = (moments: Map<number, string[]>, moment: number, id: string) => {
    const known = moments.get(moment);
    if (known === undefined) moments.set(moment, [id]);
    else known.push(id);
  };
  const pause = takeTurns();
  for (const id of listIds(layers)) {
    const waiting = pause();
    if (waiting !== null) await waiting;
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const layer of layers) {
      const sum = layer.get(id);
      if (sum === undefined) continue;
      first = Math.min(first, sum.firstMicros);
      last = Math.max(last, sum.lastMicros);
    }
    note(firsts, first, id);
    note(lasts, last, id);
  }
  return [...firsts.values(), ...lasts.values()].filter(({ length }) => length > 1);
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
