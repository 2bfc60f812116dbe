/** The usage of a project, in total and by day. */
import Type from 'typebox';
import { defineRoute } from './route.ts';
import { Instant, nullable, ProjectParams, recordOf } from './values.ts';
import { limits } from './vocabulary.ts';

const area = 'Usage';
const Count = Type.Integer({ minimum: 0 });
export const StoredFiles = Type.Object({ files: Count, bytes: Count });

export const getUsage = defineRoute({
  id: 'getUsage',
  method: 'GET',
  path: '/api/manage/projects/{project}/usage',
  area,
  summary: 'Get the exact totals of files, bytes and log entries, and the totals of each day in UTC.',
  access: { by: 'manager', role: 'viewer' },
  params: ProjectParams,
  query: Type.Object({
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: limits.usageDaysDefault,
        description: `Days up to today, at most ${limits.usageDaysMax}; larger numbers mean ${limits.usageDaysMax}.`,
      }),
    ),
  }),
  answer: Type.Object({
    totals: Type.Object({
      files: Count,
      bytes: Count,
      entries: Count,
      logBytes: Type.Integer({ description: 'Size of log entries on disk, including indexes, in bytes.' }),
    }),
    days: Type.Array(
      Type.Object({
        day: Type.String({ examples: ['2026-01-02'] }),
        files: Type.Integer({ description: 'Files uploaded on that day that still exist.' }),
        bytes: Count,
        entries: Count,
        datasets: recordOf(Count, { description: 'Entries of that day by dataset.' }),
      }),
      { description: 'Every day, oldest first, including days without data.' },
    ),
  }),
  errors: ['engine_unavailable', 'query_timeout'],
});

export const getStorage = defineRoute({
  id: 'getStorage',
  method: 'GET',
  path: '/api/manage/projects/{project}/storage',
  area,
  summary: 'Get the storage of a project by kind and by day, and when its quota will be full.',
  access: { by: 'manager', role: 'viewer' },
  params: ProjectParams,
  answer: Type.Object({
    kinds: Type.Object({
      image: StoredFiles,
      video: StoredFiles,
      audio: StoredFiles,
      logs: Type.Object(
        { entries: Count, bytes: Count },
        { description: 'Log entries and their size on disk, including indexes.' },
      ),
    }),
    days: Type.Array(
      Type.Object({
        day: Type.String({ examples: ['2026-01-02'] }),
        at: Instant,
        image: Count,
        video: Count,
        audio: Count,
        logs: Count,
      }),
      { description: 'Bytes stored, measured once a day. Oldest first, at most thirty days.' },
    ),
    bytesMax: nullable(Count),
    pace: nullable(
      Type.Object(
        { since: Instant, mediaBytesADay: Type.Integer(), logBytesADay: Type.Integer() },
        { description: 'Growth per day, over two weeks at most; null until there is a day of data.' },
      ),
    ),
    quotaDaysLeft: nullable(
      Type.Number({
        description: 'Days until files fill the quota at this pace; null: no quota, or no end in sight.',
      }),
    ),
  }),
  errors: ['engine_unavailable', 'query_timeout'],
});
