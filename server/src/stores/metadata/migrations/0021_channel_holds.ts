/** Until when the other side of a channel wants to be left alone, and what of a channel is due. */
import type { MetadataMigration } from '../schema.ts';

export const channelHolds: MetadataMigration = {
  version: 21,
  name: 'channel holds',
  apply: async (queries, { integer }) => {
    await queries.schema.alterTable('channels').addColumn('held_until', integer).execute();
    await queries.schema
      .createIndex('deliveries_by_due_time')
      .on('deliveries')
      .columns(['channel', 'state', 'due_at', 'id'])
      .execute();
  },
};
