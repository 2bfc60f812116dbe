/** Reporting sessions as rows: one for each identity of a project. */
import { sql } from 'kysely';
import type { SdkIdentity, SdkSession, SdkSessions, SessionLife } from '../../domain/ports/sdkSessions.ts';
import type { Database } from './database.ts';
import type { SdkSessionRow } from './schema.ts';

type Queries = Parameters<Parameters<Database['transactBatch']>[0]>[0];

export function buildSdkSessions(database: Database): SdkSessions {
  const { reading } = database;
  return {
    report: async session => {
      const [result] = await database.transactBatch(queries => [{ query: composeReport(queries, session) }]);
      // `returningAll` of the one row that the statement wrote.
      return parseSession(result?.rows[0] as SdkSessionRow);
    },
    find: async id => {
      const row = await reading
        .selectFrom('sdk_sessions')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : parseSession(row);
    },
    extend: async (id, life) => {
      const [result] = await database.transactBatch(queries => [
        { query: composeExtension(queries, life).where('id', '=', id) },
      ]);
      return (result?.numAffectedRows ?? 0n) > 0n;
    },
    extendByIdentity: async (project, identity, life) => {
      const [result] = await database.transactBatch(queries => {
        const ofIdentity = composeExtension(queries, life).where('identity', '=', writeIdentity(identity));
        return [{ query: ofIdentity.where('project', '=', project).returningAll() }];
      });
      const [row] = result?.rows ?? [];
      // `returningAll` of the one row that the statement wrote, if it found one.
      return row === undefined ? null : parseSession(row as SdkSessionRow);
    },
    end: async id => {
      await database.transactBatch(queries => [
        { query: queries.deleteFrom('sdk_sessions').where('id', '=', id) },
      ]);
    },
    endByIdentity: async (project, identity) => {
      await database.transactBatch(queries => [
        {
          query: queries
            .deleteFrom('sdk_sessions')
            .where('project', '=', project)
            .where('identity', '=', writeIdentity(identity)),
        },
      ]);
    },
    list: (project, now) => listSessions(database, project, now),
    removeExpired: async now => {
      await database.transactBatch(queries => [
        { query: queries.deleteFrom('sdk_sessions').where('expires_at', '<', now) },
      ]);
    },
  };
}

async function listSessions({ reading }: Database, project: string, now: number): Promise<SdkSession[]> {
  const living = reading.selectFrom('sdk_sessions').selectAll().where('expires_at', '>', now);
  const rows = await living
    .where('project', '=', project)
    .orderBy('refreshed_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(parseSession);
}

function composeExtension(queries: Queries, { now, expiresAt }: SessionLife) {
  const change = { expires_at: expiresAt, refreshed_at: now };
  return queries.updateTable('sdk_sessions').set(change).where('expires_at', '>', now);
}

/** A session that has expired is replaced as if it had never been. */
function composeReport(queries: Queries, session: SdkSession) {
  const row: SdkSessionRow = {
    id: session.id,
    project: session.project,
    identity: writeIdentity(session.identity),
    token_id: session.tokenIds.join(' '),
    created_at: session.createdAt,
    refreshed_at: session.refreshedAt,
    expires_at: session.expiresAt,
  };
  const ifExpired = <T>(column: 'id' | 'created_at') =>
    sql<T>`case when sdk_sessions.expires_at <= ${session.refreshedAt}
      then excluded.${sql.ref(column)} else sdk_sessions.${sql.ref(column)} end`;
  return queries
    .insertInto('sdk_sessions')
    .values(row)
    .onConflict(conflict =>
      conflict.columns(['project', 'identity']).doUpdateSet({
        id: ifExpired<string>('id'),
        created_at: ifExpired<number>('created_at'),
        token_id: sql<string>`case
          when sdk_sessions.expires_at <= ${session.refreshedAt} then excluded.token_id
          when ' ' || sdk_sessions.token_id || ' ' like '% ' || excluded.token_id || ' %' then sdk_sessions.token_id
          else sdk_sessions.token_id || ' ' || excluded.token_id end`,
        refreshed_at: row.refreshed_at,
        expires_at: row.expires_at,
      }),
    )
    .returningAll();
}

/** The same text for the same identity: members stand in one order. */
function writeIdentity(identity: SdkIdentity): string {
  return identity.sdkType === 'server_a'
    ? JSON.stringify([identity.sdkType, identity.endpoint, identity.resourceName])
    : JSON.stringify([identity.sdkType, identity.universeId, identity.jobId]);
}

function readIdentity(text: string): SdkIdentity {
  // Written by `writeIdentity` and by nothing else.
  const [sdkType, first, second] = JSON.parse(text) as [SdkIdentity['sdkType'], string, string];
  if (sdkType === 'server_a') return { sdkType, endpoint: first, resourceName: second };
  return { sdkType, universeId: first, jobId: second };
}

function parseSession(row: SdkSessionRow): SdkSession {
  return {
    id: row.id,
    project: row.project,
    identity: readIdentity(row.identity),
    tokenIds: row.token_id.split(' '),
    createdAt: row.created_at,
    refreshedAt: row.refreshed_at,
    expiresAt: row.expires_at,
  };
}
