/** Byte readers shared with other formats. Like `directItems.ts`, they leave unusual input to the general reader. */

export {
  beginLeaves,
  createPlainLeaves,
  hashKey,
  mayRepeatPaths,
  openPath,
  type PlainLeaves,
  readKey,
  recordContainer,
  recordKey,
  setKey,
  writeLeaf,
  writePlainValue,
} from './directMetadata.ts';
export {
  createSlice,
  mark,
  peek,
  type Reading,
  readLiteral,
  readNumber,
  readString,
  startReading,
  take,
} from './jsonBytes.ts';
export { flattenMetadata } from './metadata.ts';
