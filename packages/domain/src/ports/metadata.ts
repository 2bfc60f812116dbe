/** Port to the metadata store: projects, tokens and users, and what each call promises. */

import type {
  AuditEntry,
  ChannelRecords,
  DeliveryRecords,
  NotificationRecords,
  OutboxRecords,
  RuleMemories,
  RuleRecords,
} from '@tapedeck/alerting';
import type { RateWindows } from '@tapedeck/concurrency/rate-budgets';
import type { ExportedRow } from '@tapedeck/metadata-database';
import type { LibrarySettings } from '../files/librarySettings.ts';
import type { MediaRetention } from '../files/retention.ts';
import type { SubjectSettings } from '../subjects/kinds.ts';
import type { Role, SignInMethod, TokenKind } from '../vocabulary.ts';
import type { FileMoves } from './fileMoves.ts';
import type { FileRecords, PresignedUses, StoredFile } from './files.ts';
import type { FolderMoveRecords } from './folderMoves.ts';
import type {
  IdentityRecords,
  InvitationRecords,
  PasskeyRecords,
  SecondFactorRecords,
  SpentTickets,
} from './identity.ts';
import type { InstallationFacts } from './installation.ts';
import type { IssueDecisions } from './issues.ts';
import type { KeyClaims } from './keyClaims.ts';
import type { LogDeletions, SegmentRegistry } from './logs.ts';
import type { NodeRecords } from './nodes.ts';
import type { ResumableUploadRecords } from './resumableUploads.ts';
import type { SdkSessions } from './sdkSessions.ts';
import type { StorageDays } from './storageDays.ts';
import type { SubjectNotes } from './subjectNotes.ts';
import type { UploadLinks } from './uploadLinks.ts';

/** Instants are Unix milliseconds; ids are 20 characters `[0-9A-Za-z]`; hashes are SHA-256 in base64url. */
export type Project = LibrarySettings &
  SubjectSettings & {
    /** Immutable, since URLs and tokens contain it. Never reused, not even after the project is deleted. */
    slug: string;
    name: string;
    cdnDomain: string | null;
    cdnEnabled: boolean;
    retention: MediaRetention;
    /** Days by dataset. Datasets that are not listed are kept forever. */
    logRetention: Readonly<Record<string, number>>;
    bytesMax: number | null;
    filesMax: number | null;
    createdAt: number;
    deletedAt: number | null;
  };

export type Token = {
  id: string;
  project: string;
  kind: TokenKind;
  name: string;
  /** The token's first characters, shown so that people recognise it. */
  prefix: string;
  hash: string;
  /** Scopes as written: `read`, `type:image`, `path:clips`, `dataset:game`. An empty list restricts nothing. */
  scopes: readonly string[];
  createdAt: number;
  createdBy: string;
  expiresAt: number | null;
  lastUsedAt: number | null;
  revokedAt: number | null;
  /** The token that minted this one; revoking it revokes this one too. null: a person or the command line made it. */
  makerId: string | null;
  /** The user who made it. null: a token or the command line made it, or an older version did not record the user. */
  makerUserId: string | null;
};

export type User = {
  id: string;
  /** Lower case; unique. */
  email: string;
  /**
   * The address that an owner, the command line or a sign-in provider confirmed. The user counts as verified only while it equals `email`: a
   * program that changes `email` alone leaves the user unverified.
   */
  verifiedEmail: string | null;
  name: string;
  passwordHash: string;
  /** Owns the whole installation: role `owner` in every project, and the users. */
  isOwner: boolean;
  createdAt: number;
};

export type Membership = { userId: string; project: string; role: Role };

export type SignInSession = {
  /** Hash of the session secret. Only the browser has the secret. */
  hash: string;
  userId: string;
  createdAt: number;
  expiresAt: number;
  address: string;
  userAgent: string;
  /** How the user signed in; null: not recorded. */
  way: SignInMethod | null;
};

export type SignInFailures = { key: string; failures: number; lastFailedAt: number };

export interface ProjectRecords {
  /** Fails with `name_taken` if the slug exists, even if its project is deleted. */
  insert(project: Project): Promise<void>;
  /** Replaces everything but the slug and `createdAt`. */
  update(project: Project): Promise<void>;
  /** Also finds deleted projects. */
  find(slug: string): Promise<Project | null>;
  /** Lists projects by slug, without deleted ones. */
  list(): Promise<Project[]>;
  /** Lists deleted projects by slug. */
  listDeleted(): Promise<Project[]>;
}

export interface TokenRecords {
  /** Fails with `name_taken` if the hash exists. */
  insert(token: Token): Promise<void>;
  find(id: string): Promise<Token | null>;
  /** Newest first, without revoked tokens; null lists all projects. */
  list(project: string | null): Promise<Token[]>;
  /**
   * Revokes the tokens and all tokens minted from them, directly or indirectly, and ends the sessions that any of these reported. Returns the
   * ids of those that were not revoked before.
   */
  revoke(ids: readonly string[], at: number): Promise<string[]>;
  /** Only ever moves `lastUsedAt` forward. Changes no revision. */
  recordUses(uses: readonly { id: string; usedAt: number }[]): Promise<void>;
}

export interface UserRecords {
  /** Fails with `name_taken` if the email address exists. */
  insert(user: User): Promise<void>;
  /** Updates name, email, password hash and ownership. */
  update(user: User): Promise<void>;
  /** Removes the user with memberships and sessions. Returns false if the user does not exist. */
  remove(id: string): Promise<boolean>;
  find(id: string): Promise<User | null>;
  findByEmail(email: string): Promise<User | null>;
  /** Lists users by email address. */
  list(): Promise<User[]>;
  countOwners(): Promise<number>;
}

export interface MembershipRecords {
  /** Sets or replaces the role. */
  put(membership: Membership): Promise<void>;
  remove(userId: string, project: string): Promise<boolean>;
  listOfUser(userId: string): Promise<Membership[]>;
  listOfProject(project: string): Promise<Membership[]>;
}

export interface SignInRecords {
  insertSession(session: SignInSession): Promise<void>;
  findSession(hash: string): Promise<SignInSession | null>;
  extendSession(hash: string, expiresAt: number): Promise<void>;
  removeSession(hash: string): Promise<boolean>;
  /** Ends all sessions of a user, except the one with `keepHash`. */
  removeSessionsOfUser(userId: string, keepHash: string | null): Promise<void>;
  listSessionsOfUser(userId: string): Promise<SignInSession[]>;
  findFailures(key: string): Promise<SignInFailures | null>;
  putFailures(failures: SignInFailures): Promise<void>;
  removeFailures(key: string): Promise<void>;
  /** Removes sessions that ended, and failures last seen, before these instants. */
  removeStale(before: { sessionsEndedAt: number; failuresSeenAt: number }): Promise<void>;
}

export interface AuditRecords {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first; null lists the whole installation's. `beforeId` continues a page. */
  list(query: { project: string | null; beforeId: string | null; limit: number }): Promise<AuditEntry[]>;
}

type Lease = { name: string; holder: string; expiresAt: number };

export interface LeaseRecords {
  /**
   * Returns true if `holder` now has the lease until `expiresAt`: it was free, had expired by `now`, was already theirs, or is one that a wrong
   * clock has written because it ends after `heldUntilMax`.
   */
  acquire(lease: Lease, times: { now: number; heldUntilMax: number }): Promise<boolean>;
  /** The last holder; its lease may have expired. */
  find(name: string): Promise<Omit<Lease, 'name'> | null>;
  /** Passes a lease from its former holder to a new one. */
  hand(lease: Lease, former: string): Promise<void>;
  release(name: string, holder: string): Promise<void>;
}

/** A saved log search. */
export type LogView = {
  id: string;
  project: string;
  /** Unique in its project. */
  name: string;
  /** The search parameters, as in the URL. */
  query: string;
  createdAt: number;
  createdBy: string;
};

export interface LogViewRecords {
  /** Fails with `name_taken` if the project has a view of this name. */
  insert(view: LogView): Promise<void>;
  /** Updates name and query. Throws `name_taken` if another view has the name. */
  update(view: LogView): Promise<void>;
  /** Returns false if there is no such view. */
  remove(id: string): Promise<boolean>;
  find(id: string): Promise<LogView | null>;
  /** Lists views by name. */
  list(project: string): Promise<LogView[]>;
}

/** All records, seen from inside one transaction or outside of any. */
export type Records = {
  projects: ProjectRecords;
  tokens: TokenRecords;
  users: UserRecords;
  memberships: MembershipRecords;
  signIns: SignInRecords;
  audit: AuditRecords;
  leases: LeaseRecords;
  logViews: LogViewRecords;
  issues: IssueDecisions;
  subjectNotes: SubjectNotes;
  uploadLinks: UploadLinks;
  folderMoves: FolderMoveRecords;
  installation: InstallationFacts;
  logDeletions: LogDeletions;
  channels: ChannelRecords;
  rules: RuleRecords;
  watches: RuleMemories;
  deliveries: DeliveryRecords;
  outbox: OutboxRecords;
  notifications: NotificationRecords;
  invitations: InvitationRecords;
  secondFactors: SecondFactorRecords;
  passkeys: PasskeyRecords;
  identities: IdentityRecords;
  spentTickets: SpentTickets;
  storageDays: StorageDays;
  nodes: NodeRecords;
};

/** Changes in projects and tokens after a revision. They suffice to keep a copy in memory current. */
export type AccessChanges = { revision: number; projects: Project[]; tokens: Token[] };

export interface MetadataStore extends AsyncDisposable {
  readonly files: FileRecords;
  readonly presignedUses: PresignedUses;
  readonly resumableUploads: ResumableUploadRecords;
  readonly fileMoves: FileMoves;
  readonly sdkSessions: SdkSessions;
  readonly keyClaims: KeyClaims;
  readonly rateWindows: RateWindows;
  readonly logSegments: SegmentRegistry;
  /** Reads outside of a transaction. Each read sees every write acknowledged before it. */
  readonly read: Records;
  /** Runs the work in one transaction; if it throws, nothing is written. Resolves once the transaction survives a power cut. */
  write<T>(work: (records: Records) => Promise<T>): Promise<T>;
  /** Like `write`, but continues on reserved space when the disk is full, so that users can still sign in and out. */
  writeFromReserve<T>(work: (records: Records) => Promise<T>): Promise<T>;
  /**
   * Like `writeFromReserve`, but only one runs at a time across all nodes, so what it reads stays true until it ends. Gives the next revision
   * to every project and token that the work inserts or changes.
   */
  manage<T>(work: (records: Records) => Promise<T>): Promise<T>;
  /** All projects and tokens with a revision above the given one (0: all), including deleted and revoked ones, from one consistent view. */
  readAccessChanges(sinceRevision: number): Promise<AccessChanges>;
  /** Rejects if the database does not answer or accepts no writes. */
  ping(): Promise<void>;
  /** Yields every row of every table from one consistent view, in an order that can be inserted again. */
  exportRows(): AsyncIterable<ExportedRow>;
  /** Returns the file that an exported row records; null if it records something else. */
  readExportedFile(exported: ExportedRow): StoredFile | null;
  /** Fills an empty database with exported rows, all or nothing. Fails if the database is not empty. */
  importRows(rows: AsyncIterable<ExportedRow>): Promise<void>;
}
