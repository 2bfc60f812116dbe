/** Tokens as rows: their hashes, never themselves. */
import { sql } from 'kysely';
import type { Token, TokenRecords } from '../../domain/ports/metadata.ts';
import { ServiceError } from '../../vocabulary.ts';
import type { Queries } from './database.ts';
import type { Revision } from './revision.ts';
import type { TokenRow } from './schema.ts';

const usesPerQueryMax = 500; // two parameters each, far below what either dialect binds

export function buildTokenRecords(queries: Queries, revision: Revision): TokenRecords {
  return {
    insert: async token => insertToken(queries, token, await revision.take()),
    find: async id => {
      const row = await queries.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : parseToken(row);
    },
    list: async project => {
      let query = queries.selectFrom('tokens').selectAll().where('revoked_at', 'is', null);
      if (project !== null) query = query.where('project', '=', project);
      const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').execute();
      return rows.map(parseToken);
    },
    revoke: async (id, at) => {
      // Ids are letters and digits; a session has the ids of all who reported it.
      await queries.deleteFrom('sdk_sessions').where('token_id', 'like', `%${id}%`).execute();
      const result = await queries
        .updateTable('tokens')
        .set({ revoked_at: at, revision: await revision.take() })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    recordUses: uses => recordUses(queries, uses),
  };
}

async function insertToken(queries: Queries, token: Token, revision: number): Promise<void> {
  const row: TokenRow = {
    id: token.id,
    project: token.project,
    kind: token.kind,
    name: token.name,
    prefix: token.prefix,
    hash: token.hash,
    scopes: JSON.stringify(token.scopes),
    created_at: token.createdAt,
    created_by: token.createdBy,
    expires_at: token.expiresAt,
    last_used_at: token.lastUsedAt,
    revoked_at: token.revokedAt,
    revision,
  };
  const result = await queries
    .insertInto('tokens')
    .values(row)
    .onConflict(conflict => conflict.column('hash').doNothing())
    .executeTakeFirst();
  if (result.numInsertedOrUpdatedRows === 0n) {
    throw new ServiceError('name_taken', 'This token exists already: choose another.');
  }
}

async function recordUses(queries: Queries, uses: readonly { id: string; usedAt: number }[]): Promise<void> {
  const latest = new Map<string, number>();
  for (const { id, usedAt } of uses) latest.set(id, Math.max(usedAt, latest.get(id) ?? usedAt));
  // In the order of their ids: two nodes that record the same tokens lock them in the same order.
  const pairs = [...latest].sort(([a], [b]) => (a < b ? -1 : 1));
  for (let start = 0; start < pairs.length; start += usesPerQueryMax) {
    const values = pairs
      .slice(start, start + usesPerQueryMax)
      .map(([id, usedAt]) => sql`(cast(${id} as text), cast(${usedAt} as bigint))`);
    await sql`update tokens set last_used_at = used.column2 from (values ${sql.join(values)}) as used
      where tokens.id = used.column1
      and (tokens.last_used_at is null or tokens.last_used_at < used.column2)`.execute(queries);
  }
}

export function parseToken(row: TokenRow): Token {
  return {
    id: row.id,
    project: row.project,
    kind: row.kind,
    name: row.name,
    prefix: row.prefix,
    hash: row.hash,
    // Written by `insertToken` from the same type and by nothing else.
    scopes: JSON.parse(row.scopes) as string[],
    createdAt: row.created_at,
    createdBy: row.created_by,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}
