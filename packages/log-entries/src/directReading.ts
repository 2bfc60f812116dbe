/** What readers of other formats need that walk bytes as `directItems.ts` does: what is not plain they leave to others. */

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
