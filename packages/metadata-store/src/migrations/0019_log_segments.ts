/** Adds log entries that are in the bucket but not yet where queries find them. */
import type { MetadataMigration } from '../schema.ts';

export const logSegments: MetadataMigration = {
  version: 19,
  name: 'log segments',
  apply: async (queries, { text, integer, options }) => {
    await queries.schema
      .createTable('log_segments')
      .addColumn('name', text, column => column.primaryKey().notNull())
      .addColumn('shard', text, column => column.notNull())
      .addColumn('entries', integer, column => column.notNull())
      .addColumn('bytes', integer, column => column.notNull())
      .addColumn('is_spread', integer, column => column.notNull())
      .addColumn('is_wanted', integer, column => column.notNull())
      .addColumn('state', text, column => column.notNull())
      .addColumn('import', text)
      .addColumn('import_until', integer)
      .addColumn('registered_at', integer, column => column.notNull())
      .addColumn('ended_at', integer)
      .modifyEnd(options)
      .execute();
    const index = (name: string) => queries.schema.createIndex(`log_segments_by_${name}`).on('log_segments');
    await index('state').columns(['state', 'name']).execute();
    await index('import').column('import').execute();
    await index('end').column('ended_at').execute();
  },
};
