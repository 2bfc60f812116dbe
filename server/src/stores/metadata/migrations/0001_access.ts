/** What requests are admitted by: projects, tokens, and the revision that counts their changes. */

import type { TableWords } from '@tapedeck/metadata-database';
import type { MetadataMigration, Queries } from '../schema.ts';

export const accessTables: MetadataMigration = {
  version: 1,
  name: 'access',
  apply: async (queries, words) => {
    await createRevision(queries, words);
    await createProjects(queries, words);
    await createTokens(queries, words);
  },
};

async function createRevision(queries: Queries, { integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('access_revision')
    .addColumn('id', integer, column => column.primaryKey().notNull())
    .addColumn('revision', integer, column => column.notNull())
    .modifyEnd(options)
    .execute();
  await queries.insertInto('access_revision').values({ id: 1, revision: 0 }).execute();
}

async function createProjects(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('projects')
    .addColumn('slug', text, column => column.primaryKey().notNull())
    .addColumn('name', text, column => column.notNull())
    .addColumn('cdn_domain', text)
    .addColumn('cdn_enabled', integer, column => column.notNull())
    .addColumn('retention', text, column => column.notNull())
    .addColumn('bytes_max', integer)
    .addColumn('files_max', integer)
    .addColumn('created_at', integer, column => column.notNull())
    .addColumn('deleted_at', integer)
    .addColumn('revision', integer, column => column.notNull())
    .modifyEnd(options)
    .execute();
  await queries.schema.createIndex('projects_by_revision').on('projects').column('revision').execute();
}

async function createTokens(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('tokens')
    .addColumn('id', text, column => column.primaryKey().notNull())
    .addColumn('project', text, column => column.notNull().references('projects.slug'))
    .addColumn('kind', text, column => column.notNull())
    .addColumn('name', text, column => column.notNull())
    .addColumn('prefix', text, column => column.notNull())
    .addColumn('hash', text, column => column.notNull().unique())
    .addColumn('scopes', text, column => column.notNull())
    .addColumn('created_at', integer, column => column.notNull())
    .addColumn('created_by', text, column => column.notNull())
    .addColumn('expires_at', integer)
    .addColumn('last_used_at', integer)
    .addColumn('revoked_at', integer)
    .addColumn('revision', integer, column => column.notNull())
    .modifyEnd(options)
    .execute();
  await queries.schema.createIndex('tokens_by_revision').on('tokens').column('revision').execute();
  await queries.schema
    .createIndex('tokens_by_project')
    .on('tokens')
    .columns(['project', 'created_at'])
    .execute();
}
