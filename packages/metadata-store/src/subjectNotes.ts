/** Stores notes about subjects as rows. */
import type { SubjectNotes } from '@tapedeck/domain/ports/subjectNotes';
import type { Queries } from './schema.ts';
import { subjectNotes } from './tables/logs.ts';
import { deleteRow } from './writeOutcomes.ts';

export function buildSubjectNotes(queries: Queries): SubjectNotes {
  return {
    insert: async note => {
      await queries.insertInto('subject_notes').values(subjectNotes.compose(note)).execute();
    },
    update: async ({ id, text, editedAt }) => {
      const query = queries.updateTable('subject_notes').set({ text, edited_at: editedAt });
      await query.where('id', '=', id).execute();
    },
    remove: id => deleteRow(queries.deleteFrom('subject_notes').where('id', '=', id)),
    find: async id => {
      const query = queries.selectFrom('subject_notes').selectAll().where('id', '=', id);
      return subjectNotes.parseFound(await query.executeTakeFirst());
    },
    list: async ({ project, kind, subject }) => {
      const query = queries.selectFrom('subject_notes').selectAll().where('project', '=', project);
      const rows = query.where('kind', '=', kind).where('subject', '=', subject);
      return (await rows.orderBy('created_at', 'desc').orderBy('id', 'desc').execute()).map(
        subjectNotes.parse,
      );
    },
  };
}
