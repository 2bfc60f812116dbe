/** Adds the number of each token's requests in its current minute, over all nodes. */
import type { MetadataMigration } from '../schema.ts';

export const rateWindows: MetadataMigration = {
  version: 13,
  name: 'rate windows',
  apply: async (queries, { text, integer, options }) => {
    await queries.schema
      .createTable('rate_windows')
      .addColumn('token_id', text, column => column.primaryKey().notNull())
      .addColumn('started_at', integer, column => column.notNull())
      .addColumn('requests', integer, column => column.notNull())
      .addColumn('granted', integer, column => column.notNull())
      .modifyEnd(options)
      .execute();
  },
};
