/** What readers of other formats need that walk bytes as `plainItems.ts` does: what is not plain they leave to others. */
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
export { hashKey, mayRepeatPaths, noteContainer, noteKey, type PlainKeys } from './plainKeys.ts';
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
} from './plainMetadata.ts';
