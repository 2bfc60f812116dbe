/**
 * Removes what crashes leave behind: objects that were never registered or whose import has ended, notes that were
 * taken over, and rows of ended imports. It first takes over the notes of silent nodes, because these are about
 * segments younger than anything that it removes (`retiredMsMin`).
 */

import type { Logger } from '../../logger.ts';
import { notesFolder, parseNoteName } from './offlineRegistrations.ts';
import { registerNotes } from './offlineTakeover.ts';
import { registeredMsMax } from './registrar.ts';
import type { SegmentBucket } from './segmentBucket.ts';
import { readCreatedAt } from './segmentObject.ts';
import type { SegmentRegistry } from './segmentRegistry.ts';

type SweepDeps = { log: Logger; bucket: SegmentBucket; registry: SegmentRegistry };

const orphanMsMin = 15 * registeredMsMax; // nothing of that age is still being registered
const endedMsMin = 15 * registeredMsMax; // a repeated registration must find its row
const namesAtOnce = 500;

/** Ages are by the database's clock, by which segments are named and registered. */
export async function sweepSegments(deps: SweepDeps, signal: AbortSignal): Promise<void> {
  const { registry, bucket } = deps;
  const look = await registry.look(0);
  await registerNotes(deps, look);
  await registry.forgetEnded(look.now - endedMsMin);
  let names: string[] = [];
  for await (const name of bucket.list('')) {
    const age = look.now - readCreatedAt(name);
    if (age < orphanMsMin) break; // names begin with their time
    if (Number.isNaN(age)) continue; // not a segment
    names.push(name);
    if (names.length >= namesAtOnce) {
      await removeOrphans(deps, names, signal);
      names = [];
    }
  }
  await removeOrphans(deps, names, signal);
  await removeNotes(deps, signal);
}

async function removeOrphans(
  { bucket, registry }: SweepDeps,
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

/** Removes notes that were taken over. A note of an unknown writer was, because a writer is known before its first note. */
async function removeNotes({ bucket, registry }: SweepDeps, signal: AbortSignal): Promise<void> {
  const names = await Array.fromAsync(bucket.list(notesFolder));
  if (names.length === 0) return;
  const taken = new Map((await registry.listWriters()).map(({ id, notes }) => [id, notes]));
  for (const name of names) {
    signal.throwIfAborted();
    const note = parseNoteName(name);
    if (note === null) continue;
    if (note.number < (taken.get(note.writer) ?? Number.POSITIVE_INFINITY)) await bucket.remove(name);
  }
}
