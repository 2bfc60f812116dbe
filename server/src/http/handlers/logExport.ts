/** Handles the routes that stream every matching log entry. */
import { Readable } from 'node:stream';
import { takeTurns } from '@tapedeck/concurrency/turns';
import type * as contract from '@tapedeck/contract/logs';
import { openExport } from '@tapedeck/domain/logs/search/export';
import { readOrder } from '@tapedeck/domain/logs/search/pages';
import type { LogSearchDeps } from '@tapedeck/domain/logs/search/searchFilter';
import type { LogEntry } from '@tapedeck/domain/ports/logQueries';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import type { CallerDeps } from '../authentication.ts';
import { watchAccess } from '../authentication.ts';
import { cutWhenIdle } from '../idleStreams.ts';
import {
  csvHeader,
  formatCsvLine,
  formatNdjsonLine,
  writeCsvPieces,
  writeNdjsonPieces,
} from '../logs/entryForms.ts';
import { readQuestion } from '../logs/logQueryRequests.ts';
import { isLong } from '../longResponses.ts';
import { type RouteRequest, signalOf } from '../routing.ts';

type LogExportDeps = CallerDeps & LogSearchDeps & { readingPauseMsMax: number };

const formats = {
  ndjson: {
    type: 'application/x-ndjson; charset=utf-8',
    head: '',
    format: formatNdjsonLine,
    write: writeNdjsonPieces,
  },
  csv: {
    type: 'text/csv; charset=utf-8',
    head: csvHeader,
    format: formatCsvLine,
    write: writeCsvPieces,
  },
} as const;

/** The token route and the signed-in route share this answer. */
export function respondLogExport(deps: LogExportDeps) {
  return async ({ caller, query, request, reply }: RouteRequest<typeof contract.exportLogs>) => {
    const { filter } = readQuestion(request, caller);
    const format = readFormat(query.format);
    const order = readOrder(query.order);
    const disposition = `attachment; filename="logs.${query.format ?? 'ndjson'}"`;
    const describe = () => reply.type(format.type).header('content-disposition', disposition);
    if (request.method === 'HEAD') return describe().send(); // the client would get none of the lines
    const signal = signalOf(reply);
    const batches = await openExport(deps, { filter, order }, signal);
    signal.throwIfAborted(); // a client that is already gone sends no more `close` events
    const cut = () => reply.raw.destroy();
    // Each stream occupies a slot in the engine.
    const lines = cutWhenIdle(writeLines(batches, format), deps.readingPauseMsMax, cut);
    const watch = watchAccess(deps, request, cut);
    reply.raw.once('close', () => clearInterval(watch));
    return describe().send(Readable.from(lines, { objectMode: false }));
  };
}

function readFormat(text = 'ndjson') {
  if (text === 'ndjson' || text === 'csv') return formats[text];
  throw new ServiceError('invalid_field', 'format must be ndjson or csv.', { field: 'format' });
}

async function* writeLines(
  batches: AsyncIterable<LogEntry[]>,
  { head, format, write }: (typeof formats)['csv' | 'ndjson'],
): AsyncGenerator<string> {
  const takeTurn = takeTurns(1);
  if (head !== '') yield head;
  for await (const entries of batches) {
    if (!entries.some(isLong)) yield entries.map(format).join('');
    else
      for (const entry of entries)
        for (const piece of isLong(entry) ? write(entry) : [format(entry)]) {
          yield piece;
          await takeTurn();
        }
  }
}
