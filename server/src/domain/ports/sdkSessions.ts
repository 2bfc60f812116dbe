/** Port to the records of reporting sessions. */
import type { SdkType } from '../../vocabulary.ts';

/** Identifies a session: each project has one for each. */
export type SdkIdentity =
  | { sdkType: Extract<SdkType, 'server_a'>; endpoint: string; resourceName: string }
  | { sdkType: Extract<SdkType, 'server_b'>; universeId: string; jobId: string };

export type SdkSession = {
  id: string;
  project: string;
  identity: SdkIdentity;
  /** The tokens with which it was reported, the first one first; the revocation of any of them ends the session. */
  tokenIds: readonly string[];
  createdAt: number;
  refreshedAt: number;
  expiresAt: number;
};

export type SessionLife = { now: number; expiresAt: number };

export interface SdkSessions {
  /** Stores the session. False when the identity has one that lives by its `refreshedAt`: of two at once, one opens. */
  open(session: SdkSession): Promise<boolean>;
  /** Extends the session, and puts the token behind those that reported it. False when it does not live by `now`. */
  join(id: string, tokenId: string, life: SessionLife): Promise<boolean>;
  /** Null when there is none, expired or not. */
  find(id: string): Promise<SdkSession | null>;
  /** The session of the identity that lives by `now`. */
  findLiving(project: string, identity: SdkIdentity, now: number): Promise<SdkSession | null>;
  /** False when it has ended or expired by `now`. */
  extend(id: string, life: SessionLife): Promise<boolean>;
  end(id: string, now: number): Promise<void>;
  /** Sessions that have not expired by `now`, latest first. */
  list(project: string, now: number): Promise<SdkSession[]>;
  /** Sessions that expired after the first instant and up to the second, and were not replaced or ended since. */
  listExpired(project: string, span: { after: number; upTo: number }): Promise<SdkSession[]>;
  removeExpired(now: number): Promise<void>;
}
