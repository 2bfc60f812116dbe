/** Port to claims on Idempotency-Keys: which node used one, and what it stored. */
import type { KeyRecord } from './logs.ts';

export type KeyHashes = Pick<KeyRecord, 'scopeHash' | 'bodyHash' | 'attemptId'>;

export type KeyClaim = KeyHashes & {
  /** The node whose journal takes the entries in: it alone can tell what became of a request that nobody answered. */
  nodeId: string;
  /** Tells an attempt from earlier and later ones of the same node. */
  attemptId: string;
  /** Unix milliseconds. */
  expiresAt: number;
};

/** `traceId`: of the first entry stored, as 32 hex digits; null while it is not known whether any was. */
export type StandingClaim = KeyClaim & { traceId: string | null };

export type StoredClaim = { bodyHash: Buffer; traceId: string; expiresAt: number };

export interface KeyClaims {
  /**
   * Resolves with the claim that now holds the key, once it survives a power cut. It is the given claim if there was
   * none before, if the other one had expired by `now`, or if the other one was unresolved and from the same node: a
   * node that claims a key knows that it has no other request under way with it and stored nothing under it. After a
   * rejection the claim may exist or not.
   */
  claim(claim: KeyClaim, now: number): Promise<StandingClaim>;
  /** The claim under a key, unless it has expired by `now`. */
  find(scopeHash: Buffer, now: number): Promise<StandingClaim | null>;
  /** Notes what was stored. Does nothing when another attempt has the key. */
  complete(claim: KeyClaim, stored: StoredClaim): Promise<void>;
  /** Frees the key, unless another attempt has it or something was stored under it. */
  free(claim: KeyClaim): Promise<void>;
  /** The claims of a node of which it is not known whether anything was stored. */
  listUnresolved(nodeId: string): Promise<StandingClaim[]>;
  removeExpired(now: number): Promise<void>;
}
