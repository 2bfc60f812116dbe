/** Adds file visibility, the trash, and the changes by which searches follow the records. */
import type { TableWords } from '@tapedeck/metadata-database';
import type { MetadataMigration, Queries } from '../schema.ts';

export const library: MetadataMigration = {
  version: 28,
  name: 'library',
  apply: async (queries, words) => {
    await addColumns(queries, words);
    await createChanges(queries, words);
    await createTrash(queries, words);
  },
};

/** Empty values mean that an earlier version wrote the row. */
async function addColumns(queries: Queries, { text, integer }: TableWords): Promise<void> {
  const { schema } = queries;
  await schema.alterTable('files').addColumn('visibility', text).execute();
  await schema.alterTable('file_usage').addColumn('last_change', integer).execute();
  await schema.alterTable('file_usage').addColumn('trashed_files', integer).execute();
  await schema.alterTable('file_usage').addColumn('trashed_bytes', integer).execute();
  await schema.alterTable('projects').addColumn('library', text).execute();
}

/** Holds changed and removed files, in order. Uploads need no row here, because their positions rise. */
async function createChanges(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('file_changes')
    .addColumn('project', text, column => column.notNull())
    .addColumn('change', integer, column => column.notNull())
    .addColumn('position', integer, column => column.notNull())
    .addPrimaryKeyConstraint('file_changes_key', ['project', 'change'])
    .modifyEnd(options)
    .execute();
}

/** Holds whole rows of `files`, where no other query finds them. */
async function createTrash(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('trashed_files')
    .addColumn('id', text, column => column.primaryKey().notNull())
    .addColumn('project', text, column => column.notNull().references('projects.slug'))
    .addColumn('position', integer, column => column.notNull())
    .addColumn('key', text, column => column.notNull())
    .addColumn('created_at', integer, column => column.notNull())
    .addColumn('trashed_at', integer, column => column.notNull())
    .addColumn('row', text, column => column.notNull())
    .modifyEnd(options)
    .execute();
  const index = (name: string, columns: string[]) =>
    queries.schema.createIndex(name).on('trashed_files').columns(columns);
  await index('trashed_files_by_position', ['project', 'position']).execute();
  await index('trashed_files_by_key', ['project', 'key']).execute();
  await index('trashed_files_by_age', ['project', 'created_at', 'id']).execute();
  await index('trashed_files_by_end', ['project', 'trashed_at', 'id']).execute();
}
