/**
 * Handles Idempotency-Keys across nodes. A node claims a key in the metadata store before the entries reach its journal, and marks it as
 * stored before the response. The journal is authoritative: only the node that made an unfinished claim settles it, from its journal.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { KeyedMutex } from '@tapedeck/concurrency/gate';
import { newId } from '@tapedeck/values/random-ids';
import type { Clock } from '../../ports/clock.ts';
import type { HeldClaim, KeyClaim, KeyClaims, KeyHashes } from '../../ports/keyClaims.ts';
import type { LogIntake } from '../../ports/logs.ts';
import { ServiceError } from '../../vocabulary.ts';

export type KeySharing = {
  claims: KeyClaims;
  /** The id of this node, stored in its journal. */
  nodeId: string;
  clock: Clock;
  /**
   * How long an unresolved claim lasts. If entries wait on this node's disk: as long as the key. If one transaction settles claim and entries:
   * as long as that may take.
   */
  openClaimMs: number;
  /** Called if a claim could not be settled with its request; the next `resolveClaims` settles it. */
  report(error: unknown): void;
};

/** The traceId of the first entry, and the hash of the request that stored it. */
export type KeyedReceipt = { bodyHash: Buffer; traceId: string };

/** Stores the first request under a key; resolves with the traceId of the first entry. */
export type KeyedWork = (hashes: KeyHashes) => Promise<{ traceId: string }>;

/** `waitUntil`: a `performance.now()` value. */
export type KeyedAttempt = { hashes: KeyHashes; work: KeyedWork; waitUntil: number };

export const keyLifeMs = 24 * 3_600_000; // CONTRACT.md, 4.1
const pollIntervalMs = 100; // a request takes a few milliseconds
const retryAfterSeconds = 5; // a killed node is back by then

/** Runs the work unless another node has stored entries under the key. The caller has checked this node's journal. */
export async function storeClaimed(sharing: KeySharing, attempt: KeyedAttempt): Promise<KeyedReceipt> {
  const { claims, clock, report } = sharing;
  const { claim, stored } = await claimKey(sharing, attempt);
  if (stored !== null) return stored;
  const { bodyHash } = claim;
  try {
    const { traceId } = await attempt.work({ ...attempt.hashes, attemptId: claim.attemptId });
    const expiresAt = clock.now() + keyLifeMs;
    await claims.complete(claim, { bodyHash, traceId, expiresAt }).catch(report); // the entries are stored anyway
    return { bodyHash, traceId };
  } catch (error) {
    await claims.free(claim).catch(report);
    throw error;
  }
}

/** Settles this node's open claims: from an earlier run, or from requests that lost the database. */
export async function resolveClaims(
  { claims, nodeId }: KeySharing,
  { intake, mutex }: { intake: Pick<LogIntake, 'findKey'>; mutex: KeyedMutex },
): Promise<void> {
  for (const claim of await claims.listUnresolved(nodeId)) {
    const name = nameKey(claim);
    if (mutex.isHeld(name)) continue;
    await mutex.runExclusive(name, async () => {
      const record = await intake.findKey(claim.scopeHash);
      if (record === null) return claims.free(claim);
      const { bodyHash, traceId, storedAt } = record;
      const expiresAt = storedAt + keyLifeMs;
      return claims.complete(claim, { bodyHash, traceId: traceId.toString('hex'), expiresAt });
    });
  }
}

export function nameKey({ scopeHash }: Pick<KeyHashes, 'scopeHash'>): string {
  return scopeHash.toString('latin1');
}

type Claimed = { claim: KeyClaim; stored: KeyedReceipt | null };

async function claimKey(sharing: KeySharing, { hashes, waitUntil }: KeyedAttempt): Promise<Claimed> {
  const { claims, nodeId, clock, openClaimMs } = sharing;
  for (;;) {
    const now = clock.now();
    const claim = { ...hashes, nodeId, attemptId: newId(), expiresAt: now + openClaimMs };
    const standing = await claims.claim(claim, now);
    if (standing.attemptId === claim.attemptId) return { claim, stored: null };
    const stored = readStored(standing) ?? (await waitForOutcome(sharing, hashes, waitUntil));
    if (stored !== null) return { claim, stored };
  }
}

/** Resolves to null if the key was freed. */
async function waitForOutcome(
  { claims, clock }: KeySharing,
  { scopeHash }: KeyHashes,
  waitUntil: number,
): Promise<KeyedReceipt | null> {
  for (;;) {
    const standing = await claims.find(scopeHash, clock.now());
    if (standing === null) return null;
    const stored = readStored(standing);
    if (stored !== null) return stored;
    if (performance.now() >= waitUntil) throw unresolvedError();
    await wait(pollIntervalMs);
  }
}

function readStored({ bodyHash, traceId }: HeldClaim): KeyedReceipt | null {
  return traceId === null ? null : { bodyHash, traceId };
}

function unresolvedError(): ServiceError {
  return new ServiceError(
    'unavailable',
    'Another node has a request with this Idempotency-Key under way, or went down with it; send it again later with the same key.',
    { retryAfterSeconds },
  );
}
