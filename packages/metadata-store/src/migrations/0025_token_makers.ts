/** Adds a token's maker, so that the token can end when the maker leaves. */
import type { MetadataMigration } from '../schema.ts';

export const tokenMakers: MetadataMigration = {
  version: 25,
  name: 'token makers',
  apply: async (queries, { text }) => {
    await queries.schema.alterTable('tokens').addColumn('maker_user_id', text).execute();
  },
};
