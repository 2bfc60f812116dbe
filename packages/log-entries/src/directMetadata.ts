/** Writes metadata into the batch straight from its bytes: the leaves that `metadata.ts` would write, in the same order. */

import {
  createPlainKeys,
  forgetKeys,
  growHash,
  mayRepeatPaths,
  noteContainer,
  noteKey,
  type PlainKeys,
} from './directKeys.ts';
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
export function writePlainMembers(leaves: PlainLeaves, prefixEnd: number, depth: number): boolean {
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
