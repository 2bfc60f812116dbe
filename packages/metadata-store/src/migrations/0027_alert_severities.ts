/** Adds severities of rules and channels, acknowledgements of alerts, and the entries that made them fire. */
import type { MetadataMigration } from '../schema.ts';

export const alertSeverities: MetadataMigration = {
  version: 27,
  name: 'alert care', // as databases have recorded it
  apply: async (queries, { text }) => {
    await queries.schema.alterTable('rules').addColumn('severity', text).execute();
    await queries.schema.alterTable('channels').addColumn('severities', text).execute();
    await queries.schema.alterTable('rule_changes').addColumn('actor', text).execute();
    await queries.schema.alterTable('rule_changes').addColumn('entries', text).execute();
  },
};
