/** Adds the origin of credentials: the tokens that reported a session, and the token that minted another. */

import type { TableWords } from '@tapedeck/metadata-database';
import type { MetadataMigration, Queries } from '../schema.ts';

export const derivedCredentials: MetadataMigration = {
  version: 12,
  name: 'derived credentials',
  apply: async (queries, words) => {
    await createReporters(queries, words);
    await queries.schema.alterTable('tokens').addColumn('maker_id', words.text).execute();
    const byMaker = queries.schema.createIndex('tokens_by_maker').on('tokens').column('maker_id');
    await byMaker.where('maker_id', 'is not', null).execute(); // users create most tokens
  },
  fill: carryReporters,
};

async function createReporters(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('sdk_session_tokens')
    // Older programs change the id of an expired session; this version makes a new row.
    .addColumn('session_id', text, column =>
      column.notNull().references('sdk_sessions.id').onDelete('cascade').onUpdate('cascade'),
    )
    .addColumn('token_id', text, column => column.notNull())
    .addColumn('position', integer, column => column.notNull())
    .addPrimaryKeyConstraint('sdk_session_tokens_key', ['session_id', 'token_id'])
    .modifyEnd(options)
    .execute();
  const byToken = queries.schema.createIndex('sdk_session_tokens_by_token').on('sdk_session_tokens');
  await byToken.column('token_id').execute();
  await queries.schema.dropIndex('sdk_sessions_by_token').execute();
}

const sessionsPerPage = 100; // with five tokens each, as many parameters as other inserts bind

/** Writes a row for each token in the lists that the previous version kept in `sdk_sessions.token_id`. */
export async function carryReporters(queries: Queries): Promise<void> {
  let afterId = '';
  for (;;) {
    const sessions = await queries
      .selectFrom('sdk_sessions')
      .select(['id', 'token_id'])
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(sessionsPerPage)
      .execute();
    for (const { id, token_id } of sessions) {
      const reporters = [...new Set(token_id.split(' '))];
      const rows = reporters.map((reporter, position) => ({ session_id: id, token_id: reporter, position }));
      await queries.insertInto('sdk_session_tokens').values(rows).execute();
    }
    if (sessions.length < sessionsPerPage) return;
    afterId = sessions.at(-1)!.id;
  }
}
