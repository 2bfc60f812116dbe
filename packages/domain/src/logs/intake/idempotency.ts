/** Makes requests with an `Idempotency-Key` take effect once, however often they are sent. */
import { createHash, type Hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createKeyedMutex } from '@tapedeck/concurrency/gate';
import type { KeyHashes } from '../../ports/keyClaims.ts';
import type { LogIntake, LogTarget } from '../../ports/logs.ts';
import { limits, ServiceError } from '../../vocabulary.ts';
import {
  type KeyedAttempt,
  type KeyedReceipt,
  type KeyedWork,
  type KeySharing,
  nameKey,
  resolveClaims,
  storeClaimed,
} from './keyClaims.ts';

/** An `Idempotency-Key` with its token and route. */
export type IdempotencyKey = { tokenId: string; route: string; key: string };

export type KeyGate = {
  /** Runs the work, or returns what was stored before. Rejects the key for a different body. */
  pass(
    key: IdempotencyKey,
    request: LogTarget & { body: Buffer },
    work: KeyedWork,
  ): Promise<{ traceId: string }>;
  /** Settles claims that this node's requests left open. Call it repeatedly where nodes share keys. */
  resolveClaims(): Promise<void>;
};

const hashBytes = 16; // ample against accidental collisions
const hashPieceBytes = 1024 * 1024; // takes a few milliseconds
const waitMsMax = 5_000; // wait for another node: much longer than it needs, shorter than clients' timeouts

/** `sharing`: null if no other node shares the keys. */
export function createKeyGate(intake: Pick<LogIntake, 'findKey'>, sharing: KeySharing | null): KeyGate {
  const mutex = createKeyedMutex();
  return {
    async pass(key, request, work) {
      const scopeHash = hashParts([key.tokenId, key.route, requireKey(key.key)])
        .digest()
        .subarray(0, hashBytes);
      const bodyHash = await hashBody(request);
      const hashes = { scopeHash, bodyHash };
      // A large body occupies one of few slots, so it does not wait for other nodes.
      const patienceMs = request.body.length > limits.briefBodyBytesMax ? 0 : waitMsMax;
      const attempt = { hashes, work, waitUntil: performance.now() + patienceMs };
      // Requests with the same key run one after another: a rejected one frees the key for the next.
      return await mutex.runExclusive(nameKey(hashes), () => runOnce(intake, sharing, attempt));
    },
    async resolveClaims() {
      if (sharing !== null) await resolveClaims(sharing, { intake, mutex });
    },
  };
}

async function runOnce(
  intake: Pick<LogIntake, 'findKey'>,
  sharing: KeySharing | null,
  attempt: KeyedAttempt,
): Promise<{ traceId: string }> {
  const { hashes, work } = attempt;
  const found = await intake.findKey(hashes.scopeHash);
  if (found !== null) return requireSameBody({ ...found, traceId: found.traceId.toString('hex') }, hashes);
  if (sharing === null) return work(hashes);
  return requireSameBody(await storeClaimed(sharing, attempt), hashes);
}

function requireSameBody(stored: KeyedReceipt, { bodyHash }: KeyHashes): { traceId: string } {
  if (stored.bodyHash.equals(bodyHash)) return { traceId: stored.traceId };
  throw new ServiceError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request; send a new key with new entries.',
  );
}

function requireKey(key: string): string {
  if (key.length <= limits.idempotencyKeyCharactersMax) return key;
  const sentence = `Idempotency-Key may be at most ${limits.idempotencyKeyCharactersMax} characters long.`;
  throw new ServiceError('invalid_field', sentence);
}

/** Hashes a large body in pieces, so that other work runs in between. */
async function hashBody({ project, dataset, body }: LogTarget & { body: Buffer }): Promise<Buffer> {
  const hash = hashParts([project, dataset]).update(`${body.length}:`);
  for (let at = 0; at < body.length; at += hashPieceBytes) {
    if (at > 0) await nextTurn();
    hash.update(body.subarray(at, at + hashPieceBytes));
  }
  return hash.digest().subarray(0, hashBytes);
}

/** Hashes each part's length before it, so that different lists never hash alike. */
function hashParts(parts: readonly string[]): Hash {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash;
}
