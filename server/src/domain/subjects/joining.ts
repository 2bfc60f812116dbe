/** Finds ids that belong to one subject, such as a player's id and licence, in lists of subjects by id. */
import type { SubjectDirectory } from '../ports/logQueries.ts';

/** Each id that is one of several, with all of them: the one mentioned most often first. */
export type JoinedIds = ReadonlyMap<string, readonly string[]>;

/** One subject's: they were seen first or last at the same moment, and have the same names. */
export function joinIds(layers: readonly SubjectDirectory[]): JoinedIds {
  const groups = new Map<string, Set<string>>();
  for (const ids of listSimultaneous(layers))
    for (const alike of groupByNames(ids, layers)) {
      const group = new Set(alike.flatMap(id => [...(groups.get(id) ?? [id])]));
      for (const id of group) groups.set(id, group);
    }
  const joined = new Map<string, readonly string[]>();
  for (const group of new Set(groups.values())) {
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
function* listSimultaneous(layers: readonly SubjectDirectory[]): Generator<string[]> {
  const [firsts, lasts] = [new Map<number, string[]>(), new Map<number, string[]>()];
  const note = (moments: Map<number, string[]>, moment: number, id: string) => {
    const known = moments.get(moment);
    if (known === undefined) moments.set(moment, [id]);
    else known.push(id);
  };
  for (const id of listIds(layers)) {
    const sums = layers.flatMap(layer => layer.get(id) ?? []);
    note(firsts, Math.min(...sums.map(({ firstMicros }) => firstMicros)), id);
    note(lasts, Math.max(...sums.map(({ lastMicros }) => lastMicros)), id);
  }
  for (const moments of [firsts, lasts]) for (const ids of moments.values()) if (ids.length > 1) yield ids;
}

export function* listIds(layers: readonly SubjectDirectory[]): Generator<string> {
  for (const [index, layer] of layers.entries())
    for (const id of layer.keys()) if (!layers.slice(0, index).some(earlier => earlier.has(id))) yield id;
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
