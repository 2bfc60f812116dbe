/** Tables of files: their records, the trash, and the rows by which files are listed, counted and found. */
import {
  describeTable,
  flag,
  initially,
  integer,
  internal,
  json,
  key,
  named,
  optional,
  refersTo,
  seconds,
  text,
  word,
} from '@tapedeck/metadata-database';
import type { PlaceSecret } from '../../../domain/ports/fileMoves.ts';
import type { StoredFile } from '../../../domain/ports/files.ts';
import type { FileVisibility, MediaType } from '../../../vocabulary.ts';

export const files = describeTable(
  'files',
  {
    id: key(text),
    project: refersTo('projects.slug'),
    /** The file's place in the order of the project's uploads. */
    position: internal(integer),
    key: text,
    path: text,
    filename: text,
    filename_folded: internal(text),
    type: word<MediaType>(),
    mime_type: text,
    size_bytes: integer,
    sha256: text,
    metadata: json<StoredFile['metadata']>(),
    retention_exempt: flag,
    width: optional(integer),
    height: optional(integer),
    duration_ms: named('durationSeconds', optional(seconds)),
    created_at: integer,
    /** Never less than that of the file before it; null: as `created_at`. */
    listed_at: optional(integer),
    /** null: as the rules of the project say of its folder. */
    visibility: optional(word<FileVisibility>()),
    /** The secret in the place of its bytes; null: a public place. */
    blob_secret: optional(text),
    /** Of the bytes as they were sent, where places were removed from them; null: `sha256`. */
    sent_sha256: optional(text),
  },
  {
    files_by_position: { columns: ['project', 'position'], isUnique: true },
    // Searching names reads this index alone, in the order of pages.
    files_by_name: ['project', 'position', 'filename_folded'],
    files_by_key: { columns: ['project', 'key'], isUnique: true },
    files_by_age: ['project', 'created_at', 'id'],
  },
);

/** Whole rows of `files`, out of reach of everything that reads files: `row` is one as JSON. */
export const trashedFiles = describeTable(
  'trashed_files',
  {
    id: key(text),
    project: refersTo('projects.slug'),
    position: integer,
    key: text,
    created_at: integer,
    trashed_at: integer,
    row: text,
  },
  {
    trashed_files_by_position: ['project', 'position'],
    trashed_files_by_key: ['project', 'key'],
    trashed_files_by_age: ['project', 'created_at', 'id'],
    trashed_files_by_end: ['project', 'trashed_at', 'id'],
  },
);

/** `position` is the place of the file that was changed, trashed, restored or removed. Uploads need no row: their positions rise. */
export const fileChanges = describeTable('file_changes', {
  project: key(text),
  change: key(integer),
  position: integer,
});

/** Files whose bytes are on their way: all places where they may lie, and the end of a claim. */
export const fileMoves = describeTable(
  'file_moves',
  {
    file_id: key(text),
    secrets: json<readonly PlaceSecret[]>(),
    marks: integer,
    due_at: named('claimedUntil', integer),
  },
  { file_moves_by_due: ['due_at'] },
);

/**
 * Moves of folders, also those that have ended, for a while. `holder` is the process that works on it, '' where none does; `type` is
 * null for all types, `told` says that somebody has heard of its end, and `tries` counts those in a row that moved nothing.
 */
export const folderMoves = describeTable(
  'folder_moves',
  {
    id: key(text),
    project: refersTo('projects.slug'),
    source: named('from', text),
    target: named('to', text),
    type: optional(word<MediaType>()),
    asker_kind: word<'token' | 'user'>(),
    asker_id: text,
    created_at: integer,
    total: integer,
    moved: integer,
    failed: integer,
    reasons: json<readonly string[]>(),
    tries: integer,
    holder: text,
    held_until: integer,
    ended_at: optional(integer),
    told: named('isTold', flag),
  },
  { folder_moves_by_project: ['project', 'created_at'] },
);

/** A row for each folder above a file, the project's own included, so that a folder's files are one range of one index, in order. */
export const fileFolders = describeTable(
  'file_folders',
  { project: key(text), folder: key(text), position: key(integer), type: word<MediaType>() },
  { file_folders_by_type: ['project', 'folder', 'type', 'position'] },
);

export const fileCounts = describeTable('file_counts', {
  project: key(text),
  folder: key(text),
  bucket: key(integer),
  type: key(word<MediaType>()),
  files: integer,
  bytes: initially(0, integer),
});

/** `files` and `bytes` count what lies in the trash as well. Absent numbers are zeros. */
export const fileUsage = describeTable('file_usage', {
  project: key(text),
  last_position: integer,
  files: integer,
  bytes: integer,
  last_change: optional(integer),
  trashed_files: optional(integer),
  trashed_bytes: optional(integer),
});

/** `day` counts from 1970-01-01, in UTC. */
export const fileDays = describeTable('file_days', {
  project: key(text),
  day: key(integer),
  files: integer,
  bytes: integer,
});

/** Bytes that were stored when the day was first looked at. */
export const storageDays = describeTable('storage_days', {
  project: key(text),
  day: key(integer),
  at: integer,
  image: integer,
  video: integer,
  audio: integer,
  logs: integer,
});

/** `entry` is the hash of path and value: equality is all that is asked, and values may be long. */
export const fileMetadata = describeTable(
  'file_metadata',
  { project: key(text), entry: key(text), position: key(integer) },
  { file_metadata_by_position: ['project', 'position'] },
);

/** `file` is the record that was removed. */
export const fileRemovals = describeTable(
  'file_removals',
  { file_id: key(internal(text)), removed_at: integer, file: json<StoredFile>() },
  { file_removals_by_age: ['removed_at', 'file_id'] },
);

export const presignedUses = describeTable(
  'presigned_uses',
  { token_id: key(text), uses: integer, expires_at: integer },
  { presigned_uses_by_end: ['expires_at'] },
);

/** Idempotency-Keys of uploads, and the file that each stored. */
export const uploadKeys = describeTable(
  'upload_keys',
  { scope_hash: key(text), content_hash: text, file_id: text, expires_at: integer },
  { upload_keys_by_end: ['expires_at'] },
);

/** `maker_id` is a user. */
export const uploadLinks = describeTable(
  'upload_links',
  {
    id: key(text),
    project: refersTo('projects.slug'),
    maker_id: text,
    path: text,
    type: optional(word<MediaType>()),
    uses_max: integer,
    created_at: integer,
    expires_at: integer,
  },
  { upload_links_by_maker: ['project', 'maker_id', 'created_at'] },
);

/** `holder` is '' where nobody has it. */
export const resumableUploads = describeTable(
  'resumable_uploads',
  {
    id: key(text),
    project: text,
    maker: text,
    fields: text,
    metadata_header: text,
    length_bytes: optional(integer),
    size_bytes: integer,
    /** Bytes charged to the project's quota: none once it is a file. */
    charged_bytes: internal(integer),
    expires_at: integer,
    holder: internal(text),
    held_until: internal(integer),
    /** null while it goes on. */
    file_id: named('result', optional(text)),
  },
  { resumable_uploads_by_project: ['project'], resumable_uploads_by_expires_at: ['expires_at'] },
);
