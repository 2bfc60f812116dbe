/** Completes log entries that earlier versions stored. Runs on one of the nodes that share the servers. */
import { Failure } from '@tapedeck/values/failure';
import { withLease } from '../operations/leases.ts';
import type { Clock } from '../ports/clock.ts';
import type { LogBackfill } from '../ports/logs.ts';
import type { MetadataStore } from '../ports/metadata.ts';

type BackfillDeps = {
  logBackfill: LogBackfill;
  /** Whether other nodes use the same log servers. */
  isShared: boolean;
  store: Pick<MetadataStore, 'read' | 'write'>;
  clock: Clock;
};

const leaseMs = 60_000;
const restMs = 600_000; // a node of an earlier version, or its journal, may add more

/** Continues where the last call ended. Skips a round while entries cannot be queried. */
export function makeLogBackfill(deps: BackfillDeps): (signal: AbortSignal) => Promise<void> {
  const { logBackfill, isShared } = deps;
  let restsUntil = 0;
  return async stopped => {
    if (performance.now() < restsUntil) return;
    try {
      const isLacking = await logBackfill.look(stopped);
      if (logBackfill.state === null) restsUntil = performance.now() + restMs;
      if (!isLacking) return;
      if (!isShared) await logBackfill.run(stopped);
      else await withLease(deps, { name: 'backfill logs', leaseMs, signal: stopped }, logBackfill.run);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'engine_unavailable') throw error;
    }
  };
}
