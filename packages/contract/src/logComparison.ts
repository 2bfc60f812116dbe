/** Compares the values of log fields in two time spans. */
import Type from 'typebox';
import { filterErrors, filters, metadataFilters, read } from './logs.ts';
import { defineRoute } from './route.ts';
import { limits } from './vocabulary.ts';

const Count = Type.Integer();
const { from: _from, to: _to, ...conditions } = filters;

export const compareLogs = defineRoute({
  id: 'compareLogs',
  method: 'GET',
  path: '/api/v3/logs/comparison',
  area: 'Logs',
  summary: `Compare how often each value of each field occurs in two time spans, clearest differences first, with exact counts. ${metadataFilters}`,
  access: read,
  query: Type.Object({
    ...conditions,
    from: Type.String({
      description: 'Earliest time of the span, RFC 3339, inclusive.',
      examples: ['2026-01-02T03:00:00Z'],
    }),
    to: Type.String({
      description: `Latest time of the span, inclusive; at most ${limits.logComparisonDaysMax} days after \`from\`.`,
      examples: ['2026-01-02T03:59:59.999Z'],
    }),
    baselineFrom: Type.String({
      description: 'Earliest time of the span to compare with, inclusive.',
      examples: ['2026-01-01T03:00:00Z'],
    }),
    baselineTo: Type.String({
      description: `Latest time of that span, inclusive; at most ${limits.logComparisonDaysMax} days after \`baselineFrom\`.`,
      examples: ['2026-01-01T03:59:59.999Z'],
    }),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: limits.logComparedDefault,
        description: `Number of values, at most ${limits.logComparedMax}; larger numbers mean ${limits.logComparedMax}.`,
      }),
    ),
  }),
  answer: Type.Object({
    data: Type.Array(
      Type.Object({
        field: Type.String({
          description: 'level, resource, dataset, pattern or a metadata path, written as in `query`.',
          examples: ['player.id', 'metadata.level'],
        }),
        value: Type.String(),
        entries: Type.Integer({ description: 'Entries of the span with this value.' }),
        baselineEntries: Type.Integer({ description: 'Entries of the baseline with this value.' }),
      }),
    ),
    entries: Type.Integer({ description: 'All matches in the span.' }),
    baselineEntries: Count,
    compared: Type.Integer({
      description:
        'Number of different values with at least 5 entries in the span or in the baseline; others are left out.',
    }),
    status: Type.Literal('ok'),
  }),
  errors: filterErrors,
});
