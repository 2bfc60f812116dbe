/** Turns the keys in one node's journal into claims visible to every node. */
import { newId } from '@tapedeck/values/random-ids';
import type { KeyClaims } from '../../ports/keyClaims.ts';
import type { KeyRecord } from '../../ports/logs.ts';
import { keyLifeMs } from './keyClaims.ts';

const keysAtOnce = 256; // they share transactions

export async function handOverKeys(
  claims: KeyClaims,
  { nodeId, records }: { nodeId: string; records: AsyncIterable<KeyRecord> },
  now: number,
): Promise<void> {
  let waiting: Promise<void>[] = [];
  for await (const { scopeHash, bodyHash, traceId, storedAt } of records) {
    const expiresAt = storedAt + keyLifeMs;
    const claim = { scopeHash, bodyHash, nodeId, attemptId: newId(), expiresAt };
    const stored = { bodyHash, traceId: traceId.toString('hex'), expiresAt };
    waiting.push(claims.claim(claim, now).then(() => claims.complete(claim, stored)));
    if (waiting.length < keysAtOnce) continue;
    await Promise.all(waiting);
    waiting = [];
  }
  await Promise.all(waiting);
}
