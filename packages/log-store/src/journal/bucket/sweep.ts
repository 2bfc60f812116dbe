/** Takes away what no crash takes back: objects that were never registered, or whose import ended, and rows of ended imports. */
import type { SegmentBucket } from './segmentBucket.ts';
import { readCreatedAt } from './segmentObject.ts';
import type { SegmentRegistry } from './segmentRegistry.ts';
import { registeredMsMax } from './segmentWriter.ts';

const orphanMsMin = 15 * registeredMsMax; // nothing of that age is registered any more
const endedMsMin = 10 * registeredMsMax; // a registration that is repeated must find its row
const namesAtOnce = 500;

/** Both ages are by the database's clock, by which segments are named and registered. */
export async function sweepSegments(
  { bucket, registry }: { bucket: SegmentBucket; registry: SegmentRegistry },
  signal: AbortSignal,
): Promise<void> {
  const now = await registry.readClock();
  await registry.forgetEnded(now - endedMsMin);
  let names: string[] = [];
  for await (const name of bucket.list()) {
    const age = now - readCreatedAt(name);
    if (age < orphanMsMin) break; // names begin with their time
    if (Number.isNaN(age)) continue; // somebody else's
    names.push(name);
    if (names.length >= namesAtOnce) {
      await removeOrphans({ bucket, registry }, names, signal);
      names = [];
    }
  }
  await removeOrphans({ bucket, registry }, names, signal);
}

async function removeOrphans(
  { bucket, registry }: { bucket: SegmentBucket; registry: SegmentRegistry },
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (names.length === 0) return;
  const needed = new Set(await registry.listNeeded(names));
  for (const name of names) {
    signal.throwIfAborted();
    if (!needed.has(name)) await bucket.remove(name);
  }
}
