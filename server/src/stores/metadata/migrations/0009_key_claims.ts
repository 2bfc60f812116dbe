/** Claims of nodes on the Idempotency-Keys of log requests. */
import type { MetadataMigration } from '../schema.ts';

export const keyClaims: MetadataMigration = {
  version: 9,
  name: 'key claims',
  apply: async (queries, { text, integer, options }) => {
    await queries.schema
      .createTable('key_claims')
      .addColumn('scope_hash', text, column => column.primaryKey().notNull())
      .addColumn('body_hash', text, column => column.notNull())
      .addColumn('node_id', text, column => column.notNull())
      .addColumn('attempt_id', text, column => column.notNull())
      .addColumn('trace_id', text)
      .addColumn('expires_at', integer, column => column.notNull())
      .modifyEnd(options)
      .execute();
    await queries.schema.createIndex('key_claims_by_end').on('key_claims').column('expires_at').execute();
    const byNode = queries.schema.createIndex('key_claims_unresolved').on('key_claims');
    // Those under way: a handful.
    await byNode.columns(['node_id', 'trace_id']).where('trace_id', 'is', null).execute();
  },
};
