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
/** Clocks of nodes differ by less. A lease that ends later was taken while a clock was ahead, and does not block others. */
export const clockErrorMsMax = 3_600_000;
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
  const longestMs = Math.max(leaseMs, restMs ?? 0) + clockErrorMsMax;
  const hold = () =>
    store.write(({ leases }) => {
      const now = clock.now();
      const lease = { name, holder, expiresAt: now + leaseMs };
      return leases.acquire(lease, { now, heldUntilMax: now + longestMs });
    });
  const beganAt = clock.now();
  const known = await store.read.leases.find(name);
  const isHeld = known !== null && known.expiresAt > beganAt && known.expiresAt <= beganAt + longestMs;
  if (isHeld && known.holder !== holder) return false;
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
