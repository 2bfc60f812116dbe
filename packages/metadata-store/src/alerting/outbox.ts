/** Finds pending deliveries by channel, at the same speed however many were delivered. */

import type { DeliveryAttempt, DueTimes, OutboxRecords } from '@tapedeck/alerting';
import { sql } from 'kysely';
import type { Queries } from '../schema.ts';
import { deliveries } from '../tables/alerting.ts';

const untried = '[]';
const attemptsReadMax = 1_000; // per channel and minute; a channel sends ten

export function buildOutboxRecords(queries: Queries): OutboxRecords {
  return {
    listDueChannels: times => listDueChannels(queries, times),
    ...buildReaders(queries),
    ...buildChanges(queries),
    measure: query => measure(queries, query),
  };
}

async function listDueChannels(queries: Queries, { now, latest }: DueTimes) {
  return queries
    .selectFrom('channels')
    .select(['id', 'project'])
    .where('off_at', 'is', null)
    .where(is =>
      is.or([is('held_until', 'is', null), is('held_until', '<=', now), is('held_until', '>', latest)]),
    )
    .where(({ exists, or, selectFrom }) => {
      const pending = selectFrom('deliveries')
        .select('deliveries.id')
        .whereRef('deliveries.channel', '=', 'channels.id')
        .where('deliveries.state', '=', 'pending');
      return or([
        exists(pending.where('deliveries.due_at', '<=', now)),
        exists(pending.where('deliveries.due_at', '>', latest)),
      ]);
    })
    .orderBy('id')
    .execute();
}

type Readers = Pick<OutboxRecords, 'listDue' | 'listBegun' | 'listFresh' | 'listAttempts'>;

function buildReaders(queries: Queries): Readers {
  const of = (channel: string) => queries.selectFrom('deliveries').where('channel', '=', channel);
  const pending = (channel: string) => of(channel).selectAll().where('state', '=', 'pending');
  const ofRules = (channel: string) => pending(channel).where('type', 'like', 'rule%');
  return {
    listDue: async ({ channel, times: { now, latest }, isOfRules, limit }) => {
      const waiting = pending(channel)
        .where('type', isOfRules ? 'like' : 'not like', 'rule%')
        .orderBy('due_at')
        .orderBy('id');
      const due = await waiting.where('due_at', '<=', now).limit(limit).execute();
      const left = limit - due.length;
      // Two ranges of the index, because one query for both would read all that waits.
      const written = left > 0 ? await waiting.where('due_at', '>', latest).limit(left).execute() : [];
      return [...due, ...written].map(deliveries.parse);
    },
    listBegun: async channel => {
      const begun = ofRules(channel).where(is =>
        is.or([is('attempts', '!=', untried), is('type', '=', 'rules.merged')]),
      );
      return (await begun.execute()).map(deliveries.parse);
    },
    listFresh: async ({ channel, afterId, limit }) => {
      const fresh = ofRules(channel)
        .where('attempts', '=', untried)
        .where('id', '>', afterId)
        .whereRef('id', '=', 'message_id');
      return (await fresh.orderBy('id').limit(limit).execute()).map(deliveries.parse);
    },
    listAttempts: async (channel, since) => {
      const ofChannel = of(channel)
        .select('attempts')
        .where('type', 'like', 'rule%')
        .where(is => is.or([is('state', '=', 'pending'), is('ended_at', '>', since)]))
        .where('attempts', '!=', untried)
        .orderBy('id', 'desc')
        .limit(attemptsReadMax);
      const rows = await ofChannel.execute();
      // The type that `deliveries` describes for the column.
      const attempts = rows.flatMap(row => JSON.parse(row.attempts) as DeliveryAttempt[]);
      return attempts.map(({ at }) => at).filter(at => at > since);
    },
  };
}

type Changes = Pick<OutboxRecords, 'endAsMerged' | 'hasten' | 'giveUpStranded' | 'removeSome'>;

function buildChanges(queries: Queries): Changes {
  return {
    endAsMerged: async (ids, at) => {
      if (ids.length === 0) return;
      const ended = { state: 'merged', ended_at: at } as const;
      await queries.updateTable('deliveries').set(ended).where('id', 'in', ids).execute();
    },
    hasten: async (channel, now) => {
      await queries
        .updateTable('deliveries')
        .set({ due_at: now })
        .where('channel', '=', channel)
        .where('state', '=', 'pending')
        .where('due_at', '>', now)
        .execute();
    },
    giveUpStranded: async ({ createdBefore, now }) => {
      const off = queries.selectFrom('channels').select('id').where('off_at', 'is not', null);
      await queries
        .updateTable('deliveries')
        .set({ state: 'failed', ended_at: now })
        .where('channel', 'in', off)
        .where('state', '=', 'pending')
        .where('created_at', '<', createdBefore)
        .execute();
    },
    removeSome: async (channel, limit) => {
      const some = queries.selectFrom('deliveries').select('id').where('channel', '=', channel).limit(limit);
      const result = await queries.deleteFrom('deliveries').where('id', 'in', some).executeTakeFirst();
      return Number(result.numDeletedRows);
    },
  };
}

async function measure(
  queries: Queries,
  { now, failedSinceMs }: Parameters<OutboxRecords['measure']>[0],
): ReturnType<OutboxRecords['measure']> {
  const count = sql<number>`count(*)`.as('count');
  const waiting = await queries
    .selectFrom('deliveries')
    .innerJoin('channels', 'channels.id', 'deliveries.channel')
    .select(({ fn }) => [count, fn.min('deliveries.created_at').as('oldest')])
    .where('state', '=', 'pending')
    .where('off_at', 'is', null)
    .executeTakeFirst();
  const failed = await queries
    .selectFrom('deliveries')
    .select(count)
    .where('ended_at', '>', now - failedSinceMs)
    .where('state', '=', 'failed')
    .executeTakeFirst();
  const off = await queries
    .selectFrom('channels')
    .select(count)
    .where('off_at', 'is not', null)
    .executeTakeFirst();
  // PostgreSQL returns counts as texts, and an empty outbox has no oldest.
  const oldest = waiting?.oldest ?? null;
  return {
    waiting: Number(waiting?.count ?? 0),
    oldestMs: oldest === null ? 0 : Math.max(now - Number(oldest), 0),
    failed: Number(failed?.count ?? 0),
    channelsOff: Number(off?.count ?? 0),
  };
}
