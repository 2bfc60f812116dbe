/** Subjects, such as players and vehicles, defined by the metadata paths of their ids and names. */
import Type from 'typebox';
import { LevelCounts } from './logs.ts';
import { SubjectKindRecord } from './projects.ts';
import { defineRoute } from './route.ts';
import { nullable, PageLimit, ProjectParams } from './values.ts';
import { type ErrorCode, limits, mediaTypes } from './vocabulary.ts';

const area = 'Subjects';
const path = '/api/manage/projects/{project}/subjects';
const reads = { by: 'person', role: 'viewer' } as const;
const Ok = Type.Literal('ok');
const Moment = Type.String({ description: 'Time in RFC 3339 format, UTC, with microseconds.' });
const Times = { firstSeenAt: Moment, lastSeenAt: Moment };
const NameUse = Type.Object({ name: Type.String(), ...Times });
const Count = Type.Integer();
const storeErrors: readonly ErrorCode[] = ['engine_unavailable', 'query_timeout', 'overloaded'];

const JoinIds = Type.Optional(
  Type.String({
    description:
      'true: join the ids of a subject. Ids are one subject if they were first or last seen at the same moment, under the same names, unless two names or two ids of one form (`43` and `44`) were seen at that moment. Counts are those of a single id; in lists, of the id that is mentioned most often.',
    default: 'false',
  }),
);
const OtherIds = Type.Optional(
  Type.Array(Type.String(), { description: 'Other ids of the subject; only with joinIds.' }),
);

export const listSubjectProposals = defineRoute({
  id: 'listSubjectProposals',
  method: 'GET',
  path: `${path}/proposals`,
  area,
  summary: 'Propose kinds of subjects, such as players, from the metadata of entries and files.',
  access: reads,
  params: ProjectParams,
  answer: Type.Object({
    data: Type.Array(
      Type.Object({
        ...SubjectKindRecord.properties,
        entries: Type.Integer({ description: 'Number of entries with the most frequent id path.' }),
        files: Type.Integer({ description: 'Number of files with the most frequent id path.' }),
      }),
    ),
    status: Ok,
  }),
  errors: storeErrors,
});

export const listSubjects = defineRoute({
  id: 'listSubjects',
  method: 'GET',
  path,
  area,
  summary:
    'List subjects, most recently seen first. Use q to find them by part of their id or of any name that they have had.',
  access: reads,
  params: ProjectParams,
  query: Type.Object({
    kind: Type.Optional(Type.String({ description: 'Kind of subject; absent: all kinds of the project.' })),
    q: Type.Optional(
      Type.String({
        maxLength: limits.ruleFieldCharactersMax,
        description: 'Part of an id or a name; letter case is ignored.',
      }),
    ),
    joinIds: JoinIds,
    limit: PageLimit,
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page.' })),
  }),
  answer: Type.Object({
    data: Type.Array(
      Type.Object({
        kind: Type.String(),
        id: Type.String(),
        otherIds: OtherIds,
        names: Type.Array(NameUse, { description: 'Names of the subject, most recently used first.' }),
        ...Times,
        entries: Count,
        files: Count,
      }),
    ),
    pagination: Type.Object({
      limit: Type.Integer(),
      total: Type.Integer(),
      nextCursor: nullable(Type.String()),
    }),
    status: Ok,
  }),
  errors: [...storeErrors, 'not_found', 'cursor_invalid'],
});

export const getSubject = defineRoute({
  id: 'getSubject',
  method: 'GET',
  path: `${path}/{kind}/{id*}`,
  area,
  summary: 'Get what entries and files say about a subject. Private files count; files in the trash do not.',
  access: reads,
  params: Type.Object({
    ...ProjectParams.properties,
    kind: Type.String({ maxLength: limits.idParameterCharactersMax }),
    id: Type.String({ maxLength: limits.pathParameterCharactersMax }),
  }),
  query: Type.Object({ joinIds: JoinIds }),
  answer: Type.Object({
    data: Type.Object({
      kind: Type.String(),
      id: Type.String(),
      idPaths: Type.Array(Type.String(), {
        description: 'The paths at which entries or files hold this id.',
      }),
      otherIds: OtherIds,
      otherIdsPending: Type.Optional(
        Type.Boolean({
          description:
            'With joinIds: whether the search for other ids is still running; if so, ask again in a few seconds.',
        }),
      ),
      names: Type.Array(NameUse, {
        description: `Names of the subject, most recently used first; at most ${limits.subjectValuesMax}.`,
      }),
      identifiers: Type.Array(Type.Object({ path: Type.String(), value: Type.String(), ...Times }), {
        description: 'Other values that appear with this id at the id paths of the kind.',
      }),
      ...Times,
      entries: Count,
      files: Count,
      levels: LevelCounts,
      types: Type.Object(
        { image: Count, video: Count, audio: Count },
        { description: mediaTypes.join(', ') },
      ),
      resources: Type.Array(Type.Object({ resource: Type.String(), entries: Count })),
      hours: Type.Array(Type.Array(Count), {
        description: 'Entries and files by weekday and hour, in UTC: seven lists of 24 numbers, from Monday.',
      }),
    }),
    status: Ok,
  }),
  errors: [...storeErrors, 'not_found'],
});
