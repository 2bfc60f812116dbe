/** Notes about subjects as rows. */
import type { SubjectNote, SubjectNotes } from '../../domain/ports/subjectNotes.ts';
import type { Queries, SubjectNoteRow } from './schema.ts';

export function buildSubjectNotes(queries: Queries): SubjectNotes {
  return {
    insert: async note => {
      await queries.insertInto('subject_notes').values(composeRow(note)).execute();
    },
    update: async ({ id, text, editedAt }) => {
      const query = queries.updateTable('subject_notes').set({ text, edited_at: editedAt });
      await query.where('id', '=', id).execute();
    },
    remove: async id => {
      const result = await queries.deleteFrom('subject_notes').where('id', '=', id).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    find: async id => {
      const query = queries.selectFrom('subject_notes').selectAll().where('id', '=', id);
      const row = await query.executeTakeFirst();
      return row === undefined ? null : parseNote(row);
    },
    list: async ({ project, kind, subject }) => {
      const query = queries.selectFrom('subject_notes').selectAll().where('project', '=', project);
      const rows = query.where('kind', '=', kind).where('subject', '=', subject);
      return (await rows.orderBy('created_at', 'desc').orderBy('id', 'desc').execute()).map(parseNote);
    },
  };
}

function composeRow({ createdAt, authorId, authorName, editedAt, ...note }: SubjectNote): SubjectNoteRow {
  return {
    ...note,
    created_at: createdAt,
    author_id: authorId,
    author_name: authorName,
    edited_at: editedAt,
  };
}

function parseNote(row: SubjectNoteRow): SubjectNote {
  const { created_at, author_id, author_name, edited_at, ...note } = row;
  return {
    ...note,
    createdAt: created_at,
    authorId: author_id,
    authorName: author_name,
    editedAt: edited_at,
  };
}
