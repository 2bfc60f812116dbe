/** Turns a file's metadata into lines of name and text, and changed lines into a patch for the service. */
import { nameFileField } from '@tapedeck/log-query-language';
import type { FileRecord } from '../../queries/fileRecords.ts';

type Metadata = FileRecord['metadata'];

type Leaf = {
  /** The name in a query: dotted; prefixed with `metadata.` if files have a field of that name. */
  name: string;
  /** The keys that lead to the value. */
  keys: readonly string[];
  text: string;
  value: unknown;
};

/** Lists dotted paths with values as text, as the service filters by them. */
export function listLeaves(metadata: Metadata): Leaf[] {
  return visit([], metadata, value => typeof value === 'object' && value !== null);
}

/** Like `listLeaves`, but keeps each list whole, because a patch replaces whole lists. */
export function listEditable(metadata: Metadata): Leaf[] {
  const isInner = (value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
  return visit([], metadata, isInner);
}

function visit(keys: readonly string[], value: unknown, isInner: (value: unknown) => boolean): Leaf[] {
  if (keys.length > 0 && !isInner(value)) {
    const name = nameFileField({ kind: 'metadata', path: keys.join('.') });
    return [{ name, keys, text: writeText(value), value }];
  }
  // An inner value is an object or a list, with string keys.
  return Object.entries(value as object).flatMap(([key, inner]) => visit([...keys, key], inner, isInner));
}

function writeText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** `value` null removes the key. */
export type MetadataChange = { keys: readonly string[]; value: unknown };

/** Composes a merge patch (RFC 7396). */
export function composePatch(changes: readonly MetadataChange[]): Record<string, unknown> {
  let patch: Record<string, unknown> = {};
  for (const { keys, value } of changes) patch = setInner(patch, keys, value);
  return patch;
}

function setInner(
  target: Readonly<Record<string, unknown>>,
  [key = '', ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  if (rest.length === 0) return { ...target, [key]: value };
  const inner = target[key];
  const isObject = typeof inner === 'object' && inner !== null;
  // Either an object that this function created, or nothing.
  return { ...target, [key]: setInner(isObject ? (inner as Record<string, unknown>) : {}, rest, value) };
}

/** Parses a typed value: as the same type as before if possible, else as text. */
export function readTyped(text: string, before: unknown): unknown {
  if (typeof before === 'string' || before === undefined) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
