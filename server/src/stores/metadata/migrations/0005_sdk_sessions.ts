/** Reporting sessions of game servers. */
import type { MetadataMigration } from '../schema.ts';

export const sdkSessionTables: MetadataMigration = {
  version: 5,
  name: 'sdk sessions',
  apply: async (queries, { text, integer, options }) => {
    await queries.schema
      .createTable('sdk_sessions')
      .addColumn('id', text, column => column.notNull().unique())
      .addColumn('project', text, column => column.notNull().references('projects.slug'))
      .addColumn('identity', text, column => column.notNull())
      .addColumn('token_id', text, column => column.notNull())
      .addColumn('created_at', integer, column => column.notNull())
      .addColumn('refreshed_at', integer, column => column.notNull())
      .addColumn('expires_at', integer, column => column.notNull())
      .addPrimaryKeyConstraint('sdk_sessions_key', ['project', 'identity'])
      .modifyEnd(options)
      .execute();
    const index = (name: string, column: string) =>
      queries.schema.createIndex(name).on('sdk_sessions').column(column).execute();
    await index('sdk_sessions_by_token', 'token_id');
    await index('sdk_sessions_by_end', 'expires_at');
  },
};
