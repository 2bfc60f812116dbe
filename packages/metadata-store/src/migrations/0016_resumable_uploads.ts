/** Adds resumable uploads. Rows exist while bytes arrive, and for a day longer. */
import type { MetadataMigration } from '../schema.ts';

export const resumableUploads: MetadataMigration = {
  version: 16,
  name: 'resumable uploads',
  apply: async (queries, { text, integer, options }) => {
    await queries.schema
      .createTable('resumable_uploads')
      .addColumn('id', text, column => column.primaryKey().notNull())
      .addColumn('project', text, column => column.notNull())
      .addColumn('maker', text, column => column.notNull())
      .addColumn('fields', text, column => column.notNull())
      .addColumn('metadata_header', text, column => column.notNull())
      .addColumn('length_bytes', integer)
      .addColumn('size_bytes', integer, column => column.notNull())
      // What it takes of the project's quota: nothing once it is a file.
      .addColumn('charged_bytes', integer, column => column.notNull())
      .addColumn('expires_at', integer, column => column.notNull())
      .addColumn('holder', text, column => column.notNull())
      .addColumn('held_until', integer, column => column.notNull())
      .addColumn('file_id', text)
      .modifyEnd(options)
      .execute();
    for (const column of ['project', 'expires_at']) {
      const index = queries.schema.createIndex(`resumable_uploads_by_${column}`).on('resumable_uploads');
      await index.column(column).execute();
    }
  },
};
