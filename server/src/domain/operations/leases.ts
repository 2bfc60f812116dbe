/** Leases: make sure that only one process at a time does a job. */
import { newId } from '@tapedeck/values/random-ids';
import type { Clock } from '../ports/clock.ts';
import type { MetadataStore } from '../ports/metadata.ts';

type LeaseDeps = { store: Pick<MetadataStore, 'read' | 'write'>; clock: Clock };

type Lease = {
  name: string;
  /** How long a dead process blocks the others. A working process renews its lease. */
  leaseMs: number;
  /** Finished work is not repeated for this long after it began. Without it, the next holder repeats the work. */
  restMs?: number | undefined;
  signal: AbortSignal;
};

/** This process's name in all leases. */
export const holder = newId();
/** Holds the lease of work that is finished for now. */
const nobody = 'nobody';

/**
 * Runs the work unless another process has the lease; finding that out costs one read. Aborts the work's signal if the lease is lost. Resolves
 * to whether the work completed.
 */
export async function withLease(
  { store, clock }: LeaseDeps,
  { name, leaseMs, restMs, signal: stopped }: Lease,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const hold = () =>
    store.write(({ leases }) => {
      const now = clock.now();
      return leases.acquire({ name, holder, expiresAt: now + leaseMs }, now);
    });
  const beganAt = clock.now();
  const known = await store.read.leases.find(name);
  if (known !== null && known.holder !== holder && known.expiresAt > beganAt) return false;
  if (!(await hold())) return false;
  const lost = new AbortController();
  const signal = AbortSignal.any([stopped, lost.signal]);
  let renewal = Promise.resolve();
  const renew = async () => {
    const isOurs = await hold().catch(() => true); // while the database is away, the next renewal decides
    if (!isOurs) lost.abort();
  };
  const timer = setInterval(() => {
    renewal = renewal.then(renew);
  }, leaseMs / 3).unref();
  let isDone = false;
  try {
    await work(signal);
    isDone = !signal.aborted;
    return isDone;
  } finally {
    clearInterval(timer);
    await renewal; // or it would take the lease again after the release
    const resting = { name, holder: nobody, expiresAt: beganAt + (restMs ?? 0) };
    await store.write(({ leases }) =>
      isDone && restMs !== undefined ? leases.hand(resting, holder) : leases.release(name, holder),
    );
  }
}
