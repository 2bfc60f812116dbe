/** Answers the routes that stream every matching log entry. */
import { Readable } from 'node:stream';
import * as contract from '../../contract/logs.ts';
import type { LogEntry, LogQueries } from '../../domain/ports/logQueries.ts';
import { ServiceError } from '../../vocabulary.ts';
import { signalOf } from '../abortSignals.ts';
import { watchAccess } from '../accessWatch.ts';
import type { CallerDeps } from '../callers.ts';
import { csvHeader, formatCsvLine, formatNdjsonLine } from '../logs/entryForms.ts';
import { readOrder } from '../logs/logParameters.ts';
import { readQuestion } from '../logs/logQuestions.ts';
import { type Asked, type HandledRoute, handle } from '../registry.ts';

export type LogExportDeps = CallerDeps & { logQueries: LogQueries; readingPauseMsMax: number };

const formats = {
  ndjson: { type: 'application/x-ndjson; charset=utf-8', head: '', format: formatNdjsonLine },
  csv: { type: 'text/csv; charset=utf-8', head: csvHeader, format: formatCsvLine },
} as const;

export function handleLogExport(deps: LogExportDeps): HandledRoute[] {
  return [handle(contract.exportLogs, answerLogExport(deps))];
}

/** The answer that the routes for tokens and for signed-in users share. */
export function answerLogExport(deps: LogExportDeps) {
  return async ({ caller, query, request, reply }: Asked<typeof contract.exportLogs>) => {
    const { filter } = readQuestion(request, caller);
    const format = readFormat(query.format);
    const page = { order: readOrder(query.order), after: null };
    const disposition = `attachment; filename="logs.${query.format ?? 'ndjson'}"`;
    const describe = () => reply.type(format.type).header('content-disposition', disposition);
    if (request.method === 'HEAD') return describe().send(); // nothing is read that nobody gets
    const signal = signalOf(reply);
    const batches = deps.logQueries.streamEntries(filter, page, signal);
    const read = await startReading(batches, signal);
    signal.throwIfAborted(); // a client that has gone already sends no `close` event any more
    const cut = () => reply.raw.destroy();
    const lines = cutWhenIdle(writeLines(read, format), deps.readingPauseMsMax, cut);
    const watch = watchAccess(deps, request, cut);
    reply.raw.once('close', () => clearInterval(watch));
    return describe().send(Readable.from(lines, { objectMode: false }));
  };
}

function readFormat(text = 'ndjson') {
  if (text === 'ndjson' || text === 'csv') return formats[text];
  throw new ServiceError('invalid_field', 'format must be ndjson or csv.', { field: 'format' });
}

/**
 * Waits for the first entries, so that a query that the store refuses is answered with an error and not cut off. When the
 * client goes, also before the first line was written, the query in the store is ended.
 */
async function startReading(
  batches: AsyncIterable<LogEntry[]>,
  signal: AbortSignal,
): Promise<AsyncIterable<LogEntry[]>> {
  const iterator = batches[Symbol.asyncIterator]();
  const end = () => void iterator.return?.().catch(() => undefined); // it fails as the reading itself does
  signal.addEventListener('abort', end, { once: true });
  const first = await iterator.next();
  return (async function* () {
    try {
      for (let next = first; !next.done; next = await iterator.next()) yield next.value;
    } finally {
      end();
    }
  })();
}

async function* writeLines(
  batches: AsyncIterable<LogEntry[]>,
  { head, format }: (typeof formats)['csv' | 'ndjson'],
): AsyncGenerator<string> {
  if (head !== '') yield head;
  for await (const entries of batches) yield entries.map(format).join('');
}

/** Cuts the stream when its reader takes no line for `pauseMsMax`, because each stream holds a place in the engine. */
async function* cutWhenIdle(
  lines: AsyncGenerator<string>,
  pauseMsMax: number,
  cut: () => void,
): AsyncGenerator<string> {
  for await (const text of lines) {
    const timer = setTimeout(cut, pauseMsMax).unref();
    try {
      yield text;
    } finally {
      clearTimeout(timer);
    }
  }
}
