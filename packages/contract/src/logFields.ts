/** Fields and values that logs can be searched by. */
import Type from 'typebox';
import { filterErrors, filters, metadataFilters, read } from './logs.ts';
import { defineRoute } from './route.ts';
import { limits } from './vocabulary.ts';

const Prefix = Type.Optional(Type.String());
const Ok = Type.Literal('ok');

export const listLogFields = defineRoute({
  id: 'listLogFields',
  method: 'GET',
  path: '/api/v3/logs/fields',
  area: 'Logs',
  summary: `List the fields of the matches, most frequent first, at most ${limits.logFieldsMax}. ${metadataFilters}`,
  access: read,
  query: Type.Object({ ...filters, prefix: Prefix }),
  answer: Type.Object({
    data: Type.Array(
      Type.Object({
        name: Type.String({
          description: 'level, resource or a metadata path, written as in `query`.',
          examples: ['player.id', 'metadata.level'],
        }),
        kind: Type.Enum(['number', 'text'], { description: 'number: all values can be read as numbers.' }),
        entries: Type.Integer(),
      }),
    ),
    status: Ok,
  }),
  errors: filterErrors,
});

export const listLogValues = defineRoute({
  id: 'listLogValues',
  method: 'GET',
  path: '/api/v3/logs/values',
  area: 'Logs',
  summary: `List the values of a field that start with a prefix, with exact counts. ${metadataFilters}`,
  access: read,
  query: Type.Object({
    ...filters,
    field: Type.String({
      description: 'Field: level, resource, dataset, pattern or a metadata path.',
      examples: ['player.id', 'metadata.level'],
    }),
    prefix: Prefix,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: limits.logValuesDefault,
        description: `Number of values, at most ${limits.logValuesMax}; larger numbers mean ${limits.logValuesMax}.`,
      }),
    ),
  }),
  answer: Type.Object({
    data: Type.Array(Type.Object({ value: Type.String(), count: Type.Integer() })),
    status: Ok,
  }),
  errors: filterErrors,
});
