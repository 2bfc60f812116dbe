/** A file as rows: its record, parent folders, bucket, day and metadata entries. */
import { hash } from 'node:crypto';
import { foldCase } from '@tapedeck/values/case-folding';
import { dayMs } from '../../../domain/instants.ts';
import type { StoredFile } from '../../../domain/ports/files.ts';
import type { FileRow } from '../schema.ts';
import { files } from '../tables/files.ts';

/** Positions of one bucket; a deep page passes over buckets by their counts and over at most this many files. */
export const bucketPositions = 1024;

export function dayOf(createdAt: number): number {
  return Math.floor(createdAt / dayMs);
}

/** Without what depends on the files before it. */
export function buildFileRow(file: StoredFile): Omit<FileRow, 'position' | 'listed_at'> {
  return { ...files.compose(file), filename_folded: foldCase(file.filename) };
}

export function parseFile(row: FileRow): StoredFile {
  const file = files.parse(row);
  return Object.assign(file, { listedAt: file.listedAt ?? file.createdAt });
}

/** `a/b` lies in `a/b`, in `a`, and in the project's own folder, whose name is empty. */
export function listFolders(path: string): string[] {
  if (path === '') return [''];
  const segments = path.split('/');
  return ['', ...segments.map((_, index) => segments.slice(0, index + 1).join('/'))];
}

/** The key for looking up a value at a path. */
export function nameMetadataEntry(path: string, value: string): string {
  return hash('sha256', `${path}\0${value}`, 'base64url');
}

/** Every leaf at its dotted path, as text: `pos.x`, `items.0.name`. */
export function listMetadataLeaves(metadata: StoredFile['metadata']): [path: string, text: string][] {
  const leaves: [string, string][] = [];
  const visit = (path: string, value: unknown): void => {
    if (value !== null && typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) visit(path === '' ? key : `${path}.${key}`, inner);
    } else leaves.push([path, String(value)]);
  };
  visit('', metadata);
  return leaves;
}

/** The same path and value twice is one entry. */
export function listMetadataEntries(metadata: StoredFile['metadata']): string[] {
  const leaves = listMetadataLeaves(metadata);
  return [...new Set(leaves.map(([path, text]) => nameMetadataEntry(path, text)))];
}
