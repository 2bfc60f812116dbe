/** Writes events for subscribed channels, in the transaction that causes them. */

import type { SdkSession } from '@tapedeck/domain/ports/sdkSessions';
import type { ChannelEvent } from '@tapedeck/domain/vocabulary';
import { sql } from 'kysely';
import type { Queries } from '../schema.ts';

type OutboxEvent = {
  type: ChannelEvent;
  project: string;
  /** The id of the file or session. Ids sort by time. */
  id: string;
  at: number;
  /** The event as JSON. The sender adds the address that shows it. */
  event: string;
};

const idCharacters = { event: 14, channel: 6 }; // the first characters hold the time

/** Inserts an outbox row for each subscribed channel; mostly there are none. */
export function composeEvent(queries: Queries, { type, project, id, at, event }: OutboxEvent) {
  const text = (value: string) => sql<string>`cast(${value} as text)`;
  const now = sql<number>`cast(${at} as bigint)`;
  const rowId = sql<string>`substr(cast(${id} as text), 1, ${sql.lit(idCharacters.event)}) || substr(channels.id, 1, ${sql.lit(idCharacters.channel)})`;
  const subscribed = queries
    .selectFrom('channels')
    .where('project', '=', project)
    .where('off_at', 'is', null)
    .where('events', 'like', sql<string>`${sql.lit(`%"${type}"%`)}`);
  const rows = subscribed.select([
    rowId.as('id'),
    'channels.project',
    'channels.id as channel',
    text(type).as('type'),
    rowId.as('message_id'),
    text(event).as('event'),
    sql<'pending'>`cast('pending' as text)`.as('state'),
    now.as('due_at'),
    sql<string>`cast('[]' as text)`.as('attempts'),
    now.as('created_at'),
  ]);
  return queries
    .insertInto('deliveries')
    .columns([
      'id',
      'project',
      'channel',
      'type',
      'message_id',
      'event',
      'state',
      'due_at',
      'attempts',
      'created_at',
    ])
    .expression(rows);
}

export function writeSessionEvent(
  type: 'session.opened' | 'session.ended',
  { id, project, identity, createdAt }: SdkSession,
  at: number,
): string {
  const session = { id, ...identity, createdAt: new Date(createdAt).toISOString() };
  return JSON.stringify({ type, at, project, url: '', session });
}
