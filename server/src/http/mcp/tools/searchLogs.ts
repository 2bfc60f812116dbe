/** The tool that searches log entries. */

import { findPage } from '@tapedeck/domain/logs/search/pages';
import Type from 'typebox';
import { composeAnswer, fitRows, rowsMax } from './dataText.ts';
import { adviseWithoutMatch, describeNow, presentRows, readFilter } from './logFilterArguments.ts';
import { defineTool, limitOf, logQuestion } from './tool.ts';

const limitDefault = 50;

export const searchLogs = defineTool({
  name: 'search_logs',
  title: 'Search log entries',
  description:
    'Finds log entries, newest first, and counts all matches. Long texts are cut; log_context shows a whole entry and what happened around it.',
  kind: 'logs',
  input: Type.Object({
    ...logQuestion,
    limit: limitOf('How many entries', limitDefault, rowsMax),
    order: Type.Optional(
      Type.Enum(['desc', 'asc'], { description: 'desc (newest first, the default) or asc (oldest first).' }),
    ),
    cursor: Type.Optional(
      Type.String({ description: 'Continues after an earlier answer; copy it from there.' }),
    ),
  }),
  run: async (deps, given, call) => {
    const filter = readFilter(deps, call, given);
    const { limit = limitDefault, order, cursor } = given;
    const begin = cursor === undefined || cursor === '' ? { offset: 0 } : { cursor };
    const asked = { order, limit: Math.min(limit, rowsMax), begin, includeTotal: true };
    const { signal } = call;
    const { entries, unread, hasMore, total } = await findPage(deps, { filter, asked }, signal);
    const listed = [...entries, ...unread];
    const lines = fitRows(await presentRows(deps, { project: filter.project, listed, signal }));
    const last = listed[lines.length - 1];
    const isCut = lines.length < listed.length;
    const sentences = [describeNow(deps), `${total} entries match; here are ${lines.length}.`];
    if (isCut) sentences.push('The answer has reached its maximum length.');
    if (last !== undefined && (hasMore || isCut))
      sentences.push(
        `There are more. Ask again with cursor "${deps.cursorSeal.encode(last.traceId)}" for the next ones, or narrow query, from and to.`,
      );
    if (total === 0) sentences.push(adviseWithoutMatch(given.dataset));
    return composeAnswer(sentences, lines);
  },
});
