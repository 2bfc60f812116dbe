/** Tables of files: records, the trash, and the rows by which files are listed, counted and found. */

import type { BlobSecret } from '@tapedeck/domain/ports/fileMoves';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import type { FileVisibility, MediaType } from '@tapedeck/domain/vocabulary';
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
    /** Never less than the previous file's; null means `created_at`. */
    listed_at: optional(integer),
    /** null: the project's rules for its folder apply. */
    visibility: optional(word<FileVisibility>()),
    /** The secret in the place of its bytes; null for a public place. */
    blob_secret: optional(text),
    /** The hash of the bytes as sent, if locations were removed from them; null means `sha256`. */
    sent_sha256: optional(text),
  },
  {
    files_by_position: { columns: ['project', 'position'], isUnique: true },
    // Name searches read only this index, in page order.
    files_by_name: ['project', 'position', 'filename_folded'],
    files_by_key: { columns: ['project', 'key'], isUnique: true },
    files_by_age: ['project', 'created_at', 'id'],
  },
);

/** Whole rows of `files` as JSON in `row`, where no other query finds them. */
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

/** `position` is the place of the file that was changed, trashed, restored or removed. Uploads need no row, because their positions rise. */
export const fileChanges = describeTable('file_changes', {
  project: key(text),
  change: key(integer),
  position: integer,
});

/** Files whose bytes are moving: all places where they may lie, and when the claim ends. */
export const fileMoves = describeTable(
  'file_moves',
  {
    file_id: key(text),
    secrets: json<readonly BlobSecret[]>(),
    marks: integer,
    due_at: named('claimedUntil', integer),
  },
  { file_moves_by_due: ['due_at'] },
);

/**
 * Folder moves, including ended ones for a while. `holder` is the process that works on it, or ''. `type` is null for all types.
 * `told` says that the end was reported. `tries` counts attempts in a row that moved nothing.
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

/** One row per folder above a file, including the project's root, so that a folder's files are one range of one index, in order. */
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

/** `files` and `bytes` include the trash. Missing numbers are zeros. */
export const fileUsage = describeTable('file_usage', {
  project: key(text),
  last_position: integer,
  files: integer,
  bytes: integer,
  last_change: optional(integer),
  trashed_files: optional(integer),
  trashed_bytes: optional(integer),
});

/** `day` counts from 1970-01-01 in UTC. */
export const fileDays = describeTable('file_days', {
  project: key(text),
  day: key(integer),
  files: integer,
  bytes: integer,
});

/** Bytes stored when the day was first recorded. */
export const storageDays = describeTable('storage_days', {
  project: key(text),
  day: key(integer),
  at: integer,
  image: integer,
  video: integer,
  audio: integer,
  logs: integer,
});

/** `entry` is the hash of path and value, because queries only test equality and values may be long. */
export const fileMetadata = describeTable(
  'file_metadata',
  { project: key(text), entry: key(text), position: key(integer) },
  { file_metadata_by_position: ['project', 'position'] },
);

/** `file` is the removed record. */
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

/** `holder` is '' if no request holds the upload. */
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
    /** Bytes charged to the project's quota; none once it is a file. */
    charged_bytes: internal(integer),
    expires_at: integer,
    holder: internal(text),
    held_until: internal(integer),
    /** null while in progress. */
    file_id: named('result', optional(text)),
  },
  { resumable_uploads_by_project: ['project'], resumable_uploads_by_expires_at: ['expires_at'] },
);
