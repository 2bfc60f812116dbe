/** Port to the records of sign-in: invitations, second factors, passkeys, linked identities. */
import type { Role } from '../vocabulary.ts';

export type Invitation = {
  id: string;
  /** Hash of the link's secret. Only the link has the secret. */
  hash: string;
  /** The role that it grants in a project; null: it only creates a user. */
  place: { project: string; role: Role } | null;
  /** Lower case; null: anyone with the link may use it. */
  email: string | null;
  /** The invitation ends when its maker loses the right to make it. */
  maker: { kind: 'user' | 'token'; id: string };
  createdAt: number;
  /** The maker, as readable text. */
  createdBy: string;
  expiresAt: number;
  used: { at: number; userId: string } | null;
  revokedAt: number | null;
};

export interface InvitationRecords {
  insert(invitation: Invitation): Promise<void>;
  /** Records its use or revocation. */
  update(invitation: Invitation): Promise<void>;
  find(id: string): Promise<Invitation | null>;
  findByHash(hash: string): Promise<Invitation | null>;
  /** Newest first, without revoked ones; null lists those that only create users. */
  list(project: string | null): Promise<Invitation[]>;
  /** Removes invitations that expired before the instant. */
  removeExpired(before: number): Promise<void>;
}

export type SecondFactor = {
  userId: string;
  /** Sealed. */
  secret: string;
  createdAt: number;
  /** Step of the last accepted code. Codes of this step or earlier are refused. */
  lastStep: number;
};

export interface SecondFactorRecords {
  /** Inserts or replaces. */
  put(factor: SecondFactor): Promise<void>;
  find(userId: string): Promise<SecondFactor | null>;
  /** Removes it with the recovery codes. Returns false if there was none. */
  remove(userId: string): Promise<boolean>;
  /** Returns false if this step or one of the hour after it was taken: a later one was taken while a clock was ahead. Of several calls at once, only one gets true. */
  consumeStep(userId: string, step: number): Promise<boolean>;
  replaceRecoveryCodes(userId: string, hashes: readonly string[]): Promise<void>;
  /** Removes the code. Returns false if it does not exist. Of several calls at once, only one gets true. */
  consumeRecoveryCode(userId: string, hash: string): Promise<boolean>;
  countRecoveryCodes(userId: string): Promise<number>;
  /** Lists the users who have a second factor. */
  listUserIds(): Promise<string[]>;
}

export type Passkey = {
  /** The authenticator's own id, in base64url. */
  id: string;
  userId: string;
  name: string;
  /** COSE, in base64url. */
  publicKey: string;
  /** How often the authenticator says it has signed; 0 if it does not count. */
  counter: number;
  transports: readonly string[];
  createdAt: number;
  lastUsedAt: number | null;
};

export interface PasskeyRecords {
  /** Fails with `name_taken` if the id exists. */
  insert(passkey: Passkey): Promise<void>;
  find(id: string): Promise<Passkey | null>;
  /** Oldest first. */
  listOfUser(userId: string): Promise<Passkey[]>;
  recordUse(id: string, use: { counter: number; usedAt: number }): Promise<void>;
  /** Returns false if the user has no passkey with this id. */
  remove(userId: string, id: string): Promise<boolean>;
}

/** A user's identity at an OpenID provider. */
export type Identity = {
  id: string;
  issuer: string;
  subject: string;
  userId: string;
  /** The provider's name for the account, shown to the user. */
  label: string;
  createdAt: number;
  lastUsedAt: number | null;
};

export interface IdentityRecords {
  /** Fails with `name_taken` if the subject is already linked. */
  insert(identity: Identity): Promise<void>;
  findBySubject(issuer: string, subject: string): Promise<Identity | null>;
  /** Oldest first. */
  listOfUser(userId: string): Promise<Identity[]>;
  recordUse(id: string, usedAt: number): Promise<void>;
  /** Returns false if the user has no identity with this id. */
  remove(userId: string, id: string): Promise<boolean>;
}

export interface SpentTickets {
  /** Returns true the first time, false afterwards. Of several calls at once, only one gets true. */
  spend(hash: string, expiresAt: number): Promise<boolean>;
  removeExpired(before: number): Promise<void>;
}
