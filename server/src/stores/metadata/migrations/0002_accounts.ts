/** People: users, their roles in projects, their sign-ins and failed attempts. */

import type { TableWords } from '@tapedeck/metadata-database';
import type { MetadataMigration, Queries } from '../schema.ts';

export const accountTables: MetadataMigration = {
  version: 2,
  name: 'accounts',
  apply: async (queries, words) => {
    await createUsers(queries, words);
    await createMemberships(queries, words);
    await createSignIns(queries, words);
  },
};

async function createUsers(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('users')
    .addColumn('id', text, column => column.primaryKey().notNull())
    .addColumn('email', text, column => column.notNull().unique())
    .addColumn('name', text, column => column.notNull())
    .addColumn('password_hash', text, column => column.notNull())
    .addColumn('is_owner', integer, column => column.notNull())
    .addColumn('created_at', integer, column => column.notNull())
    .modifyEnd(options)
    .execute();
}

async function createMemberships(queries: Queries, { text, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('memberships')
    .addColumn('user_id', text, column => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('project', text, column => column.notNull().references('projects.slug'))
    .addColumn('role', text, column => column.notNull())
    .addPrimaryKeyConstraint('memberships_key', ['user_id', 'project'])
    .modifyEnd(options)
    .execute();
  await queries.schema.createIndex('memberships_by_project').on('memberships').column('project').execute();
}

async function createSignIns(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('sign_in_sessions')
    .addColumn('hash', text, column => column.primaryKey().notNull())
    .addColumn('user_id', text, column => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('created_at', integer, column => column.notNull())
    .addColumn('expires_at', integer, column => column.notNull())
    .addColumn('address', text, column => column.notNull())
    .addColumn('user_agent', text, column => column.notNull())
    .modifyEnd(options)
    .execute();
  await queries.schema
    .createIndex('sign_in_sessions_by_user')
    .on('sign_in_sessions')
    .column('user_id')
    .execute();
  await queries.schema
    .createIndex('sign_in_sessions_by_end')
    .on('sign_in_sessions')
    .column('expires_at')
    .execute();
  await queries.schema
    .createTable('sign_in_failures')
    .addColumn('key', text, column => column.primaryKey().notNull())
    .addColumn('failures', integer, column => column.notNull())
    .addColumn('last_failed_at', integer, column => column.notNull())
    .modifyEnd(options)
    .execute();
  await queries.schema
    .createIndex('sign_in_failures_by_age')
    .on('sign_in_failures')
    .column('last_failed_at')
    .execute();
}
