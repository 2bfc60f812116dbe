/** Log entries as lines of a chart. */
import { logStatistics } from '@tapedeck/log-entries/statistics';
import Type from 'typebox';
import { filterErrors, filters, metadataFilters, read } from './logs.ts';
import { defineRoute } from './route.ts';
import { describedWords, nullable } from './values.ts';
import { limits } from './vocabulary.ts';

const seriesFields = 'level, resource, dataset, pattern or a metadata path';

export const getSeries = defineRoute({
  id: 'getSeries',
  method: 'GET',
  path: '/api/v3/logs/series',
  area: 'Logs',
  summary: `Chart matches over time: count them or get a statistic of a field, optionally for each value of another field. ${metadataFilters}`,
  access: read,
  query: Type.Object({
    ...filters,
    interval: Type.Optional(Type.String({ examples: ['30s', '5m', '1h', '1d'] })),
    buckets: Type.Optional(Type.Integer({ minimum: 1 })),
    by: Type.Optional(
      Type.String({
        description: `Field to split by, with a series per value: ${seriesFields}. Default: one series for all.`,
      }),
    ),
    top: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: limits.logSeriesDefault,
        description: `How many values of by get a series, most frequent first; at most ${limits.logSeriesMax}.`,
      }),
    ),
    stat: Type.Optional(
      Type.String({
        description: 'Statistic of each bucket.',
        default: 'count',
        [describedWords]: [...logStatistics],
      }),
    ),
    field: Type.Optional(
      Type.String({
        description: `Field that stat is computed from: ${seriesFields}. Required unless stat is count.`,
      }),
    ),
  }),
  answer: Type.Object({
    data: Type.Object({
      timestamps: Type.Array(Type.String(), { description: 'Start of each bucket.' }),
      series: Type.Array(
        Type.Object({
          value: Type.Union([Type.String(), Type.Null()], {
            description:
              'Value of by; null: all matches, or with by those in no other series (count and sum only).',
          }),
          points: Type.Array(nullable(Type.Number()), {
            description: 'One per bucket; null if there is no number, or none that JSON can represent.',
          }),
        }),
      ),
    }),
    status: Type.Literal('ok'),
  }),
  errors: filterErrors,
});
