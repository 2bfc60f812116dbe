/** Writes metadata into the batch straight from its bytes: the same leaves as `metadata.ts`, in the same order. */

import {
  createSlice,
  mark,
  peek,
  type Reading,
  readLiteral,
  readNumber,
  readString,
  take,
} from './jsonBytes.ts';
import { entryLimits } from './limits.ts';
import type { RowSink, Slice } from './rows.ts';

export type PlainLeaves = {
  reading: Reading;
  batch: Pick<RowSink, 'addEncodedLeaf'>;
  value: Slice;
  /** Begins with the names of the open containers. */
  path: Slice;
  /** Leaves of the current entry. */
  count: number;
  keys: PlainKeys;
};

/** Creates the state that all entries of a request share. */
export function createPlainLeaves(reading: Reading, batch: PlainLeaves['batch']): PlainLeaves {
  return {
    reading,
    batch,
    value: createSlice(reading.bytes),
    path: createSlice(Buffer.allocUnsafe(entryLimits.metadataKeyBytesMax + 1)), // plus a point
    count: 0,
    keys: createPlainKeys(),
  };
}

/** Call this before the leaves of each entry. */
export function beginLeaves(leaves: PlainLeaves): void {
  leaves.count = 0;
  forgetKeys(leaves.keys);
}

/** Writes the metadata of one entry; false if it is not plain. */
export function writePlainMetadata(leaves: PlainLeaves): boolean {
  const { reading } = leaves;
  beginLeaves(leaves);
  // Some languages write an empty table as an empty array.
  if (peek(reading) === mark.arrayBegin)
    return take(reading, mark.arrayBegin) && take(reading, mark.arrayEnd);
  return writePlainMembers(leaves, 0, 1) && !mayRepeatPaths(leaves.keys);
}

/** Writes the members of the next object under the path's prefix; without a prefix, at the top. */
function writePlainMembers(leaves: PlainLeaves, prefixEnd: number, depth: number): boolean {
  const { reading, keys } = leaves;
  if (depth > entryLimits.metadataDepthMax || !take(reading, mark.objectBegin)) return false;
  if (take(reading, mark.objectEnd)) return true;
  const isTop = prefixEnd === 0;
  const firstKey = isTop ? 0 : keys.seenLength;
  do {
    if (!readKey(leaves, prefixEnd) || !recordKey(keys, isTop, firstKey)) return false;
    if (!take(reading, mark.colon) || !writePlainValue(leaves, depth)) return false;
  } while (take(reading, mark.comma));
  if (!isTop) keys.seenLength = firstKey;
  return take(reading, mark.objectEnd);
}

/** Writes the elements of an array. An element's path ends with its index. */
function writeElements(leaves: PlainLeaves, prefixEnd: number, depth: number): boolean {
  const { reading, path } = leaves;
  if (depth > entryLimits.metadataDepthMax || !take(reading, mark.arrayBegin)) return false;
  if (take(reading, mark.arrayEnd)) return true;
  let index = 0;
  do {
    const digits = String(index++);
    if (prefixEnd + digits.length > entryLimits.metadataKeyBytesMax) return false;
    path.end = prefixEnd + path.bytes.write(digits, prefixEnd);
    if (!writePlainValue(leaves, depth)) return false;
  } while (take(reading, mark.comma));
  return take(reading, mark.arrayEnd);
}

/** Writes the next value under the path of a noted key. At the top, the depth is 1. */
export function writePlainValue(leaves: PlainLeaves, depth: number): boolean {
  const { reading, value } = leaves;
  const first = peek(reading);
  if (first === mark.objectBegin || first === mark.arrayBegin) {
    if (depth === 1) recordContainer(leaves.keys);
    const prefixEnd = openPath(leaves);
    return first === mark.objectBegin
      ? writePlainMembers(leaves, prefixEnd, depth + 1)
      : writeElements(leaves, prefixEnd, depth + 1);
  }
  return readLeaf(reading, first, value) && writeLeaf(leaves, value);
}

/** Appends a point to the path. Returns where the next name begins. */
export function openPath({ path }: PlainLeaves): number {
  path.bytes[path.end] = mark.point;
  return path.end + 1;
}

/** Writes a value under the path; false if it is too long or one too many. */
export function writeLeaf(leaves: PlainLeaves, value: Slice): boolean {
  if (value.end - value.start > entryLimits.metadataValueBytesMax) return false;
  leaves.count++;
  if (leaves.count > entryLimits.metadataLeavesMax) return false;
  leaves.batch.addEncodedLeaf(leaves.path, value);
  return true;
}

function readLeaf(reading: Reading, first: number, into: Slice): boolean {
  if (first === mark.quote) return readString(reading, into);
  return first <= mark.nine ? readNumber(reading, into) : readLiteral(reading, into);
}

/** Appends the next key to the path, after the names of the open containers. */
export function readKey(leaves: PlainLeaves, prefixEnd: number): boolean {
  const { reading, path, keys } = leaves;
  if (!take(reading, mark.quote)) return false;
  const { bytes } = reading;
  const { length } = bytes;
  const pathBytes = path.bytes;
  const first = bytes[reading.at];
  let to = prefixEnd;
  let hash = 0;
  keys.hasPoint = false;
  for (let { at } = reading; at < length && to <= entryLimits.metadataKeyBytesMax; at++) {
    const byte = bytes[at]!;
    if (byte === mark.quote) {
      reading.at = at + 1;
      path.end = to;
      endKey(keys, hash, first);
      return true;
    }
    if (byte === mark.backslash || byte < mark.space) return false; // escapes in keys are rare
    if (byte === mark.point) recordPoint(keys, hash);
    hash = growHash(hash, byte);
    pathBytes[to++] = byte;
  }
  return false;
}

/** Sets the path to a key at the top. */
export function setKey({ path, keys }: PlainLeaves, { bytes, start, end }: Slice): boolean {
  if (end - start > entryLimits.metadataKeyBytesMax) return false;
  const pathBytes = path.bytes;
  let hash = 0;
  keys.hasPoint = false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === mark.point) recordPoint(keys, hash);
    hash = growHash(hash, byte);
    pathBytes[at - start] = byte;
  }
  path.end = end - start;
  endKey(keys, hash, end > start ? bytes[start] : undefined);
  return true;
}

function recordPoint(keys: PlainKeys, hash: number): void {
  if (keys.hasPoint) return;
  keys.hasPoint = true;
  keys.headHash = hash;
}

function endKey(keys: PlainKeys, hash: number, first: number | undefined): void {
  keys.hash = hash;
  keys.hasDigitFirst = first !== undefined && first >= mark.zero && first <= mark.nine;
}

/**
 * Detects repeated keys, and keys that may spell the same path, without creating strings. It compares hashes, so similar keys
 * cost no more than others.
 */
type PlainKeys = {
  /** Hash of the last key, and of its part before the first dot. */
  hash: number;
  headHash: number;
  hasPoint: boolean;
  /** JavaScript orders numeric keys before others. */
  hasDigitFirst: boolean;
  /** Hashes of the keys in the open containers. */
  seen: number[];
  seenLength: number;
  /** Keys at the top. `heads`: the part before the first point of keys with points. `containers`: keys of objects and arrays. */
  heads: number[];
  containers: number[];
  mayRepeat: boolean;
};

const keysMax = 64; // for all open containers together; metadata.ts handles more
const hashFactor = 31;

function createPlainKeys(): PlainKeys {
  return {
    hash: 0,
    headHash: 0,
    hasPoint: false,
    hasDigitFirst: false,
    seen: [],
    seenLength: 0,
    heads: [],
    containers: [],
    mayRepeat: false,
  };
}

function forgetKeys(keys: PlainKeys): void {
  keys.seenLength = 0;
  keys.mayRepeat = false;
  if (keys.heads.length > 0) keys.heads.length = 0;
  if (keys.containers.length > 0) keys.containers.length = 0;
}

function growHash(hash: number, byte: number): number {
  return (Math.imul(hash, hashFactor) + byte) | 0;
}

/** Hashes a key as the reader does. */
export function hashKey(key: Buffer): number {
  return key.reduce(growHash, 0);
}

/** Returns false for a key that may be a repetition, since the last one counts, and for a key that begins with a digit. */
export function recordKey(keys: PlainKeys, isTop: boolean, firstKey: number): boolean {
  const { hash, seen, seenLength } = keys;
  if (keys.hasDigitFirst || seenLength === keysMax) return false;
  for (let at = firstKey; at < seenLength; at++) if (seen[at] === hash) return false;
  seen[seenLength] = hash;
  keys.seenLength++;
  if (keys.hasPoint) recordHead(keys, isTop);
  return true;
}

function recordHead(keys: PlainKeys, isTop: boolean): void {
  if (isTop) keys.heads.push(keys.headHash);
  else keys.mayRepeat = true;
}

/** Notes that the last key at the top belongs to an object or array. */
export function recordContainer(keys: PlainKeys): void {
  if (keys.hasPoint) keys.mayRepeat = true;
  else keys.containers.push(keys.hash);
}

/** Whether two leaves may have the same path because a key with points spells a nested path. */
export function mayRepeatPaths({ mayRepeat, heads, containers }: PlainKeys): boolean {
  if (mayRepeat) return true;
  return heads.length > 0 && containers.length > 0 && heads.some(head => containers.includes(head));
}
