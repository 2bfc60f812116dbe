/** Answers the routes that follow log entries as they arrive, with Server-Sent Events. */
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as contract from '../../contract/logs.ts';
import type { CursorSeal } from '../../domain/logs/query/cursor.ts';
import type { LogTails } from '../../domain/logs/tails.ts';
import type { Arrival, ArrivedEntry } from '../../domain/ports/logQueries.ts';
import { ServiceError } from '../../vocabulary.ts';
import { watchAccess } from '../accessWatch.ts';
import type { CallerDeps } from '../callers.ts';
import { signalOf } from '../departures.ts';
import { presentEntry } from '../logs/entryForms.ts';
import { readQuestion } from '../logs/logQuestions.ts';
import { type Asked, type HandledRoute, handle } from '../registry.ts';

export type LogTailDeps = CallerDeps & { cursorSeal: CursorSeal; tails: LogTails; readingPauseMsMax: number };

const eventStream = 'text/event-stream; charset=utf-8';
const heartbeatMs = 15_000; // below the idle limit of common proxies
const unsentBytesMax = 64 * 1024; // for each of a thousand followers

export function handleLogTail(deps: LogTailDeps): HandledRoute[] {
  return [handle(contract.tailLogs, answerLogTail(deps))];
}

/** The answer that the routes for tokens and for signed-in users share. */
export function answerLogTail(deps: LogTailDeps) {
  return async ({ caller, request, reply }: Asked<typeof contract.tailLogs>) => {
    const { filter } = readQuestion(request, caller);
    const after = readLastPlace(request, deps.cursorSeal);
    if (request.method === 'HEAD') return reply.type(eventStream).send();
    const { listener, end } = openEventStream(deps, request, reply);
    try {
      await deps.tails.follow({ ...listener, filter, after });
    } catch (error) {
      if (!reply.sent) throw error;
      request.log.warn({ err: error }, 'a tail ended early'); // its client resumes
    }
    if (!reply.sent) throw listener.signal.aborted ? listener.signal.reason : stoppingError();
    end();
    return reply;
  };
}

/** Where the client's last tail ended; null: it follows for the first time. */
function readLastPlace({ headers }: FastifyRequest, seal: CursorSeal): Arrival | null {
  const lastId = String(headers['last-event-id'] ?? '');
  if (lastId === '') return null;
  const place = seal.decodeArrival(lastId);
  if (place !== null) return place;
  throw new ServiceError('invalid_field', 'Last-Event-ID is none that the tail gave out; start without it.');
}

function openEventStream(deps: LogTailDeps, request: FastifyRequest, reply: FastifyReply) {
  const { raw } = reply;
  const hasRoom = () => raw.writableLength < unsentBytesMax;
  const gone = signalOf(reply);
  const isOver = new AbortController();
  const signal = AbortSignal.any([gone, isOver.signal]);
  const timers: NodeJS.Timeout[] = [];
  const listener = {
    signal,
    hasRoom,
    onBegin: () => {
      reply.hijack();
      raw.on('error', () => {}); // its client has gone, which `close` tells
      raw.writeHead(200, {
        ...headersOf(reply),
        'content-type': eventStream,
        'cache-control': 'no-store',
      });
      raw.write('retry: 1000\n: following\n\n');
      const beat = () => {
        if (hasRoom()) raw.write(': still here\n\n');
      };
      timers.push(setInterval(beat, heartbeatMs).unref());
      timers.push(watchAccess(deps, request, () => isOver.abort()));
    },
    take: (arrived: readonly ArrivedEntry[]) => {
      let taken = 0;
      for (; taken < arrived.length && hasRoom(); taken++) raw.write(formatEvent(deps, arrived[taken]!));
      return taken;
    },
    untilRoom: async () => {
      if (hasRoom() || signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = cutLater(raw, deps.readingPauseMsMax);
      raw.once('drain', resolve);
      const leave = () => resolve();
      signal.addEventListener('abort', leave);
      await promise;
      signal.removeEventListener('abort', leave);
      raw.off('drain', resolve);
      clearTimeout(timer);
    },
  };
  const end = () => {
    for (const timer of timers) clearInterval(timer); // nothing is written behind the end
    if (raw.destroyed) return;
    raw.end();
    const timer = cutLater(raw, deps.readingPauseMsMax);
    raw.once('close', () => clearTimeout(timer));
  };
  return { listener, end };
}

function stoppingError(): ServiceError {
  return new ServiceError('stopping', 'The service is stopping; follow again in a moment.');
}

function cutLater(raw: ServerResponse, pauseMsMax: number): NodeJS.Timeout {
  return setTimeout(() => raw.destroy(), pauseMsMax).unref();
}

/** The events of entries that were written out already: many clients may follow the same entries. */
const events = new WeakMap<ArrivedEntry, string>();

function formatEvent({ cursorSeal }: LogTailDeps, arrived: ArrivedEntry): string {
  const known = events.get(arrived);
  if (known !== undefined) return known;
  const text = `id: ${cursorSeal.encodeArrival(arrived.arrival)}\ndata: ${JSON.stringify(presentEntry(arrived.entry))}\n\n`;
  events.set(arrived, text);
  return text;
}

/** The headers that the hooks have set, because the answer goes around the framework. */
function headersOf(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]));
}
