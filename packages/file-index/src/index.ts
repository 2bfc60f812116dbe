/** Files as columns in memory: blocks, their sort orders and subjects, and the matching of files against queries. */

export { AlikeFiles, type FileIdentity } from './alikeFiles.ts';
export {
  type Block,
  type BlockRow,
  blockColumns,
  bucketPositions,
  buildBlock,
  type ProjectIndex,
  positionOf,
  removeFromBlock,
} from './block.ts';
export {
  type BlockContext,
  type BlockMatcher,
  compileBlockMatcher,
  matchBlock,
  matchFolder,
  matchTimes,
  type NamedFile,
} from './blockMatching.ts';
export { countMarks, listPlaces, type MatchedBlock, prepareOrders } from './blockOrder.ts';
export { blockVersion, readBlock, writeBlock } from './blockState.ts';
export type {
  FileFilter,
  FilePlace,
  FileProfile,
  FileQuestion,
  FileSort,
  FileTimes,
  FileUsage,
} from './fileQueries.ts';
export { countPaths, describeSubject, FileSubjects, sumFiles } from './fileSubjects.ts';
export { KeptIndexes } from './indexCache.ts';
export { type BlockMasks, MatchCache } from './matchCache.ts';
export { composeQuery, listNames } from './queryTerms.ts';
