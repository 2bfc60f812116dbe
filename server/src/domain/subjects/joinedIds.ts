/** Finds ids that belong to one subject, such as a player's id and licence, in lists of subjects by id. */
import { takeTurns } from '@tapedeck/concurrency/turns';
import type { SubjectDirectory } from '../ports/logQueries.ts';
import { findLargest, type Layers, Sightings } from './sightings.ts';

/** All ids of the subject, the one mentioned most often first; undefined where there is only the one asked for. */
export type JoinedIds = { get(id: string): readonly string[] | undefined };

/** Keyed by directory: directories never change, and few subjects are in the layers beside the largest. */
const known = new WeakMap<SubjectDirectory, Promise<Map<string, readonly string[]>>>();

/** Ids are one subject's that were seen first or last at the same moment, and have the same names. */
export async function joinIds(layers: Layers): Promise<JoinedIds> {
  const largest = findLargest(layers);
  const before = await joinWithin(largest);
  const sightings = await Sightings.open(layers);
  // Whoever belonged to one of these may have become another's, or nobody's.
  const looked = new Set<string>();
  for (const id of await sightings.listTouched()) for (const each of before.get(id) ?? [id]) looked.add(each);
  const now = await join(looked, layers, sightings);
  return { get: id => now.get(id) ?? before.get(id) };
}

function joinWithin(directory: SubjectDirectory): Promise<Map<string, readonly string[]>> {
  const joining = async () => {
    const sightings = await Sightings.open([directory]);
    return join(sightings.listShared(), [directory], sightings);
  };
  const found = known.get(directory) ?? joining();
  known.set(directory, found);
  return found;
}

/** Each of these ids, and all that turn out to be the same subject's. */
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

/** One that was found may share another sighting with a third. */
function findAlike(id: string, sightings: Sightings): Set<string> {
  const alike = new Set([id]);
  const looked = new Set<string>();
  // A set hands out what is added while it is gone through.
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

/** People read short ids more easily. */
function compareIds(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1);
}
