/** Evidence: an archive of entries and files that others can check. */
import Type from 'typebox';
import { filterErrors } from './logs.ts';
import { defineRoute } from './route.ts';
import { ProjectParams } from './values.ts';
import { limits, timelineKinds } from './vocabulary.ts';

export const createEvidence = defineRoute({
  id: 'createEvidence',
  method: 'POST',
  path: '/api/manage/projects/{project}/evidence',
  area: 'Subjects',
  summary:
    'Download matches as a signed ZIP with entries as NDJSON and CSV, files, a page to read them, and a manifest with all hashes.',
  access: { by: 'person', role: 'viewer' },
  params: ProjectParams,
  body: Type.Object({
    query: Type.Optional(Type.String({ description: 'A query as in the timeline. Everything if absent.' })),
    from: Type.Optional(Type.String({ description: 'Start in RFC 3339, inclusive.' })),
    to: Type.Optional(Type.String({ description: 'End in RFC 3339, inclusive. Now if later or absent.' })),
    dataset: Type.Optional(Type.String({ description: 'Dataset of the entries. All if * or absent.' })),
    kind: Type.Optional(
      Type.Enum(timelineKinds, { description: 'Only log entries or only files. Both if absent.' }),
    ),
    notesAbout: Type.Optional(
      Type.Object(
        { kind: Type.String(), id: Type.String() },
        { description: 'Subject whose team notes are included. No notes if absent.' },
      ),
    ),
  }),
  bodyBytesMax: limits.logViewBodyBytesMax,
  answer: Type.String(),
  answerType: 'application/zip',
  errors: filterErrors,
});
