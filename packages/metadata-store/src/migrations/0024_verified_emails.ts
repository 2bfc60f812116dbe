/** Adds a user's verified email address. */
import type { MetadataMigration } from '../schema.ts';

export const verifiedEmails: MetadataMigration = {
  version: 24,
  name: 'verified emails',
  apply: async (queries, { text }) => {
    await queries.schema.alterTable('users').addColumn('verified_email', text).execute();
  },
};
