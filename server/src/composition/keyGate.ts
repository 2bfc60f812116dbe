/** Opens the gate that lets an Idempotency-Key through once. Nodes that share a database keep the claims there. */

import { createKeyGate, type KeyGate } from '@tapedeck/domain/logs/intake/idempotency';
import { keyLifeMs } from '@tapedeck/domain/logs/intake/keyClaims';
import type { Clock } from '@tapedeck/domain/ports/clock';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import type { LogStore } from '@tapedeck/log-store';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { forgetHourly } from '../jobs/cleanup.ts';
import type { Repeated } from '../jobs/scheduler.ts';

const registeredKeyMs = 60_000; // a claim without a segment by then never gets one
const claimsIntervalMs = 3_000; // repeats at other nodes wait a little longer until a claim is settled

type KeyGateDeps = { log: Pick<Logger, 'warn'>; clock: Clock; repeated: Repeated[] };

/** Nodes that share the metadata store also share the keys. */
export async function openKeyGate(
  config: Config,
  { logStore, store }: { logStore: LogStore; store: MetadataStore },
  { log, clock, repeated }: KeyGateDeps,
): Promise<KeyGate> {
  if (config.database.kind === 'sqlite') return createKeyGate(logStore.intake, null);
  const { keyClaims: claims } = store;
  const keyGate = createKeyGate(logStore.intake, {
    claims,
    nodeId: await logStore.keepNodeId(),
    clock,
    openClaimMs: config.journal === null ? keyLifeMs : registeredKeyMs,
    report: error => log.warn({ err: error }, 'could not settle a claim on an Idempotency-Key; trying again'),
  });
  repeated.push(
    { name: 'settle claims', intervalMs: claimsIntervalMs, work: () => keyGate.resolveClaims() },
    forgetHourly({ store, clock }, 'claims on keys', now => claims.removeExpired(now)),
  );
  return keyGate;
}
