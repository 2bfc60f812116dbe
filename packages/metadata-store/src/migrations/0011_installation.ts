/** Adds the installation's facts: its id, the proof of its secret, and the progress of its sweep. */
import { sql } from 'kysely';
import type { MetadataMigration } from '../schema.ts';

export const installationFacts: MetadataMigration = {
  version: 11,
  name: 'installation',
  apply: async (queries, { text, options }) => {
    await queries.schema
      .createTable('installation_facts')
      .addColumn('name', text, column => column.primaryKey().notNull())
      .addColumn('value', text, column => column.notNull())
      .modifyEnd(options)
      .execute();
    // An installation with a project stored entries before servers were marked.
    await sql`insert into installation_facts (name, value)
      select 'unmarked logs', 'true' where exists (select 1 from projects)`.execute(queries);
  },
};
