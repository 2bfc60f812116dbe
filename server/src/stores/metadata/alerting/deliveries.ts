/** Past and pending deliveries as rows. */
import type { Delivery, DeliveryRecords, NotificationRecords } from '@tapedeck/alerting';
import { splitIntoChunks } from '../chunks.ts';
import type { DeliveryRow, Queries } from '../schema.ts';

export function buildDeliveryRecords(queries: Queries): DeliveryRecords {
  const select = () => queries.selectFrom('deliveries').selectAll('deliveries');
  return {
    insert: async deliveries => {
      for (const chunk of splitIntoChunks(deliveries))
        await queries.insertInto('deliveries').values(chunk.map(composeRow)).execute();
    },
    update: async delivery => {
      const { id, state, due_at, attempts, ended_at } = composeRow(delivery);
      const changes = { state, due_at, attempts, ended_at };
      await queries.updateTable('deliveries').set(changes).where('id', '=', id).execute();
    },
    find: async id => {
      const row = await select().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : parseDelivery(row);
    },
    list: async ({ project, channel, rule, beforeId, limit }) => {
      let page = select().where('project', '=', project);
      if (channel !== null) page = page.where('channel', '=', channel);
      if (rule !== null) page = page.where('rule', '=', rule);
      if (beforeId !== null) page = page.where('id', '<', beforeId);
      return (await page.orderBy('id', 'desc').limit(limit).execute()).map(parseDelivery);
    },
  };
}

export function buildNotificationRecords(queries: Queries): NotificationRecords {
  return {
    forgetBefore: async at => {
      await queries.deleteFrom('deliveries').where('ended_at', '<', at).execute();
      await queries.deleteFrom('rule_changes').where('at', '<', at).execute();
    },
  };
}

function composeRow(delivery: Delivery): DeliveryRow {
  const { id, project, channel, rule, type, event, state } = delivery;
  return {
    ...{ id, project, channel, rule, type, event, state },
    message_id: delivery.messageId,
    due_at: delivery.dueAt,
    attempts: JSON.stringify(delivery.attempts),
    created_at: delivery.createdAt,
    ended_at: delivery.endedAt,
  };
}

export function parseDelivery(row: DeliveryRow): Delivery {
  const { id, project, channel, rule, type, event, state } = row;
  return {
    ...{ id, project, channel, rule, type, event, state },
    messageId: row.message_id,
    dueAt: row.due_at,
    attempts: JSON.parse(row.attempts) as Delivery['attempts'], // written by `composeRow`
    createdAt: row.created_at,
    endedAt: row.ended_at,
  };
}
