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
    query: Type.Optional(Type.String({ description: 'As in the timeline; absent: everything.' })),
    from: Type.Optional(Type.String({ description: 'RFC 3339, inclusive.' })),
    to: Type.Optional(Type.String({ description: 'RFC 3339, inclusive; now, if it is later or absent.' })),
    dataset: Type.Optional(Type.String({ description: 'Of entries; * or absent: all.' })),
    kind: Type.Optional(
      Type.Enum(timelineKinds, { description: 'Log entries or files alone; absent: both.' }),
    ),
    notesAbout: Type.Optional(
      Type.Object(
        { kind: Type.String(), id: Type.String() },
        { description: 'The subject whose notes by the team are put in; absent: the archive has none.' },
      ),
    ),
  }),
  bodyBytesMax: limits.logViewBodyBytesMax,
  answer: Type.String(),
  answerType: 'application/zip',
  errors: filterErrors,
});
