/** The tool that counts log entries, in total and by the values of a field. */

import { listValues, readField } from '@tapedeck/domain/logs/search/fields';
import Type from 'typebox';
import { composeAnswer, cutText, fitRows, rowsMax } from './dataText.ts';
import { adviseWithoutMatch, describeNow, readFilter } from './logFilterArguments.ts';
import { defineTool, limitOf, logQuestion, suggestLimit } from './tool.ts';

const limitDefault = 20;
const valueCharactersMax = 300;

export const countLogs = defineTool({
  name: 'count_logs',
  title: 'Count log entries',
  description: 'Counts matching log entries exactly, and with "by" how many have each value of a field.',
  kind: 'logs',
  input: Type.Object({
    ...logQuestion,
    by: Type.Optional(
      Type.String({
        description: 'level, resource, dataset, pattern, or a path of metadata, such as player.id.',
      }),
    ),
    limit: limitOf('How many values', limitDefault, rowsMax),
  }),
  run: async (deps, given, call) => {
    const filter = readFilter(deps, call, given);
    const { by = '', limit: asked = limitDefault } = given;
    if (by !== '') readField('by', by); // its error names the argument if there is no such field
    const limit = Math.min(asked, rowsMax);
    const [total, values] = await Promise.all([
      deps.logQueries.countEntries(filter, call.signal),
      by === '' ? [] : listValues(deps, { filter, field: by, limit }, call.signal),
    ]);
    const lines = fitRows(
      values.map(({ value, count }) => ({ value: cutText(value, valueCharactersMax), count })),
    );
    const sentences = [describeNow(deps), `${total} entries match.`];
    if (total === 0) sentences.push(adviseWithoutMatch(given.dataset));
    else if (by !== '' && values.length === 0)
      sentences.push(
        `None of them has the field ${cutText(by, 100)}. log_fields lists the fields they have.`,
      );
    else if (by !== '') sentences.push(describeRest(total, values.slice(0, lines.length), limit));
    return composeAnswer(sentences, lines);
  },
});

function describeRest(total: number, shown: readonly { count: number }[], limit: number): string {
  const rest = total - shown.reduce((sum, { count }) => sum + count, 0);
  const said = `Here are the ${shown.length} most frequent values.`;
  if (rest === 0) return said;
  const more = shown.length < limit ? '' : ` For more values ${suggestLimit(limit)}narrow query.`;
  return `${said} ${rest} entries have another value, or none, and are left out.${more}`;
}
