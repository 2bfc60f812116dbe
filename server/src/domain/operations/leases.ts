/** Leases: one process at a time does a job. */
import { newId } from '@tapedeck/values/random-ids';
import type { Clock } from '../ports/clock.ts';
import type { MetadataStore } from '../ports/metadata.ts';

type LeaseDeps = { store: Pick<MetadataStore, 'read' | 'write'>; clock: Clock };

type Lease = {
  name: string;
  /** A process that died holds others up for so long. One that works renews its lease. */
  leaseMs: number;
  /** For this long after its beginning, nobody repeats finished work; without it the next holder repeats it. */
  restMs?: number | undefined;
  signal: AbortSignal;
};

/** This process's name in all leases. */
export const holder = newId();
/** Has the lease of work that is done for now. */
const nobody = 'nobody';

/**
 * Does nothing while another process has the lease, and asks no more of the database then than who has it. The work's signal is
 * aborted, too, when the lease is lost. Resolves to whether the work was done to its end.
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
    const isOurs = await hold().catch(() => true); // the next renewal tells, while the database is away
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
    await renewal; // it would take the lease again once it is released
    const resting = { name, holder: nobody, expiresAt: beganAt + (restMs ?? 0) };
    await store.write(({ leases }) =>
      isDone && restMs !== undefined ? leases.hand(resting, holder) : leases.release(name, holder),
    );
  }
}
