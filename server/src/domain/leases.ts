/** Work that one process of many does at a time, whichever holds the lease. */
import { newId } from './ids.ts';
import type { Clock } from './ports/clock.ts';
import type { MetadataStore } from './ports/metadata.ts';

export type LeaseDeps = { store: Pick<MetadataStore, 'write'>; clock: Clock };

export type Lease = {
  name: string;
  /** A process that died holds others up for so long. One that works renews its lease. */
  leaseMs: number;
  /** For how long nobody does the work again once it is done. */
  restMs: number;
  signal: AbortSignal;
};

const holder = newId();

/** Does nothing while another process has the lease, or the work rests. The signal is aborted, too, when the lease is lost. */
export async function withLease(
  { store, clock }: LeaseDeps,
  { name, leaseMs, restMs, signal: stopped }: Lease,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const hold = (by: string, forMs: number) =>
    store.write(({ leases }) => {
      const now = clock.now();
      return leases.acquire({ name, holder: by, expiresAt: now + forMs }, now);
    });
  if (!(await hold(holder, leaseMs))) return;
  const lost = new AbortController();
  const signal = AbortSignal.any([stopped, lost.signal]);
  let renewal = Promise.resolve();
  const renew = async () => {
    const isOurs = await hold(holder, leaseMs).catch(() => true); // the next renewal tells, while the database is away
    if (!isOurs) lost.abort();
  };
  const timer = setInterval(() => {
    renewal = renewal.then(renew);
  }, leaseMs / 3).unref();
  let isDone = false;
  try {
    await work(signal);
    isDone = !signal.aborted;
  } finally {
    clearInterval(timer);
    await renewal; // it would take the lease again once it is released
    await store.write(({ leases }) => leases.release(name, holder));
  }
  // In a name that nobody has, so that this process rests, too.
  if (isDone && restMs > 0) await hold(newId(), restMs);
}
