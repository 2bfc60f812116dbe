/** Adds invitations, second factors, passkeys and external identities, and each session's sign-in method. */
import type { TableWords } from '@tapedeck/metadata-database';
import type { MetadataMigration, Queries } from '../schema.ts';

export const signInMethods: MetadataMigration = {
  version: 18,
  name: 'ways in', // as databases have recorded it
  apply: async (queries, words) => {
    await queries.schema.alterTable('sign_in_sessions').addColumn('way', words.text).execute();
    await createInvitations(queries, words);
    await createSecondFactors(queries, words);
    await createPasskeys(queries, words);
    await createIdentities(queries, words);
    await createSpentTickets(queries, words);
  },
};

async function createInvitations(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('invitations')
    .addColumn('id', text, column => column.primaryKey().notNull())
    .addColumn('hash', text, column => column.notNull().unique())
    .addColumn('project', text, column => column.references('projects.slug'))
    .addColumn('role', text)
    .addColumn('email', text)
    .addColumn('maker_kind', text, column => column.notNull())
    // The maker may have been deleted.
    .addColumn('maker_id', text, column => column.notNull())
    .addColumn('created_at', integer, column => column.notNull())
    .addColumn('created_by', text, column => column.notNull())
    .addColumn('expires_at', integer, column => column.notNull())
    .addColumn('used_at', integer)
    .addColumn('used_by', text)
    .addColumn('revoked_at', integer)
    .modifyEnd(options)
    .execute();
  const index = (name: string) => queries.schema.createIndex(`invitations_by_${name}`).on('invitations');
  await index('project').columns(['project', 'created_at']).execute();
  await index('end').column('expires_at').execute();
}

async function createSecondFactors(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('second_factors')
    .addColumn('user_id', text, column =>
      column.primaryKey().notNull().references('users.id').onDelete('cascade'),
    )
    .addColumn('secret', text, column => column.notNull())
    .addColumn('created_at', integer, column => column.notNull())
    .addColumn('last_step', integer, column => column.notNull())
    .modifyEnd(options)
    .execute();
  await queries.schema
    .createTable('recovery_codes')
    .addColumn('user_id', text, column => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('hash', text, column => column.notNull())
    .addPrimaryKeyConstraint('recovery_codes_key', ['user_id', 'hash'])
    .modifyEnd(options)
    .execute();
}

async function createPasskeys(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('passkeys')
    .addColumn('id', text, column => column.primaryKey().notNull())
    .addColumn('user_id', text, column => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', text, column => column.notNull())
    .addColumn('public_key', text, column => column.notNull())
    .addColumn('counter', integer, column => column.notNull())
    .addColumn('transports', text, column => column.notNull())
    .addColumn('created_at', integer, column => column.notNull())
    .addColumn('last_used_at', integer)
    .modifyEnd(options)
    .execute();
  await queries.schema.createIndex('passkeys_by_user').on('passkeys').column('user_id').execute();
}

async function createIdentities(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('identities')
    .addColumn('id', text, column => column.primaryKey().notNull())
    .addColumn('issuer', text, column => column.notNull())
    .addColumn('subject', text, column => column.notNull())
    .addColumn('user_id', text, column => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('label', text, column => column.notNull())
    .addColumn('created_at', integer, column => column.notNull())
    .addColumn('last_used_at', integer)
    .modifyEnd(options)
    .execute();
  const bySubject = queries.schema.createIndex('identities_by_subject').on('identities');
  await bySubject.columns(['issuer', 'subject']).unique().execute();
  await queries.schema.createIndex('identities_by_user').on('identities').column('user_id').execute();
}

async function createSpentTickets(queries: Queries, { text, integer, options }: TableWords): Promise<void> {
  await queries.schema
    .createTable('spent_tickets')
    .addColumn('hash', text, column => column.primaryKey().notNull())
    .addColumn('expires_at', integer, column => column.notNull())
    .modifyEnd(options)
    .execute();
  const byEnd = queries.schema.createIndex('spent_tickets_by_end').on('spent_tickets');
  await byEnd.column('expires_at').execute();
}
