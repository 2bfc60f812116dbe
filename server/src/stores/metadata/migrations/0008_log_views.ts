/** Saved searches of logs. */
import type { MetadataMigration } from '../schema.ts';

export const logViews: MetadataMigration = {
  version: 8,
  name: 'log views',
  apply: async (queries, { text, integer, options }) => {
    await queries.schema
      .createTable('log_views')
      .addColumn('id', text, column => column.primaryKey().notNull())
      .addColumn('project', text, column => column.notNull().references('projects.slug'))
      .addColumn('name', text, column => column.notNull())
      .addColumn('query', text, column => column.notNull())
      .addColumn('created_at', integer, column => column.notNull())
      .addColumn('created_by', text, column => column.notNull())
      .modifyEnd(options)
      .execute();
    const index = queries.schema
      .createIndex('log_views_by_name')
      .on('log_views')
      .columns(['project', 'name']);
    await index.unique().execute();
  },
};
