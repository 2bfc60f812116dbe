/** Writes metadata into the batch straight from its bytes: the leaves that `metadata.ts` would write, in the same order. */
import { limits } from '../../../vocabulary.ts';
import type { LogBatch, Slice } from '../../ports/logs.ts';
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

export type PlainLeaves = {
  reading: Reading;
  batch: Pick<LogBatch, 'addSlicedLeaf'>;
  key: Slice;
  value: Slice;
  /** Begins with the names of the containers that are open. */
  path: Slice;
  /** Of the entry. */
  count: number;
  isNested: boolean;
  isDotted: boolean;
  /** Where the keys of the open containers lie: start and length of each. */
  keys: number[];
  keysLength: number;
};

const keysMax = 64; // of the open containers together; who sends more has them judged by metadata.ts

/** For all entries of a request. */
export function createPlainLeaves(reading: Reading, batch: PlainLeaves['batch']): PlainLeaves {
  return {
    reading,
    batch,
    key: createSlice(reading.bytes),
    value: createSlice(reading.bytes),
    path: createSlice(Buffer.allocUnsafe(limits.logMetadataKeyBytesMax + 1)), // and a point
    count: 0,
    isNested: false,
    isDotted: false,
    keys: [],
    keysLength: 0,
  };
}

/** The metadata of one entry; false when they are not plain. */
export function writePlainMetadata(leaves: PlainLeaves): boolean {
  const { reading } = leaves;
  leaves.count = 0;
  leaves.isNested = false;
  leaves.isDotted = false;
  leaves.keysLength = 0;
  // An empty array is what some languages write for an empty table.
  if (peek(reading) === mark.arrayBegin)
    return take(reading, mark.arrayBegin) && take(reading, mark.arrayEnd);
  // With points in keys two paths may be one.
  return writeMembers(leaves, 0, 1) && !(leaves.isNested && leaves.isDotted);
}

function writeMembers(leaves: PlainLeaves, prefixEnd: number, depth: number): boolean {
  const { reading, key } = leaves;
  if (depth > limits.logMetadataDepthMax || !take(reading, mark.objectBegin)) return false;
  if (take(reading, mark.objectEnd)) return true;
  const firstKey = leaves.keysLength;
  do {
    if (peek(reading) !== mark.quote || !readString(reading, key) || !noteKey(leaves, firstKey)) return false;
    if (!extendPath(leaves, prefixEnd) || !take(reading, mark.colon) || !writeValue(leaves, depth))
      return false;
  } while (take(reading, mark.comma));
  leaves.keysLength = firstKey;
  return take(reading, mark.objectEnd);
}

/** The path of an element ends with its index. */
function writeElements(leaves: PlainLeaves, prefixEnd: number, depth: number): boolean {
  const { reading, path } = leaves;
  if (depth > limits.logMetadataDepthMax || !take(reading, mark.arrayBegin)) return false;
  if (take(reading, mark.arrayEnd)) return true;
  let index = 0;
  do {
    const digits = String(index++);
    if (prefixEnd + digits.length > limits.logMetadataKeyBytesMax) return false;
    path.end = prefixEnd + path.bytes.write(digits, prefixEnd);
    if (!writeValue(leaves, depth)) return false;
  } while (take(reading, mark.comma));
  return take(reading, mark.arrayEnd);
}

/** Writes what comes next under the path. */
function writeValue(leaves: PlainLeaves, depth: number): boolean {
  const { reading, path, value, batch } = leaves;
  const first = peek(reading);
  if (first === mark.objectBegin || first === mark.arrayBegin) {
    leaves.isNested = true;
    path.bytes[path.end] = mark.point;
    const write = first === mark.objectBegin ? writeMembers : writeElements;
    return write(leaves, path.end + 1, depth + 1);
  }
  if (!readLeaf(reading, first, value) || value.end - value.start > limits.logMetadataValueBytesMax)
    return false;
  leaves.count++;
  if (leaves.count > limits.logMetadataLeavesMax) return false;
  batch.addSlicedLeaf(path, value);
  return true;
}

function readLeaf(reading: Reading, first: number, into: Slice): boolean {
  if (first === mark.quote) return readString(reading, into);
  return first <= mark.nine ? readNumber(reading, into) : readLiteral(reading, into);
}

/**
 * False for a key that is there already, as the last one counts then, and for one that begins with a digit, because
 * JavaScript puts numbers before other keys.
 */
function noteKey(leaves: PlainLeaves, firstKey: number): boolean {
  const { key, keys, keysLength, reading } = leaves;
  const { bytes, start, end } = key;
  const first = bytes[start]!;
  if (bytes !== reading.bytes || (first >= mark.zero && first <= mark.nine) || keysLength === 2 * keysMax)
    return false;
  const length = end - start;
  for (let at = firstKey; at < keysLength; at += 2) {
    const other = keys[at]!;
    if (keys[at + 1] !== length || bytes[other] !== first) continue;
    if (bytes.compare(bytes, other, other + length, start, end) === 0) return false;
  }
  keys[keysLength] = start;
  keys[keysLength + 1] = length;
  leaves.keysLength += 2;
  return true;
}

/** The key takes its place behind the names of the containers that are open. */
function extendPath(leaves: PlainLeaves, prefixEnd: number): boolean {
  const { key, path } = leaves;
  const end = prefixEnd + key.end - key.start;
  if (end > limits.logMetadataKeyBytesMax) return false;
  let to = prefixEnd;
  for (let from = key.start; from < key.end; from++) {
    const byte = key.bytes[from]!;
    if (byte === mark.point) leaves.isDotted = true;
    path.bytes[to++] = byte;
  }
  path.end = end;
  return true;
}
