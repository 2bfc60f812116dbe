/** Rows in columns, for whoever fills them in a thread of its own: no engine is loaded with them. */
export { openBatchRows } from './blocks/batchRows.ts';
export { type Draft, openDrafts, takeDraftRows } from './blocks/drafts.ts';
export { createColumns } from './blocks/native.ts';
