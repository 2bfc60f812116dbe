/** Log patterns: bodies grouped with numbers, names and times masked. */
import Type from 'typebox';
import { limits } from '../vocabulary.ts';
import { filterErrors, filters, LevelCounts, metadataFilters, read } from './logs.ts';
import { defineRoute } from './route.ts';

const Text = Type.String();

export const listLogPatterns = defineRoute({
  id: 'listLogPatterns',
  method: 'GET',
  path: '/api/v3/logs/patterns',
  area: 'Logs',
  summary: `Matches whose bodies differ in numbers, ids, addresses and times alone, counted together: those of most entries first, at most ${limits.logPatternsMax}. ${metadataFilters}`,
  access: read,
  query: Type.Object({
    ...filters,
    interval: Type.Optional(Type.String({ examples: ['30s', '5m', '1h', '1d'] })),
    buckets: Type.Optional(Type.Integer({ minimum: 1 })),
    new: Type.Optional(
      Type.String({ description: 'true: only those of which no entry is older than from.' }),
    ),
  }),
  answer: Type.Object({
    data: Type.Array(
      Type.Object({
        pattern: Type.String({ description: '16 hexadecimal digits.' }),
        template: Type.String({ examples: ['tick took <n> ms'] }),
        entries: Type.Integer(),
        levels: LevelCounts,
        firstSeenAt: Type.String({ description: 'In the datasets, whatever else is asked.' }),
        lastSeenAt: Text,
        counts: Type.Array(Type.Integer(), { description: 'By bucket.' }),
        sample: Type.String({ description: 'The body of one of them.' }),
      }),
    ),
    timestamps: Type.Array(Text, { description: 'When each bucket begins.' }),
    total: Type.Integer({ description: 'How many different ones match.' }),
    status: Type.Literal('ok'),
  }),
  errors: filterErrors,
});
