/** Requests that carry an `Idempotency-Key` take effect once, however often and however close together they are sent. */
import { createHash } from 'node:crypto';
import { limits, ServiceError } from '../../vocabulary.ts';
import type { KeyRecord, LogIntake, LogTarget } from '../ports/logs.ts';

/** Whose key it is, and on which route. */
export type IdempotencyKey = { tokenId: string; route: string; key: string };

/** What a request under a key stores when it is the first one. */
export type KeyedWork<T> = (hashes: Pick<KeyRecord, 'scopeHash' | 'bodyHash'>) => Promise<T>;

export type KeyGate = {
  /** Runs the work, or returns what was stored before; refuses the key for another body. */
  pass<T>(
    key: IdempotencyKey,
    request: LogTarget & { body: Buffer },
    work: KeyedWork<T>,
  ): Promise<T | KeyRecord>;
};

const hashBytes = 16; // ample against chance

export function createKeyGate(intake: Pick<LogIntake, 'findKey'>): KeyGate {
  const underWay = new Map<string, Promise<unknown>>();
  return {
    async pass(key, request, work) {
      const scopeHash = hashParts(key.tokenId, key.route, requireKey(key.key));
      const bodyHash = hashParts(request.project, request.dataset, request.body);
      const name = scopeHash.toString('latin1');
      // Its outcome decides: a refused request frees the key.
      for (let first = underWay.get(name); first; first = underWay.get(name)) await first.catch(() => {});
      const running = runOnce(intake, { scopeHash, bodyHash }, work);
      underWay.set(name, running);
      try {
        return await running;
      } finally {
        underWay.delete(name);
      }
    },
  };
}

type Hashes = Pick<KeyRecord, 'scopeHash' | 'bodyHash'>;

async function runOnce<T>(
  intake: Pick<LogIntake, 'findKey'>,
  hashes: Hashes,
  work: KeyedWork<T>,
): Promise<T | KeyRecord> {
  const found = await intake.findKey(hashes.scopeHash);
  if (found === null) return work(hashes);
  if (found.bodyHash.equals(hashes.bodyHash)) return found;
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

/** The length of each part goes in before it, so that no two lists of parts look the same. */
function hashParts(...parts: (string | Buffer)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest().subarray(0, hashBytes);
}
