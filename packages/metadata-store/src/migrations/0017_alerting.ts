/** Adds rules with their state, channels, and the messages sent through them. */
import type { TableWords } from '@tapedeck/metadata-database';
import type { MetadataMigration, Queries } from '../schema.ts';

export const alerting: MetadataMigration = {
  version: 17,
  name: 'telling', // as databases have recorded it
  apply: async (queries, words) => {
    await createChannels(queries, words);
    await createRules(queries, words);
    await createWatches(queries, words);
    await createDeliveries(queries, words);
  },
};

async function createChannels(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('channels')
    .addColumn('id', text, column => column.primaryKey().notNull())
    .addColumn('project', text, column => column.notNull().references('projects.slug'))
    .addColumn('name', text, column => column.notNull())
    .addColumn('kind', text, column => column.notNull())
    .addColumn('target', text, column => column.notNull())
    .addColumn('events', text, column => column.notNull())
    .addColumn('secret', text)
    .addColumn('former_secret', text)
    .addColumn('former_secret_until', integer)
    .addColumn('failing_since', integer)
    .addColumn('off_at', integer)
    .addColumn('off_reason', text)
    .addColumn('created_at', integer, column => column.notNull())
    .addColumn('created_by', text, column => column.notNull())
    .modifyEnd(options)
    .execute();
  const byName = queries.schema.createIndex('channels_by_name').on('channels').columns(['project', 'name']);
  await byName.unique().execute();
}

async function createRules(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('rules')
    .addColumn('id', text, column => column.primaryKey().notNull())
    .addColumn('project', text, column => column.notNull().references('projects.slug'))
    .addColumn('name', text, column => column.notNull())
    .addColumn('enabled', integer, column => column.notNull())
    .addColumn('condition', text, column => column.notNull())
    .addColumn('query', text, column => column.notNull())
    .addColumn('dataset', text)
    .addColumn('by', text)
    .addColumn('window_seconds', integer, column => column.notNull())
    .addColumn('channels', text, column => column.notNull())
    .addColumn('muted_until', integer)
    .addColumn('generation', integer, column => column.notNull())
    .addColumn('created_at', integer, column => column.notNull())
    .addColumn('created_by', text, column => column.notNull())
    .modifyEnd(options)
    .execute();
  const byName = queries.schema.createIndex('rules_by_name').on('rules').columns(['project', 'name']);
  await byName.unique().execute();
}

async function createWatches(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('rule_watches')
    .addColumn('rule', text, column =>
      column.primaryKey().notNull().references('rules.id').onDelete('cascade'),
    )
    .addColumn('generation', integer, column => column.notNull())
    .addColumn('judged_at', integer, column => column.notNull())
    .addColumn('memory', text, column => column.notNull())
    .addColumn('trouble', text)
    .modifyEnd(options)
    .execute();
  await queries.schema
    .createTable('rule_changes')
    .addColumn('id', text, column => column.primaryKey().notNull())
    .addColumn('rule', text, column => column.notNull().references('rules.id').onDelete('cascade'))
    .addColumn('project', text, column => column.notNull())
    .addColumn('kind', text, column => column.notNull())
    .addColumn('at', integer, column => column.notNull())
    .addColumn('value', text, column => column.notNull())
    .addColumn('count', integer, column => column.notNull())
    .addColumn('is_muted', integer, column => column.notNull())
    .modifyEnd(options)
    .execute();
  await queries.schema
    .createIndex('rule_changes_by_rule')
    .on('rule_changes')
    .columns(['rule', 'id'])
    .execute();
  await queries.schema.createIndex('rule_changes_by_time').on('rule_changes').column('at').execute();
}

async function createDeliveries(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('deliveries')
    .addColumn('id', text, column => column.primaryKey().notNull())
    .addColumn('project', text, column => column.notNull().references('projects.slug'))
    .addColumn('channel', text, column => column.notNull().references('channels.id').onDelete('cascade'))
    // The rule may have been deleted.
    .addColumn('rule', text)
    .addColumn('type', text, column => column.notNull())
    .addColumn('message_id', text, column => column.notNull())
    .addColumn('event', text, column => column.notNull())
    .addColumn('state', text, column => column.notNull())
    .addColumn('due_at', integer, column => column.notNull())
    .addColumn('attempts', text, column => column.notNull())
    .addColumn('created_at', integer, column => column.notNull())
    .addColumn('ended_at', integer)
    .modifyEnd(options)
    .execute();
  const index = (name: string) => queries.schema.createIndex(`deliveries_by_${name}`).on('deliveries');
  await index('state').columns(['state', 'id']).execute();
  await index('project').columns(['project', 'id']).execute();
  await index('channel').columns(['channel', 'id']).execute();
  await index('end').column('ended_at').execute();
}
