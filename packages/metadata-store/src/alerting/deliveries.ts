/** Stores past and pending deliveries as rows. */
import type { DeliveryRecords, NotificationRecords } from '@tapedeck/alerting';
import { splitIntoChunks } from '../queryChunks.ts';
import type { Queries } from '../schema.ts';
import { deliveries as table } from '../tables/alerting.ts';

export function buildDeliveryRecords(queries: Queries): DeliveryRecords {
  const select = () => queries.selectFrom('deliveries').selectAll('deliveries');
  return {
    insert: async deliveries => {
      for (const chunk of splitIntoChunks(deliveries))
        await queries.insertInto('deliveries').values(chunk.map(table.compose)).execute();
    },
    update: async delivery => {
      const { id, state, due_at, attempts, ended_at } = table.compose(delivery);
      const changes = { state, due_at, attempts, ended_at };
      await queries.updateTable('deliveries').set(changes).where('id', '=', id).execute();
    },
    find: async id => {
      return table.parseFound(await select().where('id', '=', id).executeTakeFirst());
    },
    list: async ({ project, channel, rule, beforeId, limit }) => {
      let page = select().where('project', '=', project);
      if (channel !== null) page = page.where('channel', '=', channel);
      if (rule !== null) page = page.where('rule', '=', rule);
      if (beforeId !== null) page = page.where('id', '<', beforeId);
      return (await page.orderBy('id', 'desc').limit(limit).execute()).map(table.parse);
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
