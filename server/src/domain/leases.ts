/** Work that one process of many does at a time, whichever holds the lease. */
import { newId } from '@tapedeck/random-ids';
import type { Clock } from './ports/clock.ts';
import type { MetadataStore } from './ports/metadata.ts';

type LeaseDeps = { store: Pick<MetadataStore, 'write'>; clock: Clock };

type Lease = {
  name: string;
  /** A process that died holds others up for so long. One that works renews its lease. */
  leaseMs: number;
  signal: AbortSignal;
};

const holder = newId();

/**
 * Does nothing while another process has the lease. The work's signal is aborted, too, when the lease is lost. Resolves to
 * whether the work was done to its end.
 */
export async function withLease(
  { store, clock }: LeaseDeps,
  { name, leaseMs, signal: stopped }: Lease,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const hold = () =>
    store.write(({ leases }) => {
      const now = clock.now();
      return leases.acquire({ name, holder, expiresAt: now + leaseMs }, now);
    });
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
  try {
    await work(signal);
    return !signal.aborted;
  } finally {
    clearInterval(timer);
    await renewal; // it would take the lease again once it is released
    await store.write(({ leases }) => leases.release(name, holder));
  }
}
