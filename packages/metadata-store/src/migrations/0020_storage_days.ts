/** Adds bytes per type of file, and what a project stored on each day. */
import { sql } from 'kysely';
import type { MetadataMigration, Queries } from '../schema.ts';

export const storageDays: MetadataMigration = {
  version: 20,
  name: 'storage days',
  apply: async (queries, { text, integer, options }) => {
    await queries.schema
      .alterTable('file_counts')
      .addColumn('bytes', integer, column => column.notNull().defaultTo(0))
      .execute();
    await queries.schema
      .createTable('storage_days')
      .addColumn('project', text, column => column.notNull())
      .addColumn('day', integer, column => column.notNull())
      .addColumn('at', integer, column => column.notNull())
      .addColumn('image', integer, column => column.notNull())
      .addColumn('video', integer, column => column.notNull())
      .addColumn('audio', integer, column => column.notNull())
      .addColumn('logs', integer, column => column.notNull())
      .addPrimaryKeyConstraint('storage_days_key', ['project', 'day'])
      .modifyEnd(options)
      .execute();
  },
  fill: countBytes,
};

/** Adds bytes to the counts of older versions, which lack them. */
async function countBytes(queries: Queries): Promise<void> {
  await sql`update file_counts set bytes = coalesce((
      select sum(files.size_bytes) from file_folders
      join files on files.project = file_folders.project and files.position = file_folders.position
      where file_folders.project = file_counts.project and file_folders.folder = file_counts.folder
        and file_folders.type = file_counts.type
        and file_folders.position >= file_counts.bucket * 1024 and file_folders.position < (file_counts.bucket + 1) * 1024
    ), 0) where files > 0`.execute(queries);
}
