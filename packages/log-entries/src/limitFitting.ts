/** Makes values fit the limits instead of rejecting them: cuts texts, drops surplus metadata, and records the cuts in the metadata. */
import { cutText, isLonger } from '@tapedeck/values/json';
import { entryLimits } from './limits.ts';

/** Converts any JSON value to text; `''` for null and undefined. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? printJson(value) : String(value);
}

/** Returns `…` for values nested too deep for JSON.stringify. */
function printJson(value: object): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return '…';
    throw error;
  }
}

/** Flat metadata within the limits, by dotted path. Remembers what did not fit. */
export class FittedMetadata extends Map<string, string> {
  /** The original length in bytes of each cut value. */
  readonly cutBytes = new Map<string, number>();
  leftOut = 0;

  static copyOf(other: FittedMetadata): FittedMetadata {
    const copy = new FittedMetadata();
    copy.addAll(other);
    return copy;
  }

  /** Adds a text and cuts it to the limit. */
  put(path: string, text: string): void {
    const kept = cutText(text, entryLimits.metadataValueBytesMax);
    this.set(path, kept);
    if (kept.length !== text.length) this.cutBytes.set(path, Buffer.byteLength(text));
    else if (this.cutBytes.size > 0) this.cutBytes.delete(path);
  }

  /** Adds other metadata and its cuts. `spell` may change a leaf, or return null to skip it. */
  addAll(other: FittedMetadata, spell: SpellLeaf = asItIs): void {
    for (const leaf of other) {
      const spelled = spell(...leaf);
      if (spelled === null) continue;
      const [path, text] = spelled;
      addFitted(this, path, text);
      const bytes = other.cutBytes.get(leaf[0]);
      if (bytes !== undefined && this.has(path)) this.cutBytes.set(path, bytes);
    }
    this.leftOut += other.leftOut;
  }
}

type Leaf = [path: string, text: string];
type SpellLeaf = (...leaf: Leaf) => Leaf | null;

function asItIs(...leaf: Leaf): Leaf {
  return leaf;
}

/** Adds the leaves of a value under a path. Turns values that are nested too deep into text, and drops surplus leaves. */
export function addFitted(metadata: FittedMetadata, path: string, value: unknown): void {
  addLevel({ metadata, depth: 1, nullText: 'null' }, path, value);
}

/** Like `addFitted`, but ignores nulls at any depth. */
export function addPresent(metadata: FittedMetadata, path: string, value: unknown): void {
  addLevel({ metadata, depth: 1, nullText: null }, path, value);
}

/** `nullText` replaces null values. If it is null, they are skipped. */
type Level = { metadata: FittedMetadata; depth: number; nullText: string | null };

function addLevel(level: Level, path: string, value: unknown): void {
  const { metadata, depth, nullText } = level;
  if (value === undefined || (value === null && nullText === null)) return;
  // This comes before anything reads the path: every leaf below a huge key has a huge path.
  if (isLonger(path, entryLimits.metadataKeyBytesMax)) {
    metadata.leftOut += countLeaves(value, depth, nullText);
    return;
  }
  if (typeof value === 'object' && value !== null && depth <= entryLimits.metadataDepthMax) {
    for (const [key, inner] of Object.entries(value)) {
      if (metadata.size >= entryLimits.metadataLeavesMax)
        metadata.leftOut += countLeaves(inner, depth + 1, nullText);
      else addLevel({ metadata, depth: depth + 1, nullText }, path === '' ? key : `${path}.${key}`, inner);
    }
    return;
  }
  if (!metadata.has(path) && metadata.size >= entryLimits.metadataLeavesMax) metadata.leftOut++;
  else metadata.put(path, value === null ? (nullText ?? '') : toText(value));
}

/** Counts the leaves that `addLevel` would add. */
function countLeaves(value: unknown, depth: number, nullText: string | null): number {
  if (value === undefined || (value === null && nullText === null)) return 0;
  if (typeof value !== 'object' || value === null || depth > entryLimits.metadataDepthMax) return 1;
  let leaves = 0;
  for (const inner of Object.values(value)) leaves += countLeaves(inner, depth + 1, nullText);
  return leaves;
}

/** Cuts the texts to their limits without recording it: old clients' routes must store what they always stored. */
export function cutToFit(
  { message, resource, parentId = '' }: Omit<FittedTexts, 'unreadBytes'>,
  metadata: FittedMetadata,
): FittingEntry {
  return {
    message: cutText(message, entryLimits.messageBytesMax),
    resource: cutText(resource, entryLimits.nameBytesMax),
    parentId: cutText(parentId, entryLimits.nameBytesMax),
    metadata: Object.fromEntries(metadata),
  };
}

/** The texts of an entry. `unreadBytes` counts the bytes of the message that the reader skipped. */
type FittedTexts = { message: string; resource: string; parentId?: string; unreadBytes?: number };

type FittingEntry = { message: string; resource: string; parentId: string; metadata: Record<string, string> };

const truncatedName = 'truncated';
const truncatedApart = 'entry.truncated'; // if the sender uses `truncated` itself

/** Cuts the texts to their limits. `truncated` in the metadata then lists the cuts and the original lengths. */
export function finishFitted(
  { message: sentMessage, resource: sentResource, parentId: sentParent, unreadBytes = 0 }: FittedTexts,
  metadata: FittedMetadata,
): FittingEntry {
  const cuts: string[] = [];
  const cut = (name: string, text: string, [bytesMax, unread]: readonly [number, number]): string => {
    if (unread === 0 && !isLonger(text, bytesMax)) return text;
    cuts.push(describeCut(name, Buffer.byteLength(text) + unread));
    return cutText(text, bytesMax);
  };
  const name = [entryLimits.nameBytesMax, 0] as const;
  const message = cut('body', sentMessage, [entryLimits.messageBytesMax, unreadBytes]);
  const resource = cut('resource', sentResource, name);
  const parentId = cut('parentId', sentParent ?? '', name);
  if (cuts.length > 0 || metadata.leftOut > 0 || metadata.cutBytes.size > 0) addTruncated(metadata, cuts);
  return { message, resource, parentId, metadata: Object.fromEntries(metadata) };
}

function addTruncated(metadata: FittedMetadata, cuts: readonly string[]): void {
  if (metadata.size >= entryLimits.metadataLeavesMax) {
    const last = [...metadata.keys()].at(-1) ?? '';
    metadata.delete(last);
    metadata.cutBytes.delete(last);
    metadata.leftOut++;
  }
  const { leftOut: omitted } = metadata;
  const parts = [
    ...cuts,
    ...(omitted > 0 ? [`${omitted} ${omitted === 1 ? 'value' : 'values'} left out`] : []),
    ...Array.from(metadata.cutBytes, ([path, bytes]) => describeCut(`metadata.${path}`, bytes)),
  ];
  metadata.put(metadata.has(truncatedName) ? truncatedApart : truncatedName, parts.join(', '));
}

function describeCut(name: string, bytes: number): string {
  return `${name}: ${bytes} bytes`;
}
