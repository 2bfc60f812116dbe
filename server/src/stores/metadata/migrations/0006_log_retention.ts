/** How long each dataset of a project keeps its log entries. */
import type { Migration } from '../migrations.ts';

export const logRetention: Migration = {
  version: 6,
  name: 'log retention',
  apply: async (queries, { text }) => {
    await queries.schema
      .alterTable('projects')
      .addColumn('log_retention', text, column => column.notNull().defaultTo('{}'))
      .execute();
  },
};
