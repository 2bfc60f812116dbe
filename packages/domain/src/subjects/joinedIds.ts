/** Finds ids of the same subject, such as a player's id and licence, in lists of subjects by id. */
import { takeTurns } from '@tapedeck/concurrency/turns';
import type { SubjectList } from '../ports/logQueries.ts';
import { findLargest, type Layers, Sightings } from './sightings.ts';

/** All ids of the subject, most mentioned first; undefined if there are no others. */
export type JoinedIds = { get(id: string): readonly string[] | undefined };

/** Cached per list, because lists never change. The layers beside the largest hold few subjects. */
const known = new WeakMap<SubjectList, Promise<Map<string, readonly string[]>>>();

/** Joins ids that were first or last seen at the same moment and have the same names. */
export async function joinIds(layers: Layers): Promise<JoinedIds> {
  const largest = findLargest(layers);
  const before = await joinWithin(largest);
  const sightings = await Sightings.open(layers);
  // The former partners of these ids may now belong to another subject or to none.
  const looked = new Set<string>();
  for (const id of await sightings.listTouched()) for (const each of before.get(id) ?? [id]) looked.add(each);
  const now = await join(looked, layers, sightings);
  return { get: id => now.get(id) ?? before.get(id) };
}

function joinWithin(list: SubjectList): Promise<Map<string, readonly string[]>> {
  const joining = async () => {
    const sightings = await Sightings.open([list]);
    return join(sightings.listShared(), [list], sightings);
  };
  const found = known.get(list) ?? joining();
  known.set(list, found);
  return found;
}

/** Joins each of these ids with all ids of the same subject. */
async function join(
  ids: Iterable<string>,
  layers: Layers,
  sightings: Sightings,
): Promise<Map<string, readonly string[]>> {
  const joined = new Map<string, readonly string[]>();
  const pause = takeTurns();
  for (const id of ids) {
    const waiting = pause();
    if (waiting !== null) await waiting;
    if (joined.has(id)) continue;
    const alike = sortByCount(findAlike(id, sightings), layers);
    for (const each of alike) joined.set(each, alike);
  }
  return joined;
}

/** Follows shared sightings: an id found may share another sighting with a third. */
function findAlike(id: string, sightings: Sightings): Set<string> {
  const alike = new Set([id]);
  const looked = new Set<string>();
  // Iterating a set includes ids added meanwhile.
  for (const each of alike)
    for (const sighting of sightings.find(each)) {
      if (looked.has(sighting)) continue;
      looked.add(sighting);
      for (const near of sightings.listIds(sighting)) alike.add(near);
    }
  return alike;
}

function sortByCount(ids: ReadonlySet<string>, layers: Layers): readonly string[] {
  const counted = [...ids].map(id => ({
    id,
    count: layers.reduce((sum, layer) => sum + (layer.get(id)?.count ?? 0), 0),
  }));
  return counted
    .sort((one, other) => other.count - one.count || compareIds(one.id, other.id))
    .map(({ id }) => id);
}

/** Sorts short ids first, because people read them more easily. */
function compareIds(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1);
}
