/** Byte readers shared with other formats. As in `directItems.ts`, anything unusual is left to the general reader. */

export {
  beginLeaves,
  createPlainLeaves,
  hashKey,
  mayRepeatPaths,
  noteContainer,
  noteKey,
  openPath,
  type PlainKeys,
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
