/** A project's timeline: log entries and files in time order. */
import Type from 'typebox';
import { FileRecord } from './files.ts';
import { filterErrors, filters, LogEntry } from './logs.ts';
import { defineRoute } from './route.ts';
import { nullable, PageLimit, ProjectParams } from './values.ts';
import { timelineKinds } from './vocabulary.ts';

const area = 'Subjects';

export const TimelineEntry = Type.Object({ kind: Type.Literal('entry'), ...LogEntry.properties });
export const TimelineFile = Type.Object({
  kind: Type.Literal('file'),
  timestamp: Type.String({ description: 'createdAt of the file, in the time format of entries.' }),
  ...FileRecord.properties,
});

export const getTimeline = defineRoute({
  id: 'getTimeline',
  method: 'GET',
  path: '/api/manage/projects/{project}/timeline',
  area,
  summary:
    'List log entries and files that match, newest first. Files come before entries with the same time. Files in the trash are left out.',
  access: { by: 'person', role: 'viewer' },
  params: ProjectParams,
  query: Type.Object({
    query: Type.Optional(
      Type.String({
        description:
          'Query in the language described under Logs. Field names mean the same as in the lists of entries and files: player.id:43 finds both; size:>5 compares the size of files and the metadata of entries.',
        examples: ['player.id:43', 'player.id:43 -level:debug'],
      }),
    ),
    from: filters.from,
    to: filters.to,
    dataset: Type.Optional(Type.String({ description: 'Dataset of the entries; * or absent: all.' })),
    kind: Type.Optional(Type.Enum(timelineKinds, { description: 'Entries or files; absent: both.' })),
    limit: PageLimit,
    cursor: Type.Optional(
      Type.String({ description: 'nextCursor of the previous page; stable while entries arrive.' }),
    ),
    includeTotal: Type.Optional(Type.String({ description: 'true: count all matches.', default: 'false' })),
  }),
  answer: Type.Object({
    data: Type.Array(Type.Union([TimelineEntry, TimelineFile])),
    pagination: Type.Object({
      hasMore: Type.Boolean(),
      limit: Type.Integer(),
      total: Type.Integer(),
      nextCursor: nullable(Type.String()),
    }),
    status: Type.Literal('ok'),
  }),
  errors: [...filterErrors, 'cursor_invalid'],
});
