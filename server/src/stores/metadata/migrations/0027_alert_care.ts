/** How serious rules are, which alerts a channel takes, who acknowledged an alert, and which entries made it fire. */
import type { MetadataMigration } from '../schema.ts';

export const alertCare: MetadataMigration = {
  version: 27,
  name: 'alert care',
  apply: async (queries, { text }) => {
    await queries.schema.alterTable('rules').addColumn('severity', text).execute();
    await queries.schema.alterTable('channels').addColumn('severities', text).execute();
    await queries.schema.alterTable('rule_changes').addColumn('actor', text).execute();
    await queries.schema.alterTable('rule_changes').addColumn('entries', text).execute();
  },
};
