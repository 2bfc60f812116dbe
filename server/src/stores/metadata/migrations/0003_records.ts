/** What happened and who holds what: the audit log and leases. */

import type { TableWords } from '@tapedeck/metadata-database';
import type { MetadataMigration, Queries } from '../schema.ts';

export const recordTables: MetadataMigration = {
  version: 3,
  name: 'records',
  apply: async (queries, words) => {
    await createAudit(queries, words);
    await createLeases(queries, words);
  },
};

async function createAudit(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('audit_entries')
    .addColumn('id', text, column => column.primaryKey().notNull())
    .addColumn('at', integer, column => column.notNull())
    .addColumn('position', integer, column => column.notNull())
    .addColumn('actor', text, column => column.notNull())
    .addColumn('project', text)
    .addColumn('action', text, column => column.notNull())
    .addColumn('target', text, column => column.notNull())
    .addColumn('details', text, column => column.notNull())
    .modifyEnd(options)
    .execute();
  const order = ['at', 'position', 'id'];
  await queries.schema.createIndex('audit_entries_by_age').on('audit_entries').columns(order).execute();
  await queries.schema
    .createIndex('audit_entries_by_project')
    .on('audit_entries')
    .columns(['project', ...order])
    .execute();
}

async function createLeases(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('leases')
    .addColumn('name', text, column => column.primaryKey().notNull())
    .addColumn('holder', text, column => column.notNull())
    .addColumn('expires_at', integer, column => column.notNull())
    .modifyEnd(options)
    .execute();
}
