/** Adds decisions about error patterns: resolved or ignored. */
import type { MetadataMigration } from '../schema.ts';

export const issueDecisions: MetadataMigration = {
  version: 29,
  name: 'issue decisions',
  apply: async (queries, { text, integer, options }) => {
    await queries.schema
      .createTable('issue_decisions')
      .addColumn('project', text, column => column.notNull().references('projects.slug'))
      .addColumn('pattern', text, column => column.notNull())
      .addColumn('state', text, column => column.notNull())
      .addColumn('decided_at', integer, column => column.notNull())
      .addColumn('decided_by', text, column => column.notNull())
      .addPrimaryKeyConstraint('issue_decisions_key', ['project', 'pattern'])
      .modifyEnd(options)
      .execute();
  },
};
