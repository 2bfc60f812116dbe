/** Entry point for threads that fill columns with rows without loading the engine. */
export { openBatchRows } from './blocks/batchRows.ts';
export { openDrafts, takeDraftRows } from './blocks/drafts.ts';
export { createColumns } from './blocks/native.ts';
