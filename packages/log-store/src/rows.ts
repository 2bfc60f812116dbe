/** Rows in columns, for whoever fills them in a thread of its own: no engine is loaded with them. */
export { openBatchRows } from './blocks/batchRows.ts';
export { type Draft, openDrafts } from './blocks/drafting.ts';
export { takeDraftRows } from './blocks/draftRows.ts';
export { createColumns } from './blocks/native.ts';
