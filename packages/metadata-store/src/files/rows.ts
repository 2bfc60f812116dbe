/** Converts a file to rows: its record, parent folders, bucket, day and metadata entries, and its event for channels. */
import { hash } from 'node:crypto';
import { dayMs } from '@tapedeck/domain/instants';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import { foldCase } from '@tapedeck/values/case-folding';
import { listLeaves } from '@tapedeck/values/json';
import type { FileRow } from '../schema.ts';
import { files } from '../tables/files.ts';

export function dayOf(createdAt: number): number {
  return Math.floor(createdAt / dayMs);
}

/** Leaves out the columns that depend on earlier files. */
export function buildFileRow(file: StoredFile): Omit<FileRow, 'position' | 'listed_at'> {
  return { ...files.compose(file), filename_folded: foldCase(file.filename) };
}

export function parseFile(row: FileRow): StoredFile {
  const file = files.parse(row);
  return Object.assign(file, { listedAt: file.listedAt ?? file.createdAt });
}

/** Writes the event as JSON, without the file's internal fields. */
export function writeFileEvent(type: 'file.created' | 'file.deleted', file: StoredFile, at: number): string {
  const {
    project,
    listedAt: _listed,
    retentionExempt: _exempt,
    visibility: _seen,
    blobSecret: _secret,
    sentSha256: _sent,
    createdAt,
    ...shared
  } = file;
  const shown = { ...shared, createdAt: new Date(createdAt).toISOString() };
  return JSON.stringify({ type, at, project, url: '', file: shown });
}

/** `a/b` lies in `a/b`, in `a`, and in the project's root folder, whose name is empty. */
export function listFolders(path: string): string[] {
  if (path === '') return [''];
  const segments = path.split('/');
  return ['', ...segments.map((_, index) => segments.slice(0, index + 1).join('/'))];
}

/** Returns the key for looking up a value at a path. */
export function nameMetadataEntry(path: string, value: string): string {
  return hash('sha256', `${path}\0${value}`, 'base64url');
}

/** A path and value that occur twice make one entry. */
export function listMetadataEntries(metadata: StoredFile['metadata']): string[] {
  const leaves = listLeaves(metadata);
  return [...new Set(leaves.map(([path, text]) => nameMetadataEntry(path, text)))];
}
