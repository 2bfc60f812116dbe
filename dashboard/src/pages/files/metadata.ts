/** The metadata of a file as lines of names and texts, and changes of lines as the patch that the service takes. */
import { nameFileField } from '@tapedeck/log-query-language';
import type { FileRecord } from '../../queries/fileRecords.ts';

type Metadata = FileRecord['metadata'];

type Leaf = {
  /** Its name in a query: dotted, with `metadata.` in front if every file has a field of this name. */
  name: string;
  /** The keys on the way to it. */
  keys: readonly string[];
  text: string;
  value: unknown;
};

/** Dotted paths and values as text, as the service filters by them. */
export function listLeaves(metadata: Metadata): Leaf[] {
  return visit([], metadata, value => typeof value === 'object' && value !== null);
}

/** The same, with lists in one piece: a patch replaces a list as a whole. */
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
  // Whatever is inner is an object or a list, whose keys are texts.
  return Object.entries(value as object).flatMap(([key, inner]) => visit([...keys, key], inner, isInner));
}

function writeText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** `value` null removes the name. */
export type MetadataChange = { keys: readonly string[]; value: unknown };

/** A merge patch (RFC 7396). */
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
  // An object that this function made, or nothing.
  return { ...target, [key]: setInner(isObject ? (inner as Record<string, unknown>) : {}, rest, value) };
}

/** Reads a typed value: of the same kind as before if possible, else as text. */
export function readTyped(text: string, before: unknown): unknown {
  if (typeof before === 'string' || before === undefined) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
