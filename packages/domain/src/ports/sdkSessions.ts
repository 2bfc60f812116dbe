/** Port to the records of game servers' sessions. */
import type { SdkType } from '../vocabulary.ts';

/** Identifies a session within its project. */
export type SdkIdentity =
  | { sdkType: Extract<SdkType, 'server_a'>; endpoint: string; resourceName: string }
  | { sdkType: Extract<SdkType, 'server_b'>; universeId: string; jobId: string };

export type SdkSession = {
  id: string;
  project: string;
  identity: SdkIdentity;
  /** The tokens that reported it, in order. Revoking any of them ends the session. */
  tokenIds: readonly string[];
  createdAt: number;
  refreshedAt: number;
  expiresAt: number;
};

export type SessionLife = { now: number; expiresAt: number };

export interface SdkSessions {
  /** Stores the session. Returns false if the identity has one that is live at `refreshedAt`: of two calls at once, one succeeds. */
  open(session: SdkSession): Promise<boolean>;
  /** Extends the session and appends the token to its tokens. Returns false if it is not live at `now`. */
  join(id: string, tokenId: string, life: SessionLife): Promise<boolean>;
  /** Finds the session, even if it has expired. */
  find(id: string): Promise<SdkSession | null>;
  /** Finds the identity's session that is live at `now`. */
  findLiving(project: string, identity: SdkIdentity, now: number): Promise<SdkSession | null>;
  /** Returns false if it has ended or expired by `now`. */
  extend(id: string, life: SessionLife): Promise<boolean>;
  end(id: string, now: number): Promise<void>;
  /** Lists sessions that have not expired by `now`, latest first. */
  list(project: string, now: number): Promise<SdkSession[]>;
  /** Lists sessions that expired within the span (its end included) and were not replaced or ended since. */
  listExpired(project: string, span: { after: number; upTo: number }): Promise<SdkSession[]>;
  removeExpired(now: number): Promise<void>;
}
