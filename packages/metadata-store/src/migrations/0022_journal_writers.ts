/** Adds the nodes that write log entries to the bucket, and until when each registers there what it acknowledges. */
import type { MetadataMigration } from '../schema.ts';

export const journalWriters: MetadataMigration = {
  version: 22,
  name: 'journal writers',
  apply: async (queries, { text, integer, options }) => {
    await queries.schema
      .createTable('journal_writers')
      .addColumn('id', text, column => column.primaryKey().notNull())
      .addColumn('leased_until', integer, column => column.notNull())
      .addColumn('notes', integer, column => column.notNull())
      .modifyEnd(options)
      .execute();
  },
};
