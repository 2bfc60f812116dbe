/** Notes by the team about subjects, such as players. */
import Type from 'typebox';
import { defineRoute, StatusOk } from './route.ts';
import { Id, Instant, nullable, ProjectParams } from './values.ts';
import { limits, patterns } from './vocabulary.ts';

const area = 'Subjects';
const path = '/api/manage/projects/{project}/notes';

const Text = Type.String({
  maxLength: limits.noteCharactersMax,
  pattern: patterns.seen,
  description: 'Plain text; may have several lines.',
});
const Subject = Type.Object({
  kind: Type.String({ description: 'Kind of subject, as defined in the project.' }),
  id: Type.String({
    minLength: 1,
    maxLength: limits.noteSubjectCharactersMax,
    description: 'Id of the subject. No entry or file has to mention it.',
  }),
});

export const SubjectNoteRecord = Type.Object({
  id: Id,
  kind: Type.String(),
  subject: Type.String({ description: 'The id of the subject.' }),
  text: Type.String(),
  author: Type.Object({
    id: nullable(Id),
    name: Type.String({ description: 'If the account was deleted, id is null and the name is as it was.' }),
  }),
  createdAt: Instant,
  editedAt: nullable(Instant),
});
const NoteParams = Type.Object({ ...ProjectParams.properties, note: Id });
const NoteAnswer = Type.Object({ data: SubjectNoteRecord, ...StatusOk.properties });

export const listSubjectNotes = defineRoute({
  id: 'listSubjectNotes',
  method: 'GET',
  path,
  area,
  summary: 'List the notes about a subject, newest first.',
  access: { by: 'person', role: 'viewer' },
  params: ProjectParams,
  query: Subject,
  answer: Type.Object({ data: Type.Array(SubjectNoteRecord), ...StatusOk.properties }),
  errors: [],
});

export const createSubjectNote = defineRoute({
  id: 'createSubjectNote',
  method: 'POST',
  path,
  area,
  summary: `Write a note about a subject. A subject can have ${limits.notesMax} notes.`,
  access: { by: 'person', role: 'member' },
  params: ProjectParams,
  body: Type.Object({ ...Subject.properties, text: Text }),
  bodyBytesMax: limits.noteBodyBytesMax,
  answer: NoteAnswer,
  errors: [],
});

export const updateSubjectNote = defineRoute({
  id: 'updateSubjectNote',
  method: 'PATCH',
  path: `${path}/{note}`,
  area,
  summary: 'Replace the text of a note. Only its author can.',
  access: { by: 'person', role: 'member' },
  params: NoteParams,
  body: Type.Object({ text: Text }),
  bodyBytesMax: limits.noteBodyBytesMax,
  answer: NoteAnswer,
  errors: ['not_found'],
});

export const deleteSubjectNote = defineRoute({
  id: 'deleteSubjectNote',
  method: 'DELETE',
  path: `${path}/{note}`,
  area,
  summary: 'Delete a note. Only its author and admins of the project can.',
  access: { by: 'person', role: 'member' },
  params: NoteParams,
  answer: StatusOk,
  errors: ['not_found'],
});
