/** Writes metadata objects but inspects one text in each first. */
import { entryLimits, type Slice } from '@tapedeck/log-entries';
import {
  mark,
  openPath,
  peek,
  readKey,
  readString,
  recordContainer,
  recordKey,
  take,
  writeLeaf,
  writePlainValue,
} from '@tapedeck/log-entries/direct';
import type { DirectWriter } from './writer.ts';

const insideDepth = 2;

/** Writes the next object under the last key, without the watched text if `isTaken` accepts it. */
export function writeWatched(
  { reading, leaves, text }: DirectWriter,
  name: Buffer,
  isTaken: (text: Slice) => boolean,
): boolean {
  const { keys, path } = leaves;
  recordContainer(keys);
  const prefixEnd = openPath(leaves);
  if (prefixEnd > entryLimits.metadataKeyBytesMax || !take(reading, mark.objectBegin)) return false;
  if (take(reading, mark.objectEnd)) return true;
  const firstKey = keys.seenLength;
  do {
    if (!readKey(leaves, prefixEnd) || !recordKey(keys, false, firstKey) || !take(reading, mark.colon))
      return false;
    const isWatched =
      path.end - prefixEnd === name.length &&
      name.equals(path.bytes.subarray(prefixEnd, path.end)) &&
      peek(reading) === mark.quote;
    if (!isWatched) {
      if (!writePlainValue(leaves, insideDepth)) return false;
      continue;
    }
    if (!readString(reading, text) || (!isTaken(text) && !writeLeaf(leaves, text))) return false;
  } while (take(reading, mark.comma));
  keys.seenLength = firstKey;
  return take(reading, mark.objectEnd);
}
