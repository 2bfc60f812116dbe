/** Files and bytes counted by the day of their upload, and those that are there already. */
import { sql } from 'kysely';
import type { MetadataMigration, Queries } from '../schema.ts';

export const fileDays: MetadataMigration = {
  version: 7,
  name: 'file days',
  apply: async (queries, { text, integer, options }) => {
    await queries.schema
      .createTable('file_days')
      .addColumn('project', text, column => column.notNull())
      .addColumn('day', integer, column => column.notNull())
      .addColumn('files', integer, column => column.notNull())
      .addColumn('bytes', integer, column => column.notNull())
      .addPrimaryKeyConstraint('file_days_key', ['project', 'day'])
      .modifyEnd(options)
      .execute();
  },
  fill: countFileDays,
};

/** Into the empty table; rows of an older version bring none. */
async function countFileDays(queries: Queries): Promise<void> {
  await sql`insert into file_days (project, day, files, bytes)
    select project, created_at / 86400000, count(*), sum(size_bytes) from files
    group by project, created_at / 86400000`.execute(queries);
}
