/** Answers the routes whose answers go on: following entries as they arrive, and carrying all of them away. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as contract from '../../contract/logs.ts';
import type { CursorSeal } from '../../domain/logs/queryCursor.ts';
import { csvHeader, formatCsvLine, formatNdjsonLine, presentEntry } from '../../domain/logs/queryExport.ts';
import { readOrder } from '../../domain/logs/queryFilter.ts';
import type { LogTails } from '../../domain/logs/tails.ts';
import type { LogEntry, LogFilter, LogQueries } from '../../domain/ports/logQueries.ts';
import { ServiceError } from '../../vocabulary.ts';
import { type Asked, type HandledRoute, handle } from '../registry.ts';
import { readQuestion, signalOf } from './logQueries.ts';

export type LogStreamDeps = { logQueries: LogQueries; cursorSeal: CursorSeal; tails: LogTails };

const formats = {
  ndjson: { type: 'application/x-ndjson; charset=utf-8', head: '', format: formatNdjsonLine },
  csv: { type: 'text/csv; charset=utf-8', head: csvHeader, format: formatCsvLine },
} as const;

export function handleLogStreams(deps: LogStreamDeps): HandledRoute[] {
  const answers = answerLogStreams(deps);
  return [handle(contract.exportLogs, answers.export), handle(contract.tailLogs, answers.tail)];
}

/** What is answered to tokens and to signed-in users alike. */
export function answerLogStreams(deps: LogStreamDeps) {
  return {
    export: async ({ caller, query, request, reply }: Asked<typeof contract.exportLogs>) => {
      const { filter } = readQuestion(request, caller);
      const format = readFormat(query.format);
      const page = { order: readOrder(query.order), after: null };
      const batches = deps.logQueries.streamEntries(filter, page, signalOf(reply));
      const lines = writeLines(await startReading(batches), format);
      reply
        .type(format.type)
        .header('content-disposition', `attachment; filename="logs.${query.format ?? 'ndjson'}"`);
      return reply.send(Readable.from(lines, { objectMode: false }));
    },
    tail: async ({ caller, request, reply }: Asked<typeof contract.tailLogs>) => {
      const { filter } = readQuestion(request, caller);
      await followEntries(deps, { request, reply }, filter);
      return reply;
    },
  };
}

function readFormat(text = 'ndjson') {
  if (text === 'ndjson' || text === 'csv') return formats[text];
  throw new ServiceError('invalid_field', 'format must be ndjson or csv.');
}

/** Waits for the first entries, so that a question that cannot be answered is refused rather than cut off. */
async function startReading(batches: AsyncIterable<LogEntry[]>): Promise<AsyncIterable<LogEntry[]>> {
  const iterator = batches[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    for (let next = first; !next.done; next = await iterator.next()) yield next.value;
  })();
}

async function* writeLines(
  batches: AsyncIterable<LogEntry[]>,
  { head, format }: (typeof formats)['csv' | 'ndjson'],
): AsyncGenerator<string> {
  if (head !== '') yield head;
  for await (const entries of batches) yield entries.map(format).join('');
}

const heartbeatMs = 15_000; // below the idle limit of common proxies
const unsentBytesMax = 1024 * 1024; // who reads slower than that resumes later, where the stream ended

/** First what the client missed since its `Last-Event-ID`, then what arrives. */
async function followEntries(
  deps: LogStreamDeps,
  call: { request: FastifyRequest; reply: FastifyReply },
  filter: LogFilter,
): Promise<void> {
  const { request, reply } = call;
  const lastId = request.headers['last-event-id'];
  const after = lastId === undefined ? null : deps.cursorSeal.decode(String(lastId));
  const waiting: LogEntry[] = [];
  let isLive = after === null;
  const { raw } = reply;
  const send = (entries: readonly LogEntry[]) => {
    for (const entry of entries)
      raw.write(
        `id: ${deps.cursorSeal.encode(entry.traceId)}\ndata: ${JSON.stringify(presentEntry(entry))}\n\n`,
      );
    if (raw.writableLength > unsentBytesMax) raw.end();
  };
  const unfollow = deps.tails.follow({
    filter,
    onEntries: entries => (isLive ? send(entries) : waiting.push(...entries)),
    onClose: () => raw.end(),
  });
  raw.once('close', unfollow);
  const missed =
    after === null
      ? null
      : await startReading(deps.logQueries.streamEntries(filter, { order: 'asc', after }, signalOf(reply)));
  reply.hijack();
  raw.writeHead(200, {
    ...headersOf(reply),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  });
  raw.write(': following\n\n');
  const heartbeat = setInterval(() => raw.write(': still here\n\n'), heartbeatMs).unref();
  raw.once('close', () => clearInterval(heartbeat));
  const sent = new Set<string>();
  for await (const entries of missed ?? []) {
    for (const { traceId } of entries) sent.add(traceId);
    send(entries);
  }
  send(waiting.filter(({ traceId }) => !sent.has(traceId)));
  isLive = true;
}

/** What the hooks have set; the answer goes around the framework. */
function headersOf(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]));
}
