/** Adds team notes about subjects, and upload links. */
import type { MetadataMigration } from '../schema.ts';

export const notesAndLinks: MetadataMigration = {
  version: 31,
  name: 'notes and upload links',
  apply: async ({ schema }, { text, integer, options }) => {
    await schema
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
    await schema
      .createIndex('subject_notes_by_subject')
      .on('subject_notes')
      .columns(['project', 'kind', 'subject'])
      .execute();
    await schema
      .createTable('upload_links')
      .addColumn('id', text, column => column.primaryKey().notNull())
      .addColumn('project', text, column => column.notNull().references('projects.slug'))
      .addColumn('maker_id', text, column => column.notNull())
      .addColumn('path', text, column => column.notNull())
      .addColumn('type', text)
      .addColumn('uses_max', integer, column => column.notNull())
      .addColumn('created_at', integer, column => column.notNull())
      .addColumn('expires_at', integer, column => column.notNull())
      .modifyEnd(options)
      .execute();
    await schema
      .createIndex('upload_links_by_maker')
      .on('upload_links')
      .columns(['project', 'maker_id', 'created_at'])
      .execute();
  },
};
