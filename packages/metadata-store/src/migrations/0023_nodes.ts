/** Adds the nodes that share the database, and when each was last seen. */
import type { MetadataMigration } from '../schema.ts';

export const nodes: MetadataMigration = {
  version: 23,
  name: 'nodes',
  apply: async (queries, { text, integer, options }) => {
    await queries.schema
      .createTable('nodes')
      .addColumn('name', text, column => column.primaryKey().notNull())
      .addColumn('version', text, column => column.notNull())
      .addColumn('run_id', text, column => column.notNull())
      .addColumn('journal_id', text, column => column.notNull())
      .addColumn('started_at', integer, column => column.notNull())
      .addColumn('seen_at', integer, column => column.notNull())
      .addColumn('stopped_at', integer)
      .addColumn('waiting_entries', integer, column => column.notNull())
      .modifyEnd(options)
      .execute();
  },
};
