/** The layout of the metadata database: its tables and migrations. */
import type { Layout } from '@tapedeck/metadata-database';
import { installationFacts } from './migrations/0011_installation.ts';
import { derivedCredentials } from './migrations/0012_derived_credentials.ts';
import { rateWindows } from './migrations/0013_rate_windows.ts';
import { listedTimes } from './migrations/0014_listed_times.ts';
import { logDeletions } from './migrations/0015_log_deletions.ts';
import { resumableUploads } from './migrations/0016_resumable_uploads.ts';
import { alerting } from './migrations/0017_alerting.ts';
import { signInMethods } from './migrations/0018_sign_in_methods.ts';
import { logSegments } from './migrations/0019_log_segments.ts';
import { storageDays } from './migrations/0020_storage_days.ts';
import { channelHolds } from './migrations/0021_channel_holds.ts';
import { journalWriters } from './migrations/0022_journal_writers.ts';
import { nodes } from './migrations/0023_nodes.ts';
import { verifiedEmails } from './migrations/0024_verified_emails.ts';
import { tokenMakers } from './migrations/0025_token_makers.ts';
import { uploadKeys } from './migrations/0026_upload_keys.ts';
import { alertSeverities } from './migrations/0027_alert_severities.ts';
import { library } from './migrations/0028_library.ts';
import { issueDecisions } from './migrations/0029_issue_decisions.ts';
import { privateFiles } from './migrations/0030_private_files.ts';
import { notesAndLinks } from './migrations/0031_notes_and_links.ts';
import { sentHashes } from './migrations/0032_sent_hashes.ts';
import { folderMoves } from './migrations/0033_folder_moves.ts';
import { type Schema, saved, unsaved } from './schema.ts';

export const layout: Layout<Schema> = {
  program: 'Tapedeck',
  tables: saved,
  unsaved,
  // Databases from before 0.1.0 can be upgraded: 15a7a76 is at 10, and 91741732 at 23.
  oldestVersion: 10,
  stepsKnownToAll: channelHolds.version,
  migrations: [
    installationFacts,
    derivedCredentials,
    rateWindows,
    listedTimes,
    logDeletions,
    resumableUploads,
    alerting,
    signInMethods,
    logSegments,
    storageDays,
    channelHolds,
    journalWriters,
    nodes,
    verifiedEmails,
    tokenMakers,
    uploadKeys,
    alertSeverities,
    library,
    issueDecisions,
    privateFiles,
    notesAndLinks,
    sentHashes,
    folderMoves,
  ],
};
