/** Row types of the metadata store's tables. */
import type { Database, Migration } from '@tapedeck/metadata-database';
import type { Kysely } from 'kysely';
import type {
  ChannelKind,
  DeliveryState,
  FileVisibility,
  MediaType,
  Role,
  SignInMethod,
  TokenKind,
} from '../../vocabulary.ts';
import type * as waysIn from './identity/rows.ts';
import type * as logRows from './logRows.ts';
import type { NodeRow } from './nodes.ts';

/** Flags are 0 or 1, instants Unix milliseconds, JSON text: the same in both dialects, so rows travel unchanged. */
type Flag = 0 | 1;

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

export type FileRow = {
  id: string;
  project: string;
  /** Its place in the order of the project's uploads. */
  position: number;
  key: string;
  path: string;
  filename: string;
  filename_folded: string;
  type: MediaType;
  mime_type: string;
  size_bytes: number;
  sha256: string;
  metadata: string;
  retention_exempt: Flag;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  created_at: number;
  /** Never less than that of the file before it; null: as `created_at`. */
  listed_at: number | null;
  /** null: as the rules of the project say of its folder. */
  visibility: FileVisibility | null;
};

/** `row` is the `FileRow`, as JSON. */
export type TrashedFileRow = Pick<FileRow, 'id' | 'project' | 'position' | 'key' | 'created_at'> & {
  trashed_at: number;
  row: string;
};

/** `position` is the place of the file that was changed, trashed, restored or removed. */
type FileChangeRow = { project: string; change: number; position: number };

type FileFolderRow = { project: string; folder: string; position: number; type: MediaType };
type FileCountRow = Pick<FileFolderRow, 'project' | 'folder' | 'type'> & FileSums & { bucket: number };
type FileSums = { files: number; bytes: number };
/** `files` and `bytes` count what lies in the trash as well. Absent numbers are zeros. */
type FileUsageRow = {
  project: string;
  last_position: number;
  last_change: number | null;
  trashed_files: number | null;
  trashed_bytes: number | null;
} & FileSums;
/** `day` counts from 1970-01-01, in UTC. */
type FileDayRow = { project: string; day: number } & FileSums;
/** Bytes that were stored when the day was first looked at. */
type StorageDayRow = { project: string; day: number; at: number; logs: number } & Record<MediaType, number>;
/** `entry` is the hash of path and value. */
type FileMetadataRow = { project: string; entry: string; position: number };
/** `file` is the record that was removed, as JSON. */
type FileRemovalRow = { file_id: string; removed_at: number; file: string };
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

export type LogViewRow = {
  id: string;
  project: string;
  name: string;
  query: string;
  created_at: number;
  created_by: string;
};

/** `granted`: to the last claim. */
export type RateWindowRow = { token_id: string; started_at: number; requests: number; granted: number };

/** Texts by name; `domain/operations/installation.ts` says which. */
type InstallationFactRow = { name: string; value: string };

export type ChannelRow = {
  id: string;
  project: string;
  name: string;
  kind: ChannelKind;
  target: string;
  events: string;
  severities: string | null;
  secret: string | null;
  former_secret: string | null;
  former_secret_until: number | null;
  failing_since: number | null;
  held_until: number | null;
  off_at: number | null;
  off_reason: string | null;
  created_at: number;
  created_by: string;
};

export type RuleRow = {
  id: string;
  project: string;
  name: string;
  enabled: Flag;
  condition: string;
  query: string;
  dataset: string | null;
  by: string | null;
  window_seconds: number;
  channels: string;
  severity: string | null;
  muted_until: number | null;
  generation: number;
  created_at: number;
  created_by: string;
};

/** `memory` is what nothing is asked of but the whole. */
export type RuleMemoryRow = {
  rule: string;
  generation: number;
  judged_at: number;
  memory: string;
  trouble: string | null;
};

export type RuleChangeRow = {
  id: string;
  rule: string;
  project: string;
  kind: 'fired' | 'resolved' | 'acknowledged';
  at: number;
  value: string;
  count: number;
  is_muted: Flag;
  actor: string | null;
  entries: string | null;
};

export type DeliveryRow = {
  id: string;
  project: string;
  channel: string;
  rule: string | null;
  type: string;
  message_id: string;
  event: string;
  state: DeliveryState;
  due_at: number;
  attempts: string;
  created_at: number;
  ended_at: number | null;
};

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
  files: FileRow;
  trashed_files: TrashedFileRow;
  file_changes: FileChangeRow;
  file_folders: FileFolderRow;
  file_counts: FileCountRow;
  file_usage: FileUsageRow;
  file_days: FileDayRow;
  storage_days: StorageDayRow;
  file_metadata: FileMetadataRow;
  file_removals: FileRemovalRow;
  presigned_uses: PresignedUseRow;
  sdk_sessions: SdkSessionRow;
  sdk_session_tokens: SdkSessionTokenRow;
  log_views: LogViewRow;
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
