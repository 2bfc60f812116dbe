/** Adds the hash of the bytes as sent, for files that were changed before they were stored. */
import type { MetadataMigration } from '../schema.ts';

export const sentHashes: MetadataMigration = {
  version: 32,
  name: 'sent hashes',
  apply: async (queries, { text }) => {
    await queries.schema.alterTable('files').addColumn('sent_sha256', text).execute();
  },
};
