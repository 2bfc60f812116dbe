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
    new: Type.Optional(Type.String({ description: 'true: only patterns with no entry before `from`.' })),
  }),
  answer: Type.Object({
    data: Type.Array(
      Type.Object({
        pattern: Type.String({
          description:
            'Value for the query field `pattern`: 16 hexadecimal digits, or if merged, a list of them in brackets or the template in quotes.',
        }),
        patterns: Type.Array(Text, {
          description: 'The patterns of this group, most frequent first, at most 100.',
        }),
        variants: Type.Integer({ description: 'Number of patterns in this group; 1 if none were merged.' }),
        merged: Type.Boolean({
          description: 'true: merged from patterns that differ only in words, which are <*> in the template.',
        }),
        template: Type.String({ examples: ['kicked <player.name> (<n>): aimbot'] }),
        paths: Type.Array(Text, {
          description:
            'The metadata paths in the template. There, a backslash precedes each <, > and \\ of a path.',
        }),
        entries: Type.Integer(),
        levels: LevelCounts,
        firstSeenAt: Type.String({
          description: 'Time of the first entry with the pattern; only the dataset filter applies.',
        }),
        lastSeenAt: Text,
        counts: Type.Array(Type.Integer(), { description: 'Number of entries in each bucket.' }),
        sample: Type.String({ description: 'The body of one of the entries.' }),
      }),
    ),
    timestamps: Type.Array(Text, { description: 'Start of each bucket.' }),
    total: Type.Integer({ description: 'Number of different patterns that match.' }),
    status: Type.Literal('ok'),
  }),
  errors: filterErrors,
});
