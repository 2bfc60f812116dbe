/** The tool that shows a whole log entry, and what happened around it. */

import { composePlace } from '@tapedeck/domain/logs/search/searchFilter';
import { getContext } from '@tapedeck/domain/logs/search/singleEntries';
import type { LogEntry } from '@tapedeck/domain/ports/logQueries';
import { invalidFieldError } from '@tapedeck/domain/vocabulary';
import Type from 'typebox';
import { composeAnswer, countBytes, rowsBytesMax, writeRow } from './dataText.ts';
import { describeNow, full, presentRow, presentRows, readFilter } from './logFilterArguments.ts';
import { defineTool, limitOf, logQuestion, suggestLimit } from './tool.ts';

const limitDefault = 10;
const neighboursBytes = 12 * 1024; // for some neighbours of usual length
const limitMax = 49; // twice this plus the entry itself makes 99 rows

export const logContext = defineTool({
  name: 'log_context',
  title: 'Show a log entry and what is around it',
  description:
    'Shows a whole log entry with its neighbours in the same dataset, oldest first. With query, shows only neighbours that match.',
  kind: 'logs',
  input: Type.Object({
    traceId: Type.String({
      description: 'The 32 hexadecimal digits of the entry, from search_logs.',
    }),
    ...logQuestion,
    limit: limitOf('How many entries on each side', limitDefault, limitMax),
  }),
  run: async (deps, given, call) => {
    const traceId = given.traceId.trim().toLowerCase();
    if (!/^[0-9a-f]{32}$/.test(traceId))
      throw invalidFieldError('traceId', 'traceId must be the 32 hexadecimal digits that search_logs shows.');
    const filter = readFilter(deps, call, given);
    const place = composePlace(call.caller, given.dataset || '*', traceId);
    const side = Math.min(given.limit ?? limitDefault, limitMax);
    const { signal } = call;
    const around = await getContext(deps, { place, filter, before: side, after: side }, signal);
    const { project } = place;
    const earlier = [...around.unreadBefore, ...around.before];
    const before = await presentRows(deps, { project, listed: earlier, signal });
    const later = [...around.after, ...around.unreadAfter];
    const after = await presentRows(deps, { project, listed: later, signal });
    const rows = fitAround(writeEntry(around.entry), before.map(writeRow), after.map(writeRow));
    const left = before.length + after.length + 1 - rows.length;
    const sentences = [
      describeNow(deps),
      `The entry has "isTheEntry": true; ${rows.length - 1} neighbours are shown around it.`,
      left > 0
        ? `${left} neighbours are left out because the answer has reached its maximum length. Narrow the query, or use search_logs with from and to.`
        : `For more of them ${suggestLimit(side, limitMax)}search_logs with from and to.`,
    ];
    return composeAnswer(sentences, rows);
  },
});

/** Writes as much of the entry as leaves room for neighbours. Escapes can make a text several times longer. */
function writeEntry(entry: LogEntry): string {
  for (let { bodyCharactersMax, metadataCharactersMax } = full; ; ) {
    const row = { isTheEntry: true, ...presentRow(entry, { bodyCharactersMax, metadataCharactersMax }) };
    const line = writeRow(row);
    if (countBytes(line) <= rowsBytesMax - neighboursBytes) return line;
    bodyCharactersMax = Math.floor(bodyCharactersMax / 2);
    metadataCharactersMax = Math.floor(metadataCharactersMax / 2);
  }
}

/** Returns the nearest rows that fit, taken from both sides in turn. */
function fitAround(asked: string, before: readonly string[], after: readonly string[]): string[] {
  const rows = [asked];
  let bytes = countBytes(asked);
  const add = (line: string | undefined, put: (line: string) => void): boolean => {
    if (line === undefined) return true;
    bytes += countBytes(line);
    if (bytes > rowsBytesMax) return false;
    put(line);
    return true;
  };
  for (let distance = 0; distance < Math.max(before.length, after.length); distance++) {
    if (!add(before.at(-1 - distance), line => rows.unshift(line))) break;
    if (!add(after[distance], line => rows.push(line))) break;
  }
  return rows;
}
