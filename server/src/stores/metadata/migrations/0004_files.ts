/** Files: their records, the folders they are in, and the counts by which pages and totals are found. */

import type { TableWords } from '@tapedeck/metadata-database';
import type { MetadataMigration, Queries } from '../schema.ts';

export const fileTables: MetadataMigration = {
  version: 4,
  name: 'files',
  apply: async (queries, words) => {
    await createFiles(queries, words);
    await createFolders(queries, words);
    await createCounts(queries, words);
    await createMetadata(queries, words);
    await createRemovals(queries, words);
    await createPresignedUses(queries, words);
  },
};

async function createFiles(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('files')
    .addColumn('id', text, column => column.primaryKey().notNull())
    .addColumn('project', text, column => column.notNull().references('projects.slug'))
    .addColumn('position', integer, column => column.notNull())
    .addColumn('key', text, column => column.notNull())
    .addColumn('path', text, column => column.notNull())
    .addColumn('filename', text, column => column.notNull())
    .addColumn('filename_folded', text, column => column.notNull())
    .addColumn('type', text, column => column.notNull())
    .addColumn('mime_type', text, column => column.notNull())
    .addColumn('size_bytes', integer, column => column.notNull())
    .addColumn('sha256', text, column => column.notNull())
    .addColumn('metadata', text, column => column.notNull())
    .addColumn('retention_exempt', integer, column => column.notNull())
    .addColumn('width', integer)
    .addColumn('height', integer)
    .addColumn('duration_ms', integer)
    .addColumn('created_at', integer, column => column.notNull())
    .modifyEnd(options)
    .execute();
  const index = (name: string, columns: string[]) =>
    queries.schema.createIndex(name).on('files').columns(columns);
  await index('files_by_position', ['project', 'position']).unique().execute();
  // Searching names reads this index alone, in the order of pages.
  await index('files_by_name', ['project', 'position', 'filename_folded']).execute();
  await index('files_by_key', ['project', 'key']).unique().execute();
  await index('files_by_age', ['project', 'created_at', 'id']).execute();
}

/** One row for each folder above a file, the project's own included, so that a folder's files are one range of one index, in order. */
async function createFolders(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('file_folders')
    .addColumn('project', text, column => column.notNull())
    .addColumn('folder', text, column => column.notNull())
    .addColumn('position', integer, column => column.notNull())
    .addColumn('type', text, column => column.notNull())
    .addPrimaryKeyConstraint('file_folders_key', ['project', 'folder', 'position'])
    .modifyEnd(options)
    .execute();
  await queries.schema
    .createIndex('file_folders_by_type')
    .on('file_folders')
    .columns(['project', 'folder', 'type', 'position'])
    .execute();
}

async function createCounts(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('file_counts')
    .addColumn('project', text, column => column.notNull())
    .addColumn('folder', text, column => column.notNull())
    .addColumn('bucket', integer, column => column.notNull())
    .addColumn('type', text, column => column.notNull())
    .addColumn('files', integer, column => column.notNull())
    .addPrimaryKeyConstraint('file_counts_key', ['project', 'folder', 'bucket', 'type'])
    .modifyEnd(options)
    .execute();
  await queries.schema
    .createTable('file_usage')
    .addColumn('project', text, column => column.primaryKey().notNull())
    .addColumn('last_position', integer, column => column.notNull())
    .addColumn('files', integer, column => column.notNull())
    .addColumn('bytes', integer, column => column.notNull())
    .modifyEnd(options)
    .execute();
}

/** Metadata by the hash of path and value: equality is all that is asked, and values may be long. */
async function createMetadata(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('file_metadata')
    .addColumn('project', text, column => column.notNull())
    .addColumn('entry', text, column => column.notNull())
    .addColumn('position', integer, column => column.notNull())
    .addPrimaryKeyConstraint('file_metadata_key', ['project', 'entry', 'position'])
    .modifyEnd(options)
    .execute();
  await queries.schema
    .createIndex('file_metadata_by_position')
    .on('file_metadata')
    .columns(['project', 'position'])
    .execute();
}

async function createRemovals(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('file_removals')
    .addColumn('file_id', text, column => column.primaryKey().notNull())
    .addColumn('removed_at', integer, column => column.notNull())
    .addColumn('file', text, column => column.notNull())
    .modifyEnd(options)
    .execute();
  const columns = ['removed_at', 'file_id'];
  await queries.schema.createIndex('file_removals_by_age').on('file_removals').columns(columns).execute();
}

async function createPresignedUses(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('presigned_uses')
    .addColumn('token_id', text, column => column.primaryKey().notNull())
    .addColumn('uses', integer, column => column.notNull())
    .addColumn('expires_at', integer, column => column.notNull())
    .modifyEnd(options)
    .execute();
  const index = queries.schema.createIndex('presigned_uses_by_end').on('presigned_uses');
  await index.column('expires_at').execute();
}
