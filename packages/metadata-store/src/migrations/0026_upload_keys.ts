/** Adds Idempotency-Keys of uploads, and the file that each stored. */
import type { MetadataMigration } from '../schema.ts';

export const uploadKeys: MetadataMigration = {
  version: 26,
  name: 'upload keys',
  apply: async (queries, { text, integer, options }) => {
    await queries.schema
      .createTable('upload_keys')
      .addColumn('scope_hash', text, column => column.primaryKey().notNull())
      .addColumn('content_hash', text, column => column.notNull())
      .addColumn('file_id', text, column => column.notNull())
      .addColumn('expires_at', integer, column => column.notNull())
      .modifyEnd(options)
      .execute();
    await queries.schema.createIndex('upload_keys_by_end').on('upload_keys').column('expires_at').execute();
  },
};
