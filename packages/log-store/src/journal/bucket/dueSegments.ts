/** Decides which waiting segment a lane takes next, and when. */
import type { RegistryLook, WaitingSegment } from './segmentRegistry.ts';

// Few large inserts leave the engine less to merge (DECISIONS.md, "The journal is flushed once a second").
const ageMsMax = 1_000;
const rowsDue = 50_000;
const rowsMax = 200_000;
const bytesMax = 32 * 1024 * 1024; // bounds the memory of one insert, here and in the engine
/** How long a segment waits for the shard that it names before another takes it; less if a query waits. */
const patienceMs = { usual: 2_000, wanted: 500 } as const;

type Lanes = {
  /** The mark of the lane's shard. */
  shard: string;
  /** All shards that this node knows. */
  shards: readonly string[];
  /** True if a query at this node waits. */
  isHurried: boolean;
};

/** Returns the segments to import now, oldest first; none if it is too early. */
export function chooseDue({ now, segments }: RegistryLook, lanes: Lanes): WaitingSegment[] {
  const open = segments.filter(segment => segment.import === null && mayTake(segment, now, lanes));
  const rows = open.reduce((sum, segment) => sum + segment.rows, 0);
  const isDue =
    lanes.isHurried ||
    rows >= rowsDue ||
    open.some(({ isWanted, registeredAt }) => isWanted || now - registeredAt >= ageMsMax);
  return isDue ? cut(open) : [];
}

function mayTake({ shard, registeredAt, isWanted }: WaitingSegment, now: number, lanes: Lanes): boolean {
  if (shard === lanes.shard || !lanes.shards.includes(shard)) return true;
  return now - registeredAt >= (isWanted ? patienceMs.wanted : patienceMs.usual);
}

function cut(segments: readonly WaitingSegment[]): WaitingSegment[] {
  let rows = 0;
  let bytes = 0;
  const taken: WaitingSegment[] = [];
  for (const segment of segments) {
    rows += segment.rows;
    bytes += segment.bytes;
    if (taken.length > 0 && (rows > rowsMax || bytes > bytesMax)) break;
    taken.push(segment);
  }
  return taken;
}
