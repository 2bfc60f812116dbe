/** Stores tokens as rows: hashes, never the tokens themselves. */

import type { Token, TokenRecords } from '@tapedeck/domain/ports/metadata';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { sql } from 'kysely';
import { splitIntoChunks } from './queryChunks.ts';
import type { Revision } from './revision.ts';
import type { Queries } from './schema.ts';
import { tokens } from './tables/access.ts';

export function buildTokenRecords(queries: Queries, revision: Revision): TokenRecords {
  return {
    insert: async token => insertToken(queries, token, await revision.claim()),
    find: async id => {
      return tokens.parseFound(
        await queries.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirst(),
      );
    },
    list: async project => {
      let query = queries.selectFrom('tokens').selectAll().where('revoked_at', 'is', null);
      if (project !== null) query = query.where('project', '=', project);
      const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').execute();
      return rows.map(tokens.parse);
    },
    revoke: async (ids, at) => revokeFamilies(queries, ids, { at, revision: await revision.claim() }),
    recordUses: uses => recordUses(queries, uses),
  };
}

async function insertToken(queries: Queries, token: Token, revision: number): Promise<void> {
  const result = await queries
    .insertInto('tokens')
    .values({ ...tokens.compose(token), revision })
    .onConflict(conflict => conflict.column('hash').doNothing())
    .executeTakeFirst();
  if (result.numInsertedOrUpdatedRows === 0n) {
    throw new ServiceError('name_taken', 'This token already exists. Choose another.');
  }
}

type Revocation = { at: number; revision: number };

/** Returns the ids of the tokens that were valid until now. */
async function revokeFamilies(
  queries: Queries,
  ids: readonly string[],
  { at, revision }: Revocation,
): Promise<string[]> {
  const revoked: string[] = [];
  for (const roots of splitIntoChunks(ids)) {
    // Ids instead of one statement: planners expect a family to be large, and would read whole tables.
    for (const family of splitIntoChunks(await findFamilies(queries, roots))) {
      const reported = queries.selectFrom('sdk_session_tokens').where('token_id', 'in', family);
      const sessions = await reported.select('session_id').distinct().execute();
      for (const chunk of splitIntoChunks(sessions.map(({ session_id }) => session_id)))
        await queries.deleteFrom('sdk_sessions').where('id', 'in', chunk).execute();
      const living = queries.updateTable('tokens').where('id', 'in', family).where('revoked_at', 'is', null);
      const rows = await living.set({ revoked_at: at, revision }).returning('id').execute();
      revoked.push(...rows.map(({ id }) => id));
    }
  }
  return revoked;
}

/** Finds the tokens, those that they minted, and so on. */
async function findFamilies(queries: Queries, roots: readonly string[]): Promise<string[]> {
  const found = await sql<{ id: string }>`with recursive family(id) as (
      select id from tokens where id in (${sql.join(roots)})
      union select tokens.id from tokens join family on tokens.maker_id = family.id
    ) select id from family`.execute(queries);
  return found.rows.map(({ id }) => id);
}

async function recordUses(queries: Queries, uses: readonly { id: string; usedAt: number }[]): Promise<void> {
  const latest = new Map<string, number>();
  for (const { id, usedAt } of uses) latest.set(id, Math.max(usedAt, latest.get(id) ?? usedAt));
  // Sorted by id, so that two nodes that record the same tokens lock them in the same order.
  const pairs = [...latest].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const chunk of splitIntoChunks(pairs)) {
    const values = chunk.map(([id, usedAt]) => sql`(cast(${id} as text), cast(${usedAt} as bigint))`);
    await sql`update tokens set last_used_at = used.column2 from (values ${sql.join(values)}) as used
      where tokens.id = used.column1
      and (tokens.last_used_at is null or tokens.last_used_at < used.column2)`.execute(queries);
  }
}
