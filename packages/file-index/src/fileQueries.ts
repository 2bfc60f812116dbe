/** Queries for files, and the answers of an index. */
import type { TimesUsed } from '@tapedeck/log-entries';
import type { FileQuery } from '@tapedeck/log-query-language';
import type { MediaType } from '@tapedeck/media-facts';

export type FileFilter = {
  type: MediaType | null;
  /** This folder and everything below it, by whole segments. '' means everything. */
  path: string;
  /** Each must occur in the file name. Case doesn't matter. */
  terms: readonly string[];
  /** Dotted paths and the texts that their values must equal. All must match. */
  metadata: readonly { path: string; value: string }[];
};

export type FileSort = { by: 'createdAt' | 'name' | 'size' | 'duration'; order: 'asc' | 'desc' };

/** A file's place in a sorted list: its value, then its position. Missing values are null, and so is `createdAt`. */
export type FilePlace = { position: number; value: string | number | null };

/** List times in Unix milliseconds, both ends included. null leaves an end open. */
export type FileTimes = { fromMs: number | null; toMs: number | null };

export type FileQuestion = {
  filter: FileFilter;
  /** null for any time. */
  times: FileTimes | null;
  /** Applies in addition to the filter; null for none. */
  query: FileQuery | null;
};

/** Totals over a subject's files. Hours are hours of the week in UTC, from Monday at midnight. */
export type FileProfile = TimesUsed & {
  files: number;
  bytes: number;
  types: Readonly<Record<MediaType, number>>;
  hours: readonly number[];
  /** In no particular order. */
  values: readonly (TimesUsed & { path: string; value: string })[];
};

export type FileUsage = { files: number; bytes: number };
