/** The types of stored log entries. */
import type { LogLevel } from './levels.ts';

/** A log entry as queries return it. Absent strings are `''`. */
export type LogEntry = {
  /** 32 lower-case hexadecimal digits. */
  traceId: string;
  parentId: string;
  /** Unix microseconds. */
  timestampMicros: number;
  dataset: string;
  level: LogLevel;
  resource: string;
  body: string;
  /** 16 hexadecimal digits. Bodies that differ only in their varying parts share them. */
  pattern: string;
  /** Dotted paths and their values. */
  metadata: Readonly<Record<string, string>>;
};

/** Measures the text of an entry. */
export function countCharacters({ body, metadata }: LogEntry): number {
  return Object.entries(metadata).reduce(
    (sum, [path, value]) => sum + path.length + value.length,
    body.length,
  );
}

/** The place of an entry that was found but not read, because a page of such entries would take too much memory. */
export type UnreadEntry = {
  readonly traceId: string;
  readonly timestampMicros: number;
  /** The length of its JSON. */
  readonly characters: number;
};
