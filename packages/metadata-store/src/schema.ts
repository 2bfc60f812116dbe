/** Lists all tables, in an order in which they and their rows can be created, and the types of their rows. `tables/` describes them. */
import type { Database, Migration, RowOf, SchemaOf } from '@tapedeck/metadata-database';
import type { Kysely } from 'kysely';
import * as access from './tables/access.ts';
import * as alerting from './tables/alerting.ts';
import * as files from './tables/files.ts';
import * as logs from './tables/logs.ts';
import * as operations from './tables/operations.ts';
import * as people from './tables/people.ts';

/** Tables that a backup holds. A table comes after the tables it references. */
export const saved = [
  access.accessRevision,
  access.projects,
  access.tokens,
  people.users,
  people.memberships,
  people.signInSessions,
  people.signInFailures,
  operations.auditEntries,
  operations.leases,
  files.files,
  files.fileFolders,
  files.fileCounts,
  files.fileUsage,
  files.trashedFiles,
  files.fileDays,
  files.storageDays,
  files.fileMetadata,
  files.fileRemovals,
  files.presignedUses,
  access.sdkSessions,
  access.sdkSessionTokens,
  logs.issueDecisions,
  logs.subjectNotes,
  files.uploadLinks,
  files.folderMoves,
  logs.logViews,
  alerting.channels,
  alerting.rules,
  alerting.ruleWatches,
  alerting.ruleChanges,
  alerting.deliveries,
  people.invitations,
  people.secondFactors,
  people.recoveryCodes,
  people.passkeys,
  people.identities,
  people.spentTickets,
] as const;

/**
 * Tables that belong to this installation and its journals, such as claims on keys and segments in the bucket. Backups leave them out.
 * They move with the installation to another database. They include resumable uploads, because backups leave out their bytes.
 */
export const unsaved = [
  files.fileChanges,
  files.fileMoves,
  files.uploadKeys,
  logs.keyClaims,
  operations.installationFacts,
  access.rateWindows,
  logs.logDeletions,
  files.resumableUploads,
  logs.logSegments,
  logs.journalWriters,
  operations.nodes,
] as const;

export type Schema = SchemaOf<typeof saved> & SchemaOf<typeof unsaved>;

export type FileRow = RowOf<typeof files.files>;
export type TrashedFileRow = RowOf<typeof files.trashedFiles>;

export type Queries = Kysely<Schema>;
export type MetadataDatabase = Database<Schema>;
export type MetadataMigration = Migration<Schema>;
