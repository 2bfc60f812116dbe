/** Makes values of old clients fit the limits instead of refusing them: cuts texts and drops surplus metadata. */
import { cutText, isLonger } from '@tapedeck/values/json';
import { entryLimits } from './limits.ts';

/** Any JSON value as text; `''` for nothing. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? printJson(value) : String(value);
}

/** Returns `…` for a value that is nested too deep for JSON.stringify. */
function printJson(value: object): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return '…';
    throw error;
  }
}

/** Metadata within the limits: flat, with dotted paths. */
export type MendedMetadata = Map<string, string>;

/** Adds the leaves of a value under a path. A value that lies too deep becomes text; surplus leaves are left out. */
export function addMended(metadata: MendedMetadata, path: string, value: unknown): void {
  addLevel({ metadata, depth: 1, nullText: 'null' }, path, value);
}

/** The same, but a null at any depth counts as absent. */
export function addPresent(metadata: MendedMetadata, path: string, value: unknown): void {
  addLevel({ metadata, depth: 1, nullText: null }, path, value);
}

/** `nullText` is what stands for null; null: nothing. */
type Level = { metadata: MendedMetadata; depth: number; nullText: string | null };

function addLevel({ metadata, depth, nullText }: Level, path: string, value: unknown): void {
  if (value === undefined || (value === null && nullText === null)) return;
  // Before anything looks at the path: what lies below a huge key has a huge path each.
  if (isLonger(path, entryLimits.metadataKeyBytesMax)) return;
  if (typeof value === 'object' && value !== null && depth <= entryLimits.metadataDepthMax) {
    for (const [key, inner] of Object.entries(value)) {
      if (metadata.size >= entryLimits.metadataLeavesMax) return;
      addLevel({ metadata, depth: depth + 1, nullText }, path === '' ? key : `${path}.${key}`, inner);
    }
    return;
  }
  const isKnown = metadata.has(path);
  if (!isKnown && metadata.size >= entryLimits.metadataLeavesMax) return;
  const text = value === null ? (nullText ?? '') : toText(value);
  metadata.set(path, cutText(text, entryLimits.metadataValueBytesMax));
}
