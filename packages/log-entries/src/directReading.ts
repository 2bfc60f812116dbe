/** Byte readers shared with other formats. As in `directItems.ts`, anything unusual is left to the general reader. */

export { hashKey, mayRepeatPaths, noteContainer, noteKey, type PlainKeys } from './directKeys.ts';
export {
  beginLeaves,
  createPlainLeaves,
  openPath,
  type PlainLeaves,
  readKey,
  setKey,
  writeLeaf,
  writePlainMembers,
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
  spells,
  startReading,
  take,
} from './jsonBytes.ts';
export { flattenMetadata } from './metadata.ts';
