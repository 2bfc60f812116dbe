/** Files as columns in memory: blocks, their sort orders and subjects, and judges that find the files matching a query. */

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
  type BlockJudge,
  compileBlockJudge,
  judgeBlock,
  judgeFolder,
  judgeTimes,
  type NamedFile,
} from './blockJudge.ts';
export { countMarks, type JudgedBlock, listPlaces, prepareOrders } from './blockOrder.ts';
export { blockVersion, readBlock, writeBlock } from './blockState.ts';
export { countPaths, describeSubject, FileSubjects, sumFiles } from './fileSubjects.ts';
export { type BlockMasks, JudgedMasks } from './judgedMasks.ts';
export { KeptIndexes } from './keptIndexes.ts';
export { composeQuery, listNames } from './queryTerms.ts';
export type {
  FileFilter,
  FilePlace,
  FileProfile,
  FileQuestion,
  FileSort,
  FileTimes,
  FileUsage,
} from './questions.ts';
