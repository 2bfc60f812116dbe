/** Stores reporting sessions as rows: one per identity in a project, and one per token that reported it. */

import type { SdkIdentity, SdkSession, SdkSessions, SessionLife } from '@tapedeck/domain/ports/sdkSessions';
import { type BatchQuery, BatchRefused, type RowOf } from '@tapedeck/metadata-database';
import { newSortableId } from '@tapedeck/values/random-ids';
import { sql } from 'kysely';
import { composeEvent, writeSessionEvent } from './alerting/events.ts';
import type { MetadataDatabase, Queries } from './schema.ts';
import { sdkSessions } from './tables/access.ts';

export function buildSdkSessions(database: MetadataDatabase): SdkSessions {
  const { reading } = database;
  return {
    open: session =>
      succeeds(database, queries => [
        ...composeOpening(queries, session),
        composeSessionEvent(queries, 'session.opened', { session, at: session.createdAt }),
      ]),
    join: (id, tokenId, life) =>
      succeeds(database, queries => [
        { query: composeExtension(queries, id, life), rowsMin: 1 },
        { query: composeReporter(queries, id, tokenId) },
      ]),
    find: async id => {
      const rows = await selectSessions(reading).where('sdk_sessions.id', '=', id).execute();
      return parseSessions(rows)[0] ?? null;
    },
    findLiving: async (project, identity, now) => {
      const living = selectSessions(reading).where('sdk_sessions.expires_at', '>', now);
      const ofIdentity = living.where('sdk_sessions.identity', '=', writeIdentity(identity));
      return parseSessions(await ofIdentity.where('sdk_sessions.project', '=', project).execute())[0] ?? null;
    },
    extend: (id, life) =>
      succeeds(database, queries => [{ query: composeExtension(queries, id, life), rowsMin: 1 }]),
    end: async (id, now) => {
      const [session] = parseSessions(
        await selectSessions(reading).where('sdk_sessions.id', '=', id).execute(),
      );
      if (session === undefined) return;
      await succeeds(database, queries => [
        // A second caller finds nothing to end, and sends no event.
        { query: queries.deleteFrom('sdk_sessions').where('id', '=', id), rowsMin: 1 },
        composeSessionEvent(queries, 'session.ended', { session, at: now }),
      ]);
    },
    list: async (project, now) => {
      const living = selectSessions(reading).where('sdk_sessions.expires_at', '>', now);
      return parseSessions(await living.where('sdk_sessions.project', '=', project).execute());
    },
    listExpired: async (project, { after, upTo }) => {
      const expired = selectSessions(reading)
        .where('sdk_sessions.expires_at', '>', after)
        .where('sdk_sessions.expires_at', '<=', upTo);
      return parseSessions(await expired.where('sdk_sessions.project', '=', project).execute());
    },
    removeExpired: async now => {
      await database.transactBatch(queries => [
        { query: queries.deleteFrom('sdk_sessions').where('expires_at', '<', now) },
      ]);
    },
  };
}

/** Composes the event for subscribed channels. */
function composeSessionEvent(
  queries: Queries,
  type: 'session.opened' | 'session.ended',
  { session, at }: { session: SdkSession; at: number },
): BatchQuery {
  const { project } = session;
  const event = writeSessionEvent(type, session, at);
  return { query: composeEvent(queries, { type, project, id: newSortableId(at), at, event }) };
}

/** Returns false if a query found too few rows. The whole batch is then rolled back. */
async function succeeds(
  database: MetadataDatabase,
  compose: (queries: Queries) => readonly BatchQuery[],
): Promise<boolean> {
  try {
    await database.transactBatch(compose);
    return true;
  } catch (error) {
    if (error instanceof BatchRefused) return false;
    throw error;
  }
}

/** Replaces an expired session as if it had never existed. */
function composeOpening(queries: Queries, session: SdkSession): BatchQuery[] {
  const { id, project, tokenIds } = session;
  const identity = writeIdentity(session.identity);
  const row = { ...sdkSessions.compose(session), identity, token_id: tokenIds[0] ?? '' };
  const expired = queries.deleteFrom('sdk_sessions').where('expires_at', '<=', session.refreshedAt);
  return [
    { query: expired.where('project', '=', project).where('identity', '=', identity) },
    {
      query: queries
        .insertInto('sdk_sessions')
        .values(row)
        .onConflict(conflict => conflict.columns(['project', 'identity']).doNothing()),
      rowsMin: 1,
    },
    ...tokenIds.map(tokenId => ({ query: composeReporter(queries, id, tokenId) })),
  ];
}

/** Selects the session, so that the row only exists if the session does. */
function composeReporter(queries: Queries, sessionId: string, tokenId: string) {
  const position = sql<number>`(select count(*) from sdk_session_tokens where session_id = ${sessionId})`;
  const session = queries.selectFrom('sdk_sessions').where('id', '=', sessionId);
  return queries
    .insertInto('sdk_session_tokens')
    .columns(['session_id', 'token_id', 'position'])
    .expression(
      session.select(['id', sql<string>`cast(${tokenId} as text)`.as('token_id'), position.as('position')]),
    )
    .onConflict(conflict => conflict.columns(['session_id', 'token_id']).doNothing());
}

function composeExtension(queries: Queries, id: string, { now, expiresAt }: SessionLife) {
  const change = { expires_at: expiresAt, refreshed_at: now };
  return queries.updateTable('sdk_sessions').set(change).where('id', '=', id).where('expires_at', '>', now);
}

/** A single statement, so a single view: one row per token of each session, latest session first. */
function selectSessions(reading: Queries) {
  return reading
    .selectFrom('sdk_sessions')
    .leftJoin('sdk_session_tokens', 'sdk_session_tokens.session_id', 'sdk_sessions.id')
    .selectAll('sdk_sessions')
    .select('sdk_session_tokens.token_id as reporter_id')
    .orderBy('sdk_sessions.refreshed_at', 'desc')
    .orderBy('sdk_sessions.id')
    .orderBy('sdk_session_tokens.position');
}

/** Writes members in a fixed order, so that equal identities give equal texts. */
function writeIdentity(identity: SdkIdentity): string {
  return identity.sdkType === 'server_a'
    ? JSON.stringify([identity.sdkType, identity.endpoint, identity.resourceName])
    : JSON.stringify([identity.sdkType, identity.universeId, identity.jobId]);
}

function readIdentity(text: string): SdkIdentity {
  // Only `writeIdentity` writes this text.
  const [sdkType, first, second] = JSON.parse(text) as [SdkIdentity['sdkType'], string, string];
  if (sdkType === 'server_a') return { sdkType, endpoint: first, resourceName: second };
  return { sdkType, universeId: first, jobId: second };
}

function parseSessions(
  rows: readonly (RowOf<typeof sdkSessions> & { reporter_id: string | null })[],
): SdkSession[] {
  const sessions = new Map<string, SdkSession & { tokenIds: string[] }>();
  for (const row of rows) {
    const session = sessions.get(row.id) ?? {
      ...sdkSessions.parse(row),
      identity: readIdentity(row.identity),
      tokenIds: [],
    };
    sessions.set(row.id, session);
    if (row.reporter_id !== null) session.tokenIds.push(row.reporter_id);
  }
  return [...sessions.values()];
}
