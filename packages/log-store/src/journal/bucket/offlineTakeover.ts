/** Registers segments from the notes of writers whose lease has ended. Queries and imports do this first. */
import type { Logger } from '../../logger.ts';
import { decodeNote, nameNote } from './offlineRegistrations.ts';
import type { SegmentBucket } from './segmentBucket.ts';
import type { SegmentRegistry, SilentWriter } from './segmentRegistry.ts';
import { retiredMsMin } from './writerLease.ts';

type NoteDeps = { log: Logger; bucket: SegmentBucket; registry: SegmentRegistry };

const notesAtOnce = 16;

/** Resolves once everything that the writers acknowledged before the call is registered. */
export async function registerNotes(
  deps: NoteDeps,
  { now, silent }: { now: number; silent: readonly SilentWriter[] },
): Promise<void> {
  await Promise.all(silent.map(writer => takeNotesOf(deps, writer, now)));
}

async function takeNotesOf(deps: NoteDeps, writer: SilentWriter, now: number): Promise<void> {
  const { registry } = deps;
  let known: SilentWriter | null = writer;
  // Reads only one note at first, because there is usually none: a killed node wrote nothing more.
  for (let count = 1; known !== null; count = notesAtOnce) {
    const { isAll, isTaken } = await takeSome(deps, known, count);
    if (isAll && isTaken) break;
    known = await registry.findWriter(writer.id); // another node may be ahead
  }
  // By then the writer cannot have begun any more notes.
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
  const found = (end === -1 ? contents : contents.slice(0, end)) as Buffer[]; // the slice ends before the first null
  if (found.length === 0) return { isAll: true, isTaken: true };
  const range = { writer, from, to: from + found.length };
  const isTaken = await registry.registerNotes(range, found.flatMap(decodeNote));
  if (isTaken) {
    log.info(
      { writer, notes: found.length },
      'entries received while the database was down are now registered',
    );
    await Promise.allSettled(names.slice(0, found.length).map(name => bucket.remove(name))); // otherwise the sweep removes them
  }
  return { isAll: end !== -1, isTaken };
}
