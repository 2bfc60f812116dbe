/** Questions about files, and the answers that an index gives. */
import type { TimesUsed } from '@tapedeck/log-entries';
import type { FileQuery } from '@tapedeck/log-query-language';
import type { MediaType } from '@tapedeck/media-facts';

export type FileFilter = {
  type: MediaType | null;
  /** That folder and all below it, whole segments only; '' is everything. */
  path: string;
  /** Each must occur in the file name, letter case ignored. */
  terms: readonly string[];
  /** Dotted paths and the text their value must equal; all must hold. */
  metadata: readonly { path: string; value: string }[];
};

export type FileSort = { by: 'createdAt' | 'name' | 'size' | 'duration'; order: 'asc' | 'desc' };

/** A file's place in a sorted list: the value, null for none and for `createdAt`, then the position. */
export type FilePlace = { position: number; value: string | number | null };

/** When a file was listed: Unix milliseconds, both included; null: open. */
export type FileTimes = { fromMs: number | null; toMs: number | null };

/** A query for files. */
export type FileQuestion = {
  filter: FileFilter;
  /** null: of any time. */
  times: FileTimes | null;
  /** The query in addition to the filter; null for none. */
  query: FileQuery | null;
};

/** Totals over a subject's files; hours are of the week in UTC, from Monday at midnight. */
export type FileProfile = TimesUsed & {
  files: number;
  bytes: number;
  types: Readonly<Record<MediaType, number>>;
  hours: readonly number[];
  /** Values, in no order. */
  values: readonly (TimesUsed & { path: string; value: string })[];
};

export type FileUsage = { files: number; bytes: number };
