/** Port to the records of sign-in: invitations, second factors, passkeys, linked identities. */
import type { Role } from '../../vocabulary.ts';

export type Invitation = {
  id: string;
  /** Hash of the secret in the link, which is stored nowhere. */
  hash: string;
  /** The role that it gives in a project; null: it makes a user, and no more. */
  place: { project: string; role: Role } | null;
  /** Lower case; null: anyone with the link may use it. */
  email: string | null;
  /** With whose power it ends. */
  maker: { kind: 'user' | 'token'; id: string };
  createdAt: number;
  /** The maker in words. */
  createdBy: string;
  expiresAt: number;
  used: { at: number; userId: string } | null;
  revokedAt: number | null;
};

export interface InvitationRecords {
  insert(invitation: Invitation): Promise<void>;
  /** Writes down how it ended: used or revoked. */
  update(invitation: Invitation): Promise<void>;
  find(id: string): Promise<Invitation | null>;
  findByHash(hash: string): Promise<Invitation | null>;
  /** Newest first, revoked ones left out; of a project, or (null) those that make users. */
  list(project: string | null): Promise<Invitation[]>;
  /** Forgets those that ran out before. */
  removeExpired(before: number): Promise<void>;
}

export type SecondFactor = {
  userId: string;
  /** Sealed. */
  secret: string;
  createdAt: number;
  /** Step of the last accepted code; neither it nor earlier ones are accepted again. */
  lastStep: number;
};

export interface SecondFactorRecords {
  /** Inserts or replaces. */
  put(factor: SecondFactor): Promise<void>;
  find(userId: string): Promise<SecondFactor | null>;
  /** Removes it with the recovery codes. False when there was none. */
  remove(userId: string): Promise<boolean>;
  /** False when this step, or a later one, was taken before: of several at once one gets true. */
  takeStep(userId: string, step: number): Promise<boolean>;
  replaceRecoveryCodes(userId: string, hashes: readonly string[]): Promise<void>;
  /** Removes the code. False when there is no such code: of several at once one gets true. */
  takeRecoveryCode(userId: string, hash: string): Promise<boolean>;
  countRecoveryCodes(userId: string): Promise<number>;
  /** The users who have one. */
  listUserIds(): Promise<string[]>;
}

export type Passkey = {
  /** The authenticator's own id, in base64url. */
  id: string;
  userId: string;
  name: string;
  /** COSE, in base64url. */
  publicKey: string;
  /** How often the authenticator says it has signed; 0 where it does not count. */
  counter: number;
  transports: readonly string[];
  createdAt: number;
  lastUsedAt: number | null;
};

export interface PasskeyRecords {
  /** An existing id is `name_taken`. */
  insert(passkey: Passkey): Promise<void>;
  find(id: string): Promise<Passkey | null>;
  /** Oldest first. */
  listOfUser(userId: string): Promise<Passkey[]>;
  recordUse(id: string, use: { counter: number; usedAt: number }): Promise<void>;
  /** False when the user has none of this id. */
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
  /** A subject that is linked already is `name_taken`. */
  insert(identity: Identity): Promise<void>;
  findBySubject(issuer: string, subject: string): Promise<Identity | null>;
  /** Oldest first. */
  listOfUser(userId: string): Promise<Identity[]>;
  recordUse(id: string, usedAt: number): Promise<void>;
  /** False when the user has none of this id. */
  remove(userId: string, id: string): Promise<boolean>;
}

export interface SpentTickets {
  /** True the first time, and false ever after: of several at once one gets true. */
  spend(hash: string, expiresAt: number): Promise<boolean>;
  removeExpired(before: number): Promise<void>;
}
