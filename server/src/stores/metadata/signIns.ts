/** Dashboard sessions and failed sign-ins as rows. */
import type { SignInRecords, SignInSession } from '../../domain/ports/metadata.ts';
import type { Queries, SignInSessionRow } from './schema.ts';

export function buildSignInRecords(queries: Queries): SignInRecords {
  return { ...buildSessionRecords(queries), ...buildFailureRecords(queries) };
}

type SessionCalls =
  | 'insertSession'
  | 'findSession'
  | 'extendSession'
  | 'removeSession'
  | 'removeSessionsOfUser'
  | 'listSessionsOfUser';

function buildSessionRecords(queries: Queries): Pick<SignInRecords, SessionCalls> {
  return {
    insertSession: async session => {
      await queries.insertInto('sign_in_sessions').values(composeSession(session)).execute();
    },
    findSession: async hash => {
      const query = queries.selectFrom('sign_in_sessions').selectAll().where('hash', '=', hash);
      const row = await query.executeTakeFirst();
      return row === undefined ? null : parseSession(row);
    },
    extendSession: async (hash, expiresAt) => {
      await queries
        .updateTable('sign_in_sessions')
        .set({ expires_at: expiresAt })
        .where('hash', '=', hash)
        .execute();
    },
    removeSession: async hash => {
      const result = await queries.deleteFrom('sign_in_sessions').where('hash', '=', hash).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    removeSessionsOfUser: async (userId, keepHash) => {
      let query = queries.deleteFrom('sign_in_sessions').where('user_id', '=', userId);
      if (keepHash !== null) query = query.where('hash', '!=', keepHash);
      await query.execute();
    },
    listSessionsOfUser: async userId => {
      const rows = await queries
        .selectFrom('sign_in_sessions')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_at', 'desc')
        .orderBy('hash')
        .execute();
      return rows.map(parseSession);
    },
  };
}

function buildFailureRecords(queries: Queries): Omit<SignInRecords, SessionCalls> {
  return {
    findFailures: async key => {
      const query = queries.selectFrom('sign_in_failures').selectAll().where('key', '=', key);
      const row = await query.executeTakeFirst();
      if (row === undefined) return null;
      return { key: row.key, failures: row.failures, lastFailedAt: row.last_failed_at };
    },
    putFailures: async ({ key, failures, lastFailedAt }) => {
      await queries
        .insertInto('sign_in_failures')
        .values({ key, failures, last_failed_at: lastFailedAt })
        .onConflict(conflict =>
          conflict.column('key').doUpdateSet({ failures, last_failed_at: lastFailedAt }),
        )
        .execute();
    },
    removeFailures: async key => {
      await queries.deleteFrom('sign_in_failures').where('key', '=', key).execute();
    },
    removeStale: async ({ sessionsEndedAt, failuresSeenAt }) => {
      await queries.deleteFrom('sign_in_sessions').where('expires_at', '<', sessionsEndedAt).execute();
      await queries.deleteFrom('sign_in_failures').where('last_failed_at', '<', failuresSeenAt).execute();
    },
  };
}

function composeSession(session: SignInSession): SignInSessionRow {
  return {
    hash: session.hash,
    user_id: session.userId,
    created_at: session.createdAt,
    expires_at: session.expiresAt,
    address: session.address,
    user_agent: session.userAgent,
    way: session.way,
  };
}

function parseSession(row: SignInSessionRow): SignInSession {
  return {
    hash: row.hash,
    userId: row.user_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    address: row.address,
    userAgent: row.user_agent,
    way: row.way,
  };
}
