/** Stores dashboard sessions and failed sign-ins as rows. */
import type { SignInRecords } from '@tapedeck/domain/ports/metadata';
import type { Queries } from './schema.ts';
import { signInFailures, signInSessions } from './tables/people.ts';
import { deleteRow } from './writeOutcomes.ts';

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
      await queries.insertInto('sign_in_sessions').values(signInSessions.compose(session)).execute();
    },
    findSession: async hash => {
      const query = queries.selectFrom('sign_in_sessions').selectAll().where('hash', '=', hash);
      return signInSessions.parseFound(await query.executeTakeFirst());
    },
    extendSession: async (hash, expiresAt) => {
      await queries
        .updateTable('sign_in_sessions')
        .set({ expires_at: expiresAt })
        .where('hash', '=', hash)
        .execute();
    },
    removeSession: hash => deleteRow(queries.deleteFrom('sign_in_sessions').where('hash', '=', hash)),
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
      return rows.map(signInSessions.parse);
    },
  };
}

function buildFailureRecords(queries: Queries): Omit<SignInRecords, SessionCalls> {
  return {
    findFailures: async key => {
      const query = queries.selectFrom('sign_in_failures').selectAll().where('key', '=', key);
      return signInFailures.parseFound(await query.executeTakeFirst());
    },
    putFailures: async attempts => {
      const row = signInFailures.compose(attempts);
      const insertion = queries.insertInto('sign_in_failures').values(row);
      await insertion
        .onConflict(conflict => conflict.column('key').doUpdateSet(signInFailures.excluded))
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
