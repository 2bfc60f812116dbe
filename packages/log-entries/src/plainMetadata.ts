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
  /** Of the entry. */
  count: number;
  isNested: boolean;
  isDotted: boolean;
  /** Hashes of the keys in the open containers. */
  keys: number[];
  keysLength: number;
  /** Of the key that was read last. */
  keyHash: number;
};

const keysMax = 64; // of the open containers together; who sends more has them judged by metadata.ts
const hashFactor = 31;

/** For all entries of a request. */
export function createPlainLeaves(reading: Reading, batch: PlainLeaves['batch']): PlainLeaves {
  return {
    reading,
    batch,
    value: createSlice(reading.bytes),
    path: createSlice(Buffer.allocUnsafe(entryLimits.metadataKeyBytesMax + 1)), // and a point
    count: 0,
    isNested: false,
    isDotted: false,
    keys: [],
    keysLength: 0,
    keyHash: 0,
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
  const { reading } = leaves;
  if (depth > entryLimits.metadataDepthMax || !take(reading, mark.objectBegin)) return false;
  if (take(reading, mark.objectEnd)) return true;
  const firstKey = leaves.keysLength;
  do {
    if (!readKey(leaves, prefixEnd) || !noteKey(leaves, prefixEnd, firstKey)) return false;
    if (!take(reading, mark.colon) || !writeValue(leaves, depth)) return false;
  } while (take(reading, mark.comma));
  leaves.keysLength = firstKey;
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
  if (!readLeaf(reading, first, value) || value.end - value.start > entryLimits.metadataValueBytesMax)
    return false;
  leaves.count++;
  if (leaves.count > entryLimits.metadataLeavesMax) return false;
  batch.addEncodedLeaf(path, value);
  return true;
}

function readLeaf(reading: Reading, first: number, into: Slice): boolean {
  if (first === mark.quote) return readString(reading, into);
  return first <= mark.nine ? readNumber(reading, into) : readLiteral(reading, into);
}

/** Reads the key that comes next into the path, behind the names of the containers that are open. */
function readKey(leaves: PlainLeaves, prefixEnd: number): boolean {
  const { reading, path } = leaves;
  if (!take(reading, mark.quote)) return false;
  const { bytes } = reading;
  const { length } = bytes;
  const pathBytes = path.bytes;
  let to = prefixEnd;
  let hash = 0;
  for (let { at } = reading; at < length && to <= entryLimits.metadataKeyBytesMax; at++) {
    const byte = bytes[at]!;
    if (byte === mark.quote) {
      reading.at = at + 1;
      path.end = to;
      leaves.keyHash = hash;
      return true;
    }
    if (byte === mark.backslash || byte < mark.space) return false; // escapes in keys are rare
    if (byte === mark.point) leaves.isDotted = true;
    hash = (Math.imul(hash, hashFactor) + byte) | 0;
    pathBytes[to++] = byte;
  }
  return false;
}

/**
 * False for a key that may be there already, as the last one counts then, and for one that begins with a digit, because
 * JavaScript puts numbers before other keys. Hashes decide: keys that look alike cost no more than others.
 */
function noteKey(leaves: PlainLeaves, prefixEnd: number, firstKey: number): boolean {
  const { path, keyHash, keys, keysLength } = leaves;
  const first = path.end > prefixEnd ? path.bytes[prefixEnd]! : mark.point;
  if ((first >= mark.zero && first <= mark.nine) || keysLength === keysMax) return false;
  for (let at = firstKey; at < keysLength; at++) if (keys[at] === keyHash) return false;
  keys[keysLength] = keyHash;
  leaves.keysLength++;
  return true;
}
