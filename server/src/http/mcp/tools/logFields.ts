/** The tool that lists the fields of log entries. */

import { listFields } from '@tapedeck/domain/logs/search/fields';
import { limits } from '@tapedeck/domain/vocabulary';
import Type from 'typebox';
import { composeAnswer, fitRows, rowsMax } from './dataText.ts';
import { describeNow, readFilter } from './logFilterArguments.ts';
import { defineTool, limitOf, logQuestion, suggestLimit } from './tool.ts';

const limitDefault = 50;

export const logFields = defineTool({
  name: 'log_fields',
  title: 'List the fields of log entries',
  description:
    'Lists the fields of matching log entries, most frequent first. Use their names in query, and in "by" and "field" of other tools. count_logs with "by" shows the values of one.',
  kind: 'logs',
  input: Type.Object({
    ...logQuestion,
    prefix: Type.Optional(Type.String({ description: 'The beginning of the names; case-sensitive.' })),
    limit: limitOf('How many fields', limitDefault, rowsMax),
  }),
  run: async (deps, given, call) => {
    const filter = readFilter(deps, call, given);
    const { limit = limitDefault, prefix } = given;
    const fields = await listFields(deps, { filter, prefix }, call.signal);
    const lines = fitRows(fields.slice(0, limit));
    const total = fields.length < limits.logFieldsMax ? `${fields.length}` : `${fields.length} or more`;
    const sentences = [
      describeNow(deps),
      `Showing ${lines.length} of ${total} fields. "entries" is the number of entries with the field.`,
      ...(lines.length < fields.length
        ? [`The others are left out: ${suggestLimit(limit)}ask with prefix.`]
        : []),
      ...(fields.length === 0 ? ['Ask with another prefix or query, or widen from and to.'] : []),
    ];
    return composeAnswer(sentences, lines);
  },
});
