/**
 * Sweeps all blobs daily. The progress is in the database, so any node can resume. It counts first: if many blobs have no record, the records
 * are probably wrong, and the sweep stops until an operator permits it.
 */

import { dayMs } from '../instants.ts';
import { refuseForeignStore } from '../operations/installation.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import { ServiceError } from '../vocabulary.ts';
import { isOrphan, listBlobs, type OrphanDeps, purgeQuarantine } from './orphans.ts';
import { PartialFailures } from './partialFailures.ts';

export type BlobSweepDeps = OrphanDeps & {
  store: Pick<MetadataStore, 'read' | 'write'>;
  installationId: string;
};

export type BlobSweep = {
  phase: 'counting' | 'setting aside' | 'done' | 'stopped';
  startedAt: number;
  endedAt: number | null;
  /** Where the phase continues. */
  after: string | null;
  /** Blobs that this service wrote, and how many of them are due for quarantine. */
  seen: number;
  due: number;
  setAside: number;
};

const names = { sweep: 'blob sweep', permitted: 'blob sweep permitted' } as const;

const dueSharePercentMax = 1; // CONTRACT.md, 13
const dueAlwaysMax = 10; // in a small installation, a few aborted uploads exceed the share

/** null before the first sweep. */
export async function readBlobSweep({ store }: Pick<BlobSweepDeps, 'store'>): Promise<BlobSweep | null> {
  const text = await store.read.installation.find(names.sweep);
  // Only `save` writes it.
  return text === null ? null : (JSON.parse(text) as BlobSweep);
}

/** Whether there are so many orphans that the records are probably wrong. */
export function isTooMuch(due: number, seen: number): boolean {
  return due > dueAlwaysMax && due * 100 > seen * dueSharePercentMax;
}

/** Permits the next sweep to quarantine as many blobs as the last one reported. Resolves to their number; null if no sweep is stopped. */
export async function permitBlobSweep(deps: Pick<BlobSweepDeps, 'store'>): Promise<number | null> {
  const sweep = await readBlobSweep(deps);
  if (sweep?.phase !== 'stopped') return null;
  await deps.store.write(({ installation }) => installation.put(names.permitted, String(sweep.due)));
  return sweep.due;
}

/** Continues today's sweep. Rejects while it is stopped, with a sentence that says what to do. */
export async function sweepBlobs(deps: BlobSweepDeps, signal: AbortSignal): Promise<void> {
  let sweep = await readBlobSweep(deps);
  const permitted = Number((await deps.store.read.installation.find(names.permitted)) ?? 0);
  if (sweep === null || isOver(sweep, deps.clock.now(), permitted)) sweep = begin(deps.clock.now());
  if (sweep.phase === 'done') return;
  if (sweep.phase === 'stopped') throw describeStop(deps, sweep);
  // Another installation may have taken over the store since this node started.
  await refuseForeignStore(deps.blobs, deps.installationId);
  if (sweep.phase === 'counting') sweep = await countOrphans(deps, sweep, signal);
  if (isTooMuch(sweep.due, sweep.seen) && sweep.due > permitted) throw await stop(deps, sweep);
  await finish(deps, sweep, signal);
}

/** Whether the next sweep is due. */
function isOver({ phase, endedAt, due }: BlobSweep, now: number, permitted: number): boolean {
  if (endedAt === null) return false;
  // The clock may have been ahead when the last one ended.
  return Math.abs(now - endedAt) >= dayMs || (phase === 'stopped' && permitted >= due);
}

function begin(now: number): BlobSweep {
  return { phase: 'counting', startedAt: now, endedAt: null, after: null, seen: 0, due: 0, setAside: 0 };
}

async function countOrphans(deps: BlobSweepDeps, begun: BlobSweep, signal: AbortSignal): Promise<BlobSweep> {
  let sweep = begun;
  for await (const turn of listBlobs(deps, signal, sweep.after)) {
    const due = turn.withoutFile.filter(entry => isOrphan(entry, sweep.startedAt)).length;
    sweep = { ...sweep, after: turn.last, seen: sweep.seen + turn.seen, due: sweep.due + due };
    await save(deps, sweep);
  }
  sweep = { ...sweep, phase: 'setting aside', after: null };
  await save(deps, sweep);
  return sweep;
}

async function finish(deps: BlobSweepDeps, begun: BlobSweep, signal: AbortSignal): Promise<void> {
  let sweep = begun;
  const failures = new PartialFailures(deps.blobs, 'bytes without a record could not be set aside');
  for await (const turn of listBlobs(deps, signal, sweep.after)) {
    for (const entry of turn.withoutFile) {
      signal.throwIfAborted();
      if (!isOrphan(entry, sweep.startedAt)) continue;
      // More than counted: the records have changed during the sweep.
      if (sweep.setAside >= sweep.due) throw await stop(deps, sweep);
      if (await failures.attempt(() => deps.blobs.quarantine(entry.place, deps.clock.now())))
        sweep = { ...sweep, setAside: sweep.setAside + 1 };
    }
    sweep = { ...sweep, after: turn.last };
    await save(deps, sweep);
  }
  const purging = purgeQuarantine(deps, signal);
  await purging.catch(() => undefined); // reported below
  await deps.store.write(({ installation }) => installation.remove(names.permitted));
  await save(deps, { ...sweep, phase: 'done', endedAt: deps.clock.now() });
  failures.throwIfAny();
  await purging;
}

async function stop(deps: BlobSweepDeps, sweep: BlobSweep): Promise<ServiceError> {
  const stopped: BlobSweep = { ...sweep, phase: 'stopped', endedAt: deps.clock.now() };
  await save(deps, stopped);
  return describeStop(deps, stopped);
}

function save({ store }: BlobSweepDeps, sweep: BlobSweep): Promise<void> {
  return store.write(({ installation }) => installation.put(names.sweep, JSON.stringify(sweep)));
}

function describeStop({ blobs }: Pick<BlobSweepDeps, 'blobs'>, sweep: BlobSweep): ServiceError {
  return new ServiceError('unavailable', describeStandstill(sweep, blobs.title));
}

export function describeStandstill({ due, seen }: BlobSweep, title: string): string {
  return (
    `The sweep is paused: ${due} of ${seen} blobs in ${title} have no record in the database, more than ${dueSharePercentMax} %. ` +
    'None of them were set aside: an older database may have been restored, or the settings name another one. If you want to delete them, run ' +
    '`tapedeck adopt --sweep`.'
  );
}
