/** Writes metadata into the batch straight from its bytes: the leaves that `metadata.ts` would write, in the same order. */

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
  /** Begins with the names of the containers that are open. */
  path: Slice;
  /** The entry's number of leaves. */
  count: number;
  keys: PlainKeys;
};

/** For all entries of a request. */
export function createPlainLeaves(reading: Reading, batch: PlainLeaves['batch']): PlainLeaves {
  return {
    reading,
    batch,
    value: createSlice(reading.bytes),
    path: createSlice(Buffer.allocUnsafe(entryLimits.metadataKeyBytesMax + 1)), // and a point
    count: 0,
    keys: createPlainKeys(),
  };
}

/** To be called before the leaves of each entry. */
export function beginLeaves(leaves: PlainLeaves): void {
  leaves.count = 0;
  forgetKeys(leaves.keys);
}

/** The metadata of one entry; false when they are not plain. */
export function writePlainMetadata(leaves: PlainLeaves): boolean {
  const { reading } = leaves;
  beginLeaves(leaves);
  // An empty array is what some languages write for an empty table.
  if (peek(reading) === mark.arrayBegin)
    return take(reading, mark.arrayBegin) && take(reading, mark.arrayEnd);
  return writePlainMembers(leaves, 0, 1) && !mayRepeatPaths(leaves.keys);
}

/** Writes the members of the next object, behind the prefix of the path; without one, at the top. */
function writePlainMembers(leaves: PlainLeaves, prefixEnd: number, depth: number): boolean {
  const { reading, keys } = leaves;
  if (depth > entryLimits.metadataDepthMax || !take(reading, mark.objectBegin)) return false;
  if (take(reading, mark.objectEnd)) return true;
  const isTop = prefixEnd === 0;
  const firstKey = isTop ? 0 : keys.seenLength;
  do {
    if (!readKey(leaves, prefixEnd) || !noteKey(keys, isTop, firstKey)) return false;
    if (!take(reading, mark.colon) || !writePlainValue(leaves, depth)) return false;
  } while (take(reading, mark.comma));
  if (!isTop) keys.seenLength = firstKey;
  return take(reading, mark.objectEnd);
}

/** The path of an element ends with its index. */
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

/** Writes what comes next under the path, of a key that was noted; at the top the depth is 1. */
export function writePlainValue(leaves: PlainLeaves, depth: number): boolean {
  const { reading, value } = leaves;
  const first = peek(reading);
  if (first === mark.objectBegin || first === mark.arrayBegin) {
    if (depth === 1) noteContainer(leaves.keys);
    const prefixEnd = openPath(leaves);
    return first === mark.objectBegin
      ? writePlainMembers(leaves, prefixEnd, depth + 1)
      : writeElements(leaves, prefixEnd, depth + 1);
  }
  return readLeaf(reading, first, value) && writeLeaf(leaves, value);
}

/** Puts a point behind the path. Returns where the names of what lies below begin. */
export function openPath({ path }: PlainLeaves): number {
  path.bytes[path.end] = mark.point;
  return path.end + 1;
}

/** A value under the path; false when there are too many, or it is too long. */
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

/** Reads the key that comes next into the path, behind the names of the containers that are open. */
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
    if (byte === mark.point) notePoint(keys, hash);
    hash = growHash(hash, byte);
    pathBytes[to++] = byte;
  }
  return false;
}

/** Makes a text the path: that of a key at the top. */
export function setKey({ path, keys }: PlainLeaves, { bytes, start, end }: Slice): boolean {
  if (end - start > entryLimits.metadataKeyBytesMax) return false;
  const pathBytes = path.bytes;
  let hash = 0;
  keys.hasPoint = false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === mark.point) notePoint(keys, hash);
    hash = growHash(hash, byte);
    pathBytes[at - start] = byte;
  }
  path.end = end - start;
  endKey(keys, hash, end > start ? bytes[start] : undefined);
  return true;
}

function notePoint(keys: PlainKeys, hash: number): void {
  if (keys.hasPoint) return;
  keys.hasPoint = true;
  keys.headHash = hash;
}

function endKey(keys: PlainKeys, hash: number, first: number | undefined): void {
  keys.hash = hash;
  keys.hasDigitFirst = first !== undefined && first >= mark.zero && first <= mark.nine;
}

/**
 * Tells keys apart that are walked without making values of them: whether one comes again, and whether two may spell one path. Hashes
 * decide: keys that look alike cost no more than others.
 */
type PlainKeys = {
  /** Hash of the last key, and of its part before the first dot. */
  hash: number;
  headHash: number;
  hasPoint: boolean;
  /** JavaScript puts numbers before other keys. */
  hasDigitFirst: boolean;
  /** In the open containers. */
  seen: number[];
  seenLength: number;
  /** At the top: before the first point of those that have one, and of those that hold others. */
  heads: number[];
  containers: number[];
  mayRepeat: boolean;
};

const keysMax = 64; // for all open containers together; metadata.ts judges those with more
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

/** Clears the keys for the next entry. */
function forgetKeys(keys: PlainKeys): void {
  keys.seenLength = 0;
  keys.mayRepeat = false;
  if (keys.heads.length > 0) keys.heads.length = 0;
  if (keys.containers.length > 0) keys.containers.length = 0;
}

function growHash(hash: number, byte: number): number {
  return (Math.imul(hash, hashFactor) + byte) | 0;
}

/** Hashes a key in the same way as the reader does. */
export function hashKey(key: Buffer): number {
  return key.reduce(growHash, 0);
}

/** False for a key that may be there already, as the last one counts then, and for one that begins with a digit. */
export function noteKey(keys: PlainKeys, isTop: boolean, firstKey: number): boolean {
  const { hash, seen, seenLength } = keys;
  if (keys.hasDigitFirst || seenLength === keysMax) return false;
  for (let at = firstKey; at < seenLength; at++) if (seen[at] === hash) return false;
  seen[seenLength] = hash;
  keys.seenLength++;
  if (keys.hasPoint) noteHead(keys, isTop);
  return true;
}

function noteHead(keys: PlainKeys, isTop: boolean): void {
  if (isTop) keys.heads.push(keys.headHash);
  else keys.mayRepeat = true;
}

/** The key that was read last, at the top, is that of an object or array. */
export function noteContainer(keys: PlainKeys): void {
  if (keys.hasPoint) keys.mayRepeat = true;
  else keys.containers.push(keys.hash);
}

/** Whether two paths may be one, because a key with points spells the path of a nested one. */
export function mayRepeatPaths({ mayRepeat, heads, containers }: PlainKeys): boolean {
  if (mayRepeat) return true;
  return heads.length > 0 && containers.length > 0 && heads.some(head => containers.includes(head));
}
