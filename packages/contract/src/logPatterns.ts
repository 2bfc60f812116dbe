/** Log patterns: bodies grouped with numbers, names and times masked. */
import Type from 'typebox';
import { filterErrors, filters, LevelCounts, metadataFilters, read } from './logs.ts';
import { defineRoute } from './route.ts';
import { limits } from './vocabulary.ts';

const Text = Type.String();

export const listLogPatterns = defineRoute({
  id: 'listLogPatterns',
  method: 'GET',
  path: '/api/v3/logs/patterns',
  area: 'Logs',
  summary: `Group matches whose bodies differ only in numbers, ids, addresses and times, most frequent first, at most ${limits.logPatternsMax}. ${metadataFilters}`,
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
        pattern: Type.String({
          description:
            'As the query field pattern takes it: 16 hexadecimal digits, or where merged a list of them in brackets or the template in quotes.',
        }),
        patterns: Type.Array(Text, {
          description: 'Each of them, the most frequent first, 100 at most.',
        }),
        variants: Type.Integer({ description: 'How many patterns were merged; 1: none.' }),
        merged: Type.Boolean({
          description: 'true: the patterns differ only in words, which are <*> in the template.',
        }),
        template: Type.String({ examples: ['kicked <player.name> (<n>): aimbot'] }),
        paths: Type.Array(Text, {
          description:
            'The metadata paths in the template. A backslash stands before each <, > and \\ of a path there.',
        }),
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
