/** The door to the records of reporting sessions. */
import type { SdkType } from '../../vocabulary.ts';

/** What a session is of; there is one session for each, in each project. */
export type SdkIdentity =
  | { sdkType: Extract<SdkType, 'server_a'>; endpoint: string; resourceName: string }
  | { sdkType: Extract<SdkType, 'server_b'>; universeId: string; jobId: string };

export type SdkSession = {
  id: string;
  project: string;
  identity: SdkIdentity;
  /** The tokens with which it was reported; the revocation of any of them ends the session. */
  tokenIds: readonly string[];
  createdAt: number;
  refreshedAt: number;
  expiresAt: number;
};

export type SessionLife = { now: number; expiresAt: number };

export interface SdkSessions {
  /**
   * Stores the session, or refreshes the one that the identity has and that has not expired: then that one is answered,
   * with its own id and `createdAt`, and with the token beside those that it has. One statement: of two at once, one creates.
   */
  report(session: SdkSession): Promise<SdkSession>;
  /** Null when there is none, expired or not. */
  find(id: string): Promise<SdkSession | null>;
  /** False when it has ended or expired by `now`. */
  extend(id: string, life: SessionLife): Promise<boolean>;
  /** The session of the identity, extended; null when there is none that lives by `now`. */
  extendByIdentity(project: string, identity: SdkIdentity, life: SessionLife): Promise<SdkSession | null>;
  end(id: string): Promise<void>;
  endByIdentity(project: string, identity: SdkIdentity): Promise<void>;
  /** Those that have not expired by `now`, latest first. */
  list(project: string, now: number): Promise<SdkSession[]>;
  removeExpired(now: number): Promise<void>;
}
