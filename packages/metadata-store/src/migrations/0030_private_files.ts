/** Adds the places of private files, and the files whose bytes are moving. */
import type { MetadataMigration } from '../schema.ts';

export const privateFiles: MetadataMigration = {
  version: 30,
  name: 'private places', // as databases have recorded it
  apply: async (queries, { text, integer, options }) => {
    const { schema } = queries;
    await schema.alterTable('files').addColumn('blob_secret', text).execute();
    await schema
      .createTable('file_moves')
      .addColumn('file_id', text, column => column.primaryKey().notNull())
      .addColumn('secrets', text, column => column.notNull())
      .addColumn('marks', integer, column => column.notNull())
      .addColumn('due_at', integer, column => column.notNull())
      .modifyEnd(options)
      .execute();
    await schema.createIndex('file_moves_by_due').on('file_moves').column('due_at').execute();
  },
};
