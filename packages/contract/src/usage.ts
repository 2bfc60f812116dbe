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
        description: `Up to today; at most ${limits.usageDaysMax}, larger means ${limits.usageDaysMax}.`,
      }),
    ),
  }),
  answer: Type.Object({
    totals: Type.Object({
      files: Count,
      bytes: Count,
      entries: Count,
      logBytes: Type.Integer({ description: 'On disk, indexes included.' }),
    }),
    days: Type.Array(
      Type.Object({
        day: Type.String({ examples: ['2026-01-02'] }),
        files: Type.Integer({ description: 'Of those that are there, the ones uploaded on that day.' }),
        bytes: Count,
        entries: Count,
        datasets: recordOf(Count, { description: 'Entries of that day by dataset.' }),
      }),
      { description: 'Oldest first, every day, also those without anything.' },
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
      logs: Type.Object({ entries: Count, bytes: Count }, { description: 'On disk, indexes included.' }),
    }),
    days: Type.Array(
      Type.Object({
        day: Type.String({ examples: ['2026-01-02'] }),
        at: Instant,
        ...{ image: Count, video: Count, audio: Count, logs: Count },
      }),
      { description: 'Bytes when the day was looked at, once. Oldest first, at most thirty.' },
    ),
    bytesMax: nullable(Count),
    pace: nullable(
      Type.Object(
        { since: Instant, mediaBytesADay: Type.Integer(), logBytesADay: Type.Integer() },
        { description: 'Over two weeks at most; null while less than a day is known.' },
      ),
    ),
    quotaDaysLeft: nullable(
      Type.Number({ description: 'At this pace of files; null: there is no quota, or no end in sight.' }),
    ),
  }),
  errors: ['engine_unavailable', 'query_timeout'],
});
