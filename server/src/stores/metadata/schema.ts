/** Row types of the metadata store's tables. */
import type { Database, Migration } from '@tapedeck/metadata-database';
import type { Kysely } from 'kysely';
import type { MediaType, Role, SignInMethod, TokenKind } from '../../vocabulary.ts';
import type { ChannelRow, DeliveryRow, RuleChangeRow, RuleMemoryRow, RuleRow } from './alerting/rows.ts';
import type * as files from './fileRows.ts';
import type { Flag } from './flags.ts';
import type * as waysIn from './identity/rows.ts';
import type * as logRows from './logRows.ts';
import type { NodeRow } from './nodes.ts';

export type { FileRow, TrashedFileRow } from './fileRows.ts';

/** One row, id 1: the number of the last change to projects and tokens. */
type AccessRevisionRow = { id: number; revision: number };

type UploadKeyRow = { scope_hash: string; content_hash: string; file_id: string; expires_at: number };

export type ProjectRow = {
  slug: string;
  name: string;
  cdn_domain: string | null;
  cdn_enabled: Flag;
  retention: string;
  log_retention: string;
  bytes_max: number | null;
  files_max: number | null;
  created_at: number;
  deleted_at: number | null;
  revision: number;
  /** Settings of the library; null: none of them was ever set. */
  library: string | null;
};

export type TokenRow = {
  id: string;
  project: string;
  kind: TokenKind;
  name: string;
  prefix: string;
  hash: string;
  scopes: string;
  created_at: number;
  created_by: string;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  /** The token that minted it; null: a person did, or the command line. */
  maker_id: string | null;
  maker_user_id: string | null;
  revision: number;
};

export type UserRow = {
  id: string;
  email: string;
  name: string;
  password_hash: string;
  is_owner: Flag;
  created_at: number;
  verified_email: string | null;
};

export type MembershipRow = { user_id: string; project: string; role: Role };

export type SignInSessionRow = {
  hash: string;
  user_id: string;
  created_at: number;
  expires_at: number;
  address: string;
  user_agent: string;
  /** null: of the version before. */
  way: SignInMethod | null;
};

type SignInFailuresRow = { key: string; failures: number; last_failed_at: number };

export type AuditRow = {
  id: string;
  at: number;
  /** Tells entries of the same millisecond apart, in the order in which they were appended. */
  position: number;
  actor: string;
  project: string | null;
  action: string;
  target: string;
  details: string;
};

type LeaseRow = { name: string; holder: string; expires_at: number };

type PresignedUseRow = { token_id: string; uses: number; expires_at: number };

/** `identity` is a JSON array: the type, then what the session is of; `token_id` is the token that opened it. */
export type SdkSessionRow = {
  id: string;
  project: string;
  identity: string;
  token_id: string;
  created_at: number;
  refreshed_at: number;
  expires_at: number;
};

/** The tokens that reported a session, in their order. */
type SdkSessionTokenRow = { session_id: string; token_id: string; position: number };

export type IssueDecisionRow = {
  project: string;
  pattern: string;
  state: 'resolved' | 'ignored';
  decided_at: number;
  decided_by: string;
};

export type LogViewRow = {
  id: string;
  project: string;
  name: string;
  query: string;
  created_at: number;
  created_by: string;
};

export type SubjectNoteRow = {
  id: string;
  project: string;
  kind: string;
  /** The id of the subject. */
  subject: string;
  text: string;
  created_at: number;
  /** A user, who may be deleted by now. */
  author_id: string;
  author_name: string;
  edited_at: number | null;
};

export type UploadLinkRow = {
  id: string;
  project: string;
  /** A user. */
  maker_id: string;
  path: string;
  type: MediaType | null;
  uses_max: number;
  created_at: number;
  expires_at: number;
};

/** `granted`: to the last claim. */
export type RateWindowRow = { token_id: string; started_at: number; requests: number; granted: number };

/** Texts by name; `domain/operations/installation.ts` says which. */
type InstallationFactRow = { name: string; value: string };

/** `holder` is '' where nobody has it, `file_id` null while it goes on. */
export type ResumableUploadRow = {
  id: string;
  project: string;
  maker: string;
  fields: string;
  metadata_header: string;
  length_bytes: number | null;
  size_bytes: number;
  charged_bytes: number;
  expires_at: number;
  holder: string;
  held_until: number;
  file_id: string | null;
};

export type Schema = {
  access_revision: AccessRevisionRow;
  projects: ProjectRow;
  tokens: TokenRow;
  users: UserRow;
  memberships: MembershipRow;
  sign_in_sessions: SignInSessionRow;
  sign_in_failures: SignInFailuresRow;
  audit_entries: AuditRow;
  leases: LeaseRow;
  files: files.FileRow;
  trashed_files: files.TrashedFileRow;
  file_changes: files.FileChangeRow;
  file_moves: files.FileMoveRow;
  file_folders: files.FileFolderRow;
  file_counts: files.FileCountRow;
  file_usage: files.FileUsageRow;
  file_days: files.FileDayRow;
  storage_days: files.StorageDayRow;
  file_metadata: files.FileMetadataRow;
  file_removals: files.FileRemovalRow;
  presigned_uses: PresignedUseRow;
  sdk_sessions: SdkSessionRow;
  sdk_session_tokens: SdkSessionTokenRow;
  log_views: LogViewRow;
  issue_decisions: IssueDecisionRow;
  subject_notes: SubjectNoteRow;
  upload_links: UploadLinkRow;
  key_claims: logRows.KeyClaimRow;
  installation_facts: InstallationFactRow;
  rate_windows: RateWindowRow;
  log_deletions: logRows.LogDeletionRow;
  resumable_uploads: ResumableUploadRow;
  upload_keys: UploadKeyRow;
  channels: ChannelRow;
  rules: RuleRow;
  rule_watches: RuleMemoryRow;
  rule_changes: RuleChangeRow;
  deliveries: DeliveryRow;
  invitations: waysIn.InvitationRow;
  second_factors: waysIn.SecondFactorRow;
  recovery_codes: waysIn.RecoveryCodeRow;
  passkeys: waysIn.PasskeyRow;
  identities: waysIn.IdentityRow;
  spent_tickets: waysIn.SpentTicketRow;
  log_segments: logRows.LogSegmentRow;
  nodes: NodeRow;
  journal_writers: logRows.JournalWriterRow;
};

export type Queries = Kysely<Schema>;
export type MetadataDatabase = Database<Schema>;
export type MetadataMigration = Migration<Schema>;
