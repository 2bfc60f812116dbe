/** Log entries as lines of a chart. */
import { logStatistics } from '@tapedeck/log-entries/statistics';
import Type from 'typebox';
import { filterErrors, filters, metadataFilters, read } from './logs.ts';
import { defineRoute } from './route.ts';
import { describedWords, nullable } from './values.ts';
import { limits } from './vocabulary.ts';

const seriesFields = 'level, resource, dataset, pattern or a path of metadata';

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
      Type.String({ description: `A series for each value of it: ${seriesFields}. Default: one for all.` }),
    ),
    top: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: limits.logSeriesDefault,
        description: `So many values of by, those of most entries; at most ${limits.logSeriesMax}.`,
      }),
    ),
    stat: Type.Optional(
      Type.String({ description: 'Of each bucket.', default: 'count', [describedWords]: [...logStatistics] }),
    ),
    field: Type.Optional(
      Type.String({
        description: `Whose values stat is computed from, unless it is count: ${seriesFields}.`,
      }),
    ),
  }),
  answer: Type.Object({
    data: Type.Object({
      timestamps: Type.Array(Type.String(), { description: 'When each bucket begins.' }),
      series: Type.Array(
        Type.Object({
          value: Type.Union([Type.String(), Type.Null()], {
            description: 'null: all matches, or with by those of no other series (count and sum only).',
          }),
          points: Type.Array(nullable(Type.Number()), {
            description: 'One a bucket; null where there is no number, or none that JSON can write.',
          }),
        }),
      ),
    }),
    status: Type.Literal('ok'),
  }),
  errors: filterErrors,
});
