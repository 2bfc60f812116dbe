/** Adds when each dataset and project was last deleted. Nodes check it before they store entries they hold. */
import type { MetadataMigration } from '../schema.ts';

export const logDeletions: MetadataMigration = {
  version: 15,
  name: 'log deletions',
  apply: async (queries, { text, integer, options }) => {
    await queries.schema
      .createTable('log_deletions')
      .addColumn('project', text, column => column.notNull())
      // '' for the whole project.
      .addColumn('dataset', text, column => column.notNull())
      .addColumn('deleted_at', integer, column => column.notNull())
      .addPrimaryKeyConstraint('log_deletions_key', ['project', 'dataset'])
      .modifyEnd(options)
      .execute();
    const byTime = queries.schema.createIndex('log_deletions_by_time').on('log_deletions');
    await byTime.column('deleted_at').execute();
  },
};
