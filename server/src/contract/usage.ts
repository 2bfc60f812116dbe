/** What a project takes up: in all, and by day. */
import Type from 'typebox';
import { limits } from '../vocabulary.ts';
import { defineRoute } from './route.ts';
import { ProjectParams, recordOf } from './values.ts';

const Count = Type.Integer({ minimum: 0 });

export const getUsage = defineRoute({
  id: 'getUsage',
  method: 'GET',
  path: '/api/manage/projects/{project}/usage',
  area: 'Usage',
  summary: 'Files, bytes and log entries of a project: exact totals, and a series of days in UTC.',
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
