/** Adds the maker of a token, so that it can end when they leave. */
import type { MetadataMigration } from '../schema.ts';

export const tokenMakers: MetadataMigration = {
  version: 25,
  name: 'token makers',
  apply: async (queries, { text }) => {
    await queries.schema.alterTable('tokens').addColumn('maker_user_id', text).execute();
  },
};
