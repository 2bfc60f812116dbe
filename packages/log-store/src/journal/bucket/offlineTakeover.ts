/** Registers segments from the notes of writers whose lease has ended. Queries and imports do this first. */
import type { Logger } from '../../logger.ts';
import { decodeNote, nameNote } from './offlineRegistrations.ts';
import type { SegmentBucket } from './segmentBucket.ts';
import type { SegmentRegistry, SilentWriter } from './segmentRegistry.ts';
import { retiredMsMin } from './writerLease.ts';

type NoteDeps = { log: Logger; bucket: SegmentBucket; registry: SegmentRegistry };

const notesAtOnce = 16;

/** Resolves once all that the writers had acknowledged before the call is registered. */
export async function takeNotes(
  deps: NoteDeps,
  { now, silent }: { now: number; silent: readonly SilentWriter[] },
): Promise<void> {
  await Promise.all(silent.map(writer => takeNotesOf(deps, writer, now)));
}

async function takeNotesOf(deps: NoteDeps, writer: SilentWriter, now: number): Promise<void> {
  const { registry } = deps;
  let known: SilentWriter | null = writer;
  // Mostly there is none: a node that was killed wrote nothing more.
  for (let count = 1; known !== null; count = notesAtOnce) {
    const { isAll, isTaken } = await takeSome(deps, known, count);
    if (isAll && isTaken) break;
    known = await registry.findWriter(writer.id); // another node may be ahead
  }
  // By then it cannot have begun any.
  if (known !== null && now - known.leasedUntil > retiredMsMin) await registry.closeWriter(known);
}

async function takeSome(
  { bucket, registry, log }: NoteDeps,
  { id: writer, notes: from }: SilentWriter,
  count: number,
): Promise<{ isAll: boolean; isTaken: boolean }> {
  const names = Array.from({ length: count }, (_, index) => nameNote({ writer, number: from + index }));
  const contents = await Promise.all(names.map(name => bucket.read(name)));
  const end = contents.indexOf(null);
  const found = (end === -1 ? contents : contents.slice(0, end)) as Buffer[]; // those before the first that is missing
  if (found.length === 0) return { isAll: true, isTaken: true };
  const range = { writer, from, to: from + found.length };
  const isTaken = await registry.takeNotes(range, found.flatMap(decodeNote));
  if (isTaken) {
    log.info({ writer, notes: found.length }, 'entries that came in without the database are registered');
    await Promise.allSettled(names.slice(0, found.length).map(name => bucket.remove(name))); // else the sweep does
  }
  return { isAll: end !== -1, isTaken };
}
