/** What the team wrote about subjects. */
import type { MetadataMigration } from '../schema.ts';

export const subjectNotes: MetadataMigration = {
  version: 31,
  name: 'subject notes',
  apply: async (queries, { text, integer, options }) => {
    await queries.schema
      .createTable('subject_notes')
      .addColumn('id', text, column => column.primaryKey().notNull())
      .addColumn('project', text, column => column.notNull().references('projects.slug'))
      .addColumn('kind', text, column => column.notNull())
      .addColumn('subject', text, column => column.notNull())
      .addColumn('text', text, column => column.notNull())
      .addColumn('created_at', integer, column => column.notNull())
      .addColumn('author_id', text, column => column.notNull())
      .addColumn('author_name', text, column => column.notNull())
      .addColumn('edited_at', integer)
      .modifyEnd(options)
      .execute();
    await queries.schema
      .createIndex('subject_notes_by_subject')
      .on('subject_notes')
      .columns(['project', 'kind', 'subject'])
      .execute();
  },
};
