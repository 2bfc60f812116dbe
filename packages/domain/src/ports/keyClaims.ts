/** Port to claims on Idempotency-Keys: which node used one, and what it stored. */
import type { KeyRecord } from './logs.ts';

export type KeyHashes = Pick<KeyRecord, 'scopeHash' | 'bodyHash' | 'attemptId'>;

export type KeyClaim = KeyHashes & {
  /** The node whose journal receives the entries. Only this node can tell what became of an unanswered request. */
  nodeId: string;
  /** Tells apart attempts of the same node. */
  attemptId: string;
  /** Unix milliseconds. */
  expiresAt: number;
};

/** `traceId`: of the first stored entry, as 32 hex digits; null while it is unknown whether any was stored. */
export type HeldClaim = KeyClaim & { traceId: string | null };

export type StoredClaim = { bodyHash: Buffer; traceId: string; expiresAt: number };

export interface KeyClaims {
  /**
   * Resolves with the claim that now holds the key, once it survives a power cut. This is the given claim if there was no other, if the other
   * had expired by `now`, or if the other was unresolved and from the same node: before a node claims a key, it makes sure that no other
   * request of its own uses the key and that it stored nothing under it. After a rejection the claim may or may not exist.
   */
  claim(claim: KeyClaim, now: number): Promise<HeldClaim>;
  /** Finds the claim on a key, unless it has expired by `now`. */
  find(scopeHash: Buffer, now: number): Promise<HeldClaim | null>;
  /** Records what was stored. Does nothing if another attempt has the key. */
  complete(claim: KeyClaim, stored: StoredClaim): Promise<void>;
  /** Frees the key, unless another attempt has it or entries were stored under it. */
  free(claim: KeyClaim): Promise<void>;
  /** Lists a node's claims for which it is unknown whether entries were stored. */
  listUnresolved(nodeId: string): Promise<HeldClaim[]>;
  removeExpired(now: number): Promise<void>;
}
