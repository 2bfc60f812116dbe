/** Adds columns for when a channel's receiver accepts messages again, and for which messages are due. */
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
