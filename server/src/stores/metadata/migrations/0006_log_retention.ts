/** How long each dataset of a project keeps its log entries. */
import type { MetadataMigration } from '../schema.ts';

export const logRetention: MetadataMigration = {
  version: 6,
  name: 'log retention',
  apply: async (queries, { text }) => {
    await queries.schema
      .alterTable('projects')
      .addColumn('log_retention', text, column => column.notNull().defaultTo('{}'))
      .execute();
  },
};
