/** Port to the metadata store: projects, tokens and users, and what each call promises. */

import type {
  ChannelRecords,
  DeliveryRecords,
  NotificationRecords,
  OutboxRecords,
  RuleMemories,
  RuleRecords,
} from '@tapedeck/alerting';
import type { RateWindows } from '@tapedeck/concurrency/rate-budgets';
import type { ExportedRow } from '@tapedeck/metadata-database';
import type { Role, SignInMethod, TokenKind } from '../../vocabulary.ts';
import type { LibrarySettings } from '../files/librarySettings.ts';
import type { MediaRetention } from '../files/retention.ts';
import type { SubjectSettings } from '../subjects/kinds.ts';
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
import type { LogDeletions } from './logDeletions.ts';
import type { SegmentRegistry } from './logSegments.ts';
import type { NodeRecords } from './nodes.ts';
import type { ResumableUploadRecords } from './resumableUploads.ts';
import type { SdkSessions } from './sdkSessions.ts';
import type { StorageDays } from './storageDays.ts';
import type { SubjectNotes } from './subjectNotes.ts';
import type { UploadLinks } from './uploadLinks.ts';

/** Instants are Unix milliseconds; ids are 20 characters `[0-9A-Za-z]`; hashes are SHA-256 in base64url. */
export type Project = LibrarySettings &
  SubjectSettings & {
    /** Immutable: stands in URLs and tokens. Never given to another project, not even after deletion. */
    slug: string;
    name: string;
    cdnDomain: string | null;
    cdnEnabled: boolean;
    retention: MediaRetention;
    /** Days by dataset; one that is not named keeps for ever. */
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
  /** The first characters of the token, to recognise it by. */
  prefix: string;
  hash: string;
  /** Scopes as written: `read`, `type:image`, `path:clips`, `dataset:game`. An empty list narrows nothing. */
  scopes: readonly string[];
  createdAt: number;
  createdBy: string;
  expiresAt: number | null;
  lastUsedAt: number | null;
  revokedAt: number | null;
  /** The token that minted it, with whose revocation it ends; null: a person made it, or the command line. */
  makerId: string | null;
  /** The user who made it; null: a token did, the command line, or a user of a version that did not write it down. */
  makerUserId: string | null;
};

export type User = {
  id: string;
  /** Lower case; unique. */
  email: string;
  /**
   * The address that somebody has vouched for: an owner, the machine's command line, or a sign-in provider. Another than `email` counts
   * for nothing, so that a program which changes one alone leaves the user unverified.
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
  /** Hash of the secret in the browser, which is stored nowhere. */
  hash: string;
  userId: string;
  createdAt: number;
  expiresAt: number;
  address: string;
  userAgent: string;
  /** How it was opened; null: nobody wrote it down. */
  way: SignInMethod | null;
};

export type SignInFailures = { key: string; failures: number; lastFailedAt: number };

export type AuditEntry = {
  id: string;
  at: number;
  /** The actor in words: `user a@b.example`, `token 3fXk… (deploy)`, `command line`. */
  actor: string;
  /** null: it concerns the installation. */
  project: string | null;
  /** Verb and noun, `token.create`. */
  action: string;
  target: string;
  details: Readonly<Record<string, unknown>>;
};

export interface ProjectRecords {
  /** An existing slug, deleted or not, is `name_taken`. */
  insert(project: Project): Promise<void>;
  /** Replaces everything but the slug and `createdAt`. */
  update(project: Project): Promise<void>;
  /** Deleted ones included. */
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
  /** Newest first, revoked ones left out; of one project, or of all with null. */
  list(project: string | null): Promise<Token[]>;
  /**
   * Revokes the tokens, all that they minted, and what those minted, and ends the reporting sessions that these reported.
   * Answers the ids of those that were not revoked before.
   */
  revoke(ids: readonly string[], at: number): Promise<string[]>;
  /** Moves `lastUsedAt` forward, never back. Changes no revision. */
  recordUses(uses: readonly { id: string; usedAt: number }[]): Promise<void>;
}

export interface UserRecords {
  /** An existing e-mail address is `name_taken`. */
  insert(user: User): Promise<void>;
  /** Replaces name, e-mail, password hash and ownership. */
  update(user: User): Promise<void>;
  /** Removes the user with memberships and sessions. False when there was none. */
  remove(id: string): Promise<boolean>;
  find(id: string): Promise<User | null>;
  findByEmail(email: string): Promise<User | null>;
  /** Lists users by e-mail address. */
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
  /** Ends all sessions of a user, except the given one. */
  removeSessionsOfUser(userId: string, keepHash: string | null): Promise<void>;
  listSessionsOfUser(userId: string): Promise<SignInSession[]>;
  findFailures(key: string): Promise<SignInFailures | null>;
  putFailures(failures: SignInFailures): Promise<void>;
  removeFailures(key: string): Promise<void>;
  /** Forgets sessions that ended before, and failures last seen before, these instants. */
  removeStale(before: { sessionsEndedAt: number; failuresSeenAt: number }): Promise<void>;
}

export interface AuditRecords {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first, of one project or (null) of the whole installation; `beforeId` continues a page. */
  list(query: { project: string | null; beforeId: string | null; limit: number }): Promise<AuditEntry[]>;
}

type Lease = { name: string; holder: string; expiresAt: number };

export interface LeaseRecords {
  /** True when `holder` holds the lease `name` until `expiresAt`: it was free, had run out by `now`, or was theirs. */
  acquire(lease: Lease, now: number): Promise<boolean>;
  /** The last holder; its lease may have expired. */
  find(name: string): Promise<Omit<Lease, 'name'> | null>;
  /** Hands leases of the former holder to a new one. */
  hand(lease: Lease, former: string): Promise<void>;
  release(name: string, holder: string): Promise<void>;
}

/** A search of logs with a name. */
export type LogView = {
  id: string;
  project: string;
  /** Unique in its project. */
  name: string;
  /** The parameters of the search, as its address has them. */
  query: string;
  createdAt: number;
  createdBy: string;
};

export interface LogViewRecords {
  /** A name that the project has already is `name_taken`. */
  insert(view: LogView): Promise<void>;
  /** Updates name and query. Throws `name_taken` if another view has the name. */
  update(view: LogView): Promise<void>;
  /** False when there was none. */
  remove(id: string): Promise<boolean>;
  find(id: string): Promise<LogView | null>;
  /** Lists views by name. */
  list(project: string): Promise<LogView[]>;
}

/** All that is kept, seen from inside one transaction or outside of any. */
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
  told: NotificationRecords;
  invitations: InvitationRecords;
  secondFactors: SecondFactorRecords;
  passkeys: PasskeyRecords;
  identities: IdentityRecords;
  spentTickets: SpentTickets;
  storageDays: StorageDays;
  nodes: NodeRecords;
};

/** Changes in projects and tokens after a revision, enough to keep a copy in memory current. */
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
  /** Reads outside of a transaction; each sees every write acknowledged before it. */
  readonly read: Records;
  /** One transaction: all of the work or, when it throws, nothing. Resolves once it survives a power cut. */
  write<T>(work: (records: Records) => Promise<T>): Promise<T>;
  /** Like `write`, and goes on in what is kept in reserve when the disk is full: for signing in and out. */
  writeFromReserve<T>(work: (records: Records) => Promise<T>): Promise<T>;
  /**
   * Like `writeFromReserve`, and these run one after another over all nodes, so that what they read stays true until they end.
   * Gives the next revision to every project and token they insert or change.
   */
  manage<T>(work: (records: Records) => Promise<T>): Promise<T>;
  /** Everything with a revision above the given one (0: everything), from one consistent view. Deleted and revoked too. */
  readAccessChanges(sinceRevision: number): Promise<AccessChanges>;
  /** Rejects when the database does not answer, or takes no changes. */
  ping(): Promise<void>;
  /** Every row of every table from one consistent view, in an order in which they can be inserted again. */
  exportRows(): AsyncIterable<ExportedRow>;
  /** The file that an exported row records; null: it records something else. */
  readExportedFile(exported: ExportedRow): StoredFile | null;
  /** Fills an empty database with exported rows, all or nothing. A database that holds anything is an error. */
  importRows(rows: AsyncIterable<ExportedRow>): Promise<void>;
}
