/** The tool that groups log entries by common patterns in their messages. */

import { findPatterns } from '@tapedeck/domain/logs/search/patterns';
import { formatMicros } from '@tapedeck/log-entries';
import Type from 'typebox';
import { composeAnswer, cutText, fitRows, rowsMax } from './dataText.ts';
import { describeNow, readFilter } from './logFilterArguments.ts';
import { defineTool, limitOf, logQuestion, suggestLimit } from './tool.ts';

const limitDefault = 30;
const textCharactersMax = 400;

export const logPatterns = defineTool({
  name: 'log_patterns',
  title: 'Find what log entries have in common',
  description:
    'Groups matching log entries whose messages differ only in numbers, names and times, most frequent first. Start here to see what is going on. Search the entries of a group with query "pattern:" and its pattern.',
  kind: 'logs',
  input: Type.Object({
    ...logQuestion,
    limit: limitOf('How many patterns', limitDefault, rowsMax),
    new: Type.Optional(
      Type.Boolean({ description: 'true: only patterns that were first seen between from and to.' }),
    ),
  }),
  run: async (deps, given, call) => {
    const filter = readFilter(deps, call, given);
    const { limit = limitDefault, new: isNew = false } = given;
    const asked = { buckets: { count: 1 }, isNew };
    const { patterns, total } = await findPatterns(deps, { filter, asked }, call.signal);
    const lines = fitRows(
      patterns
        .slice(0, limit)
        .map(({ pattern, template, entries, levels, firstMicros, lastMicros, sample }) => ({
          entries,
          template: cutText(template, textCharactersMax),
          pattern: cutText(pattern, textCharactersMax),
          levels: Object.fromEntries(Object.entries(levels).filter(([, count]) => count > 0)),
          firstSeenAt: formatMicros(firstMicros),
          lastSeenAt: formatMicros(lastMicros),
          sample: cutText(sample, textCharactersMax),
        })),
    );
    const sentences = [
      describeNow(deps),
      `${total} patterns match; here are the ${lines.length} most frequent.`,
      ...(lines.length < total
        ? [
            `${total - lines.length} rarer ones are left out: ${suggestLimit(limit)}narrow query, from and to.`,
          ]
        : []),
    ];
    return composeAnswer(sentences, lines);
  },
});
