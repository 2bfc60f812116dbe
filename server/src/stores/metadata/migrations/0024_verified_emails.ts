/** Adds the verified email address of a user. */
import type { MetadataMigration } from '../schema.ts';

export const verifiedEmails: MetadataMigration = {
  version: 24,
  name: 'verified emails',
  apply: async (queries, { text }) => {
    await queries.schema.alterTable('users').addColumn('verified_email', text).execute();
  },
};
