/** Row types of files: records, the trash, folders, counts and what follows from them. */
import type { FileVisibility, MediaType } from '../../vocabulary.ts';

type Flag = 0 | 1;

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
  /** Of the place of its bytes; null: a public one. */
  blob_secret: string | null;
};

/** `secrets` are those of all places where bytes of the file may lie, as JSON; `due_at` is the end of a claim. */
export type FileMoveRow = { file_id: string; secrets: string; marks: number; due_at: number };

/** `row` is the `FileRow`, as JSON. */
export type TrashedFileRow = Pick<FileRow, 'id' | 'project' | 'position' | 'key' | 'created_at'> & {
  trashed_at: number;
  row: string;
};

/** `position` is the place of the file that was changed, trashed, restored or removed. */
export type FileChangeRow = { project: string; change: number; position: number };

export type FileFolderRow = { project: string; folder: string; position: number; type: MediaType };
export type FileCountRow = Pick<FileFolderRow, 'project' | 'folder' | 'type'> & FileSums & { bucket: number };
type FileSums = { files: number; bytes: number };
/** `files` and `bytes` count what lies in the trash as well. Absent numbers are zeros. */
export type FileUsageRow = {
  project: string;
  last_position: number;
  last_change: number | null;
  trashed_files: number | null;
  trashed_bytes: number | null;
} & FileSums;
/** `day` counts from 1970-01-01, in UTC. */
export type FileDayRow = { project: string; day: number } & FileSums;
/** Bytes that were stored when the day was first looked at. */
export type StorageDayRow = { project: string; day: number; at: number; logs: number } & Record<
  MediaType,
  number
>;
/** `entry` is the hash of path and value. */
export type FileMetadataRow = { project: string; entry: string; position: number };
/** `file` is the record that was removed, as JSON. */
export type FileRemovalRow = { file_id: string; removed_at: number; file: string };
