/** Adds the hash of what was sent, where a file was changed before it was stored. */
import type { MetadataMigration } from '../schema.ts';

export const sentHashes: MetadataMigration = {
  version: 32,
  name: 'sent hashes',
  apply: async (queries, { text }) => {
    await queries.schema.alterTable('files').addColumn('sent_sha256', text).execute();
  },
};
