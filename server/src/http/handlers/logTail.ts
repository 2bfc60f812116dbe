/** Handles the routes that follow log entries with Server-Sent Events. */
import type { ServerResponse } from 'node:http';
import { TimeSlices, takeTurns } from '@tapedeck/concurrency/turns';
import type * as contract from '@tapedeck/contract/logs';
import type { CursorSigner } from '@tapedeck/domain/logs/search/pages';
import type { TailPosition } from '@tapedeck/domain/logs/tails/followers';
import type { LogTails } from '@tapedeck/domain/logs/tails/tails';
import type { Arrival, ArrivedEntry } from '@tapedeck/domain/ports/logQueries';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { compareArrivals, findPlainPlace } from '@tapedeck/log-entries';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallerDeps } from '../authentication.ts';
import { watchAccess } from '../authentication.ts';
import { presentEntry } from '../logs/entryForms.ts';
import { readQuestion } from '../logs/logQueryRequests.ts';
import { isLong, writePieces } from '../longResponses.ts';
import { type RouteRequest, signalOf } from '../routing.ts';

export type LogTailDeps = CallerDeps & {
  cursorSeal: CursorSigner;
  tails: LogTails;
  readingPauseMsMax: number;
};

const eventStream = 'text/event-stream; charset=utf-8';
const heartbeatMs = 15_000; // below the idle limit of common proxies
const unsentBytesMax = 64 * 1024; // for each of up to a thousand followers

/** The token route and the signed-in route share this answer. */
export function respondLogTail(deps: LogTailDeps) {
  const slices = new TimeSlices(); // a thousand followers may end at once
  return async ({ caller, request, reply }: RouteRequest<typeof contract.tailLogs>) => {
    const { filter } = readQuestion(request, caller);
    const after = readLastPlace(request, deps.cursorSeal);
    if (request.method === 'HEAD') return reply.type(eventStream).send();
    const { listener, end } = openEventStream(deps, after, { request, reply });
    try {
      await deps.tails.follow({ ...listener, filter, after });
    } catch (error) {
      if (!reply.sent) throw error;
      request.log.warn({ err: error }, 'a tail ended early'); // the client resumes
    }
    if (!reply.sent) throw listener.signal.aborted ? listener.signal.reason : stoppingError();
    await slices.run(end);
    return reply;
  };
}

/** Returns where the client's last tail ended; null: it follows for the first time. */
function readLastPlace({ headers }: FastifyRequest, seal: CursorSigner): Arrival | null {
  const lastId = String(headers['last-event-id'] ?? '');
  if (lastId === '') return null;
  const place = seal.decodeArrival(lastId);
  if (place !== null) return place;
  throw new ServiceError('invalid_field', 'Last-Event-ID is not an id that the tail sent; start without it.');
}

function openEventStream(
  deps: LogTailDeps,
  after: Arrival | null,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
) {
  const { raw } = reply;
  let composing: Promise<void> | null = null;
  const hasCapacity = () => composing === null && raw.writableLength < unsentBytesMax;
  const isOver = new AbortController();
  const signal = AbortSignal.any([signalOf(reply), isOver.signal]);
  const timers: NodeJS.Timeout[] = [];
  const marks = new PlaceMarks(deps.cursorSeal, after);
  const sendLong = (event: Buffer) => {
    composing = null;
    if (!raw.writableEnded) raw.write(event);
  };
  const listener = {
    signal,
    hasRoom: hasCapacity,
    onBegin: (place: TailPosition) => {
      reply.hijack();
      raw.on('error', () => {}); // the client has gone; `close` reports it
      raw.writeHead(200, {
        ...headersOf(reply),
        'content-type': eventStream,
        'cache-control': 'no-store',
      });
      raw.write(`${marks.mark(place)}retry: 1000\n: following\n\n`);
      const beat = () => {
        if (hasCapacity()) raw.write(`${marks.mark(place)}: still here\n\n`);
      };
      timers.push(setInterval(beat, heartbeatMs).unref());
      timers.push(watchAccess(deps, request, () => isOver.abort()));
    },
    take: (arrived: readonly ArrivedEntry[]) => {
      const first = formatEvent(deps, arrived[0]!); // one or more come
      if (first instanceof Promise) {
        composing = first.then(sendLong);
        marks.recordSent(arrived[0]);
        return 1;
      }
      const ready = collectEvents(deps, arrived, raw.writableLength);
      if (ready.length > 0) raw.write(Buffer.concat(ready)); // each separate write costs as much as an event
      marks.recordSent(arrived[ready.length - 1]);
      return ready.length;
    },
    untilRoom: async () => {
      await composing;
      if (!hasCapacity() && !signal.aborted) await untilDrained(raw, signal, deps.readingPauseMsMax);
    },
  };
  const end = () => {
    for (const timer of timers) clearInterval(timer); // nothing must follow the end
    if (raw.destroyed) return;
    raw.end();
    const timer = cutLater(raw, deps.readingPauseMsMax);
    raw.once('close', () => clearTimeout(timer));
  };
  return { listener, end };
}

/** Resolves once everything is sent or the signal aborts. Disconnects a client that reads nothing for too long. */
async function untilDrained(raw: ServerResponse, signal: AbortSignal, pauseMsMax: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = cutLater(raw, pauseMsMax);
  raw.once('drain', resolve);
  const leave = () => resolve();
  signal.addEventListener('abort', leave);
  await promise;
  signal.removeEventListener('abort', leave);
  raw.off('drain', resolve);
  clearTimeout(timer);
}

function stoppingError(): ServiceError {
  return new ServiceError('stopping', 'The service is stopping; follow again in a moment.');
}

function cutLater(raw: ServerResponse, pauseMsMax: number): NodeJS.Timeout {
  return setTimeout(() => raw.destroy(), pauseMsMax).unref();
}

/**
 * Lines that tell a client where to resume after a while without entries. They name no entry, because the entry there may belong to another
 * project.
 */
class PlaceMarks {
  readonly #seal: CursorSigner;
  #sent: Arrival;

  /** `after`: the client's own place. */
  constructor(seal: CursorSigner, after: Arrival | null) {
    this.#seal = seal;
    this.#sent = after ?? { micros: 0, traceId: '' };
  }

  recordSent(last: ArrivedEntry | undefined): void {
    if (last !== undefined) this.#sent = last.arrival;
  }

  /** Returns '' if the client already knows the place. */
  mark({ position }: TailPosition): string {
    const plain = findPlainPlace(position);
    const isSetBack = compareArrivals(position, this.#sent) < 0; // the clock was ahead
    if (!isSetBack && compareArrivals(plain, this.#sent) <= 0) return '';
    this.#sent = plain;
    return `id: ${this.#seal.encodeArrival(plain)}\n`;
  }
}

/** Caches the events of entries, because many clients may follow the same entries. */
const events = new WeakMap<ArrivedEntry, Buffer | Promise<Buffer>>();

/** Formats a long entry in turns. */
function formatEvent({ cursorSeal }: LogTailDeps, arrived: ArrivedEntry): Buffer | Promise<Buffer> {
  const known = events.get(arrived);
  if (known !== undefined) return known;
  const { arrival, entry } = arrived;
  const head = `id: ${cursorSeal.encodeArrival(arrival)}\ndata: `;
  const event = isLong(entry)
    ? composeLong(arrived, head)
    : Buffer.from(`${head}${JSON.stringify(presentEntry(entry))}\n\n`);
  events.set(arrived, event);
  return event;
}

/** Collects events until there is no more room, or up to one that is still being formatted. */
function collectEvents(deps: LogTailDeps, arrived: readonly ArrivedEntry[], unsentBytes: number): Buffer[] {
  const ready: Buffer[] = [];
  let bytes = unsentBytes;
  for (const each of arrived) {
    const event = formatEvent(deps, each);
    if (bytes >= unsentBytesMax || event instanceof Promise) break;
    ready.push(event);
    bytes += event.length;
  }
  return ready;
}

async function composeLong(arrived: ArrivedEntry, head: string): Promise<Buffer> {
  const takeTurn = takeTurns(1);
  const pieces = [Buffer.from(head)];
  for (const piece of writePieces(presentEntry(arrived.entry))) {
    pieces.push(Buffer.from(piece));
    await takeTurn();
  }
  const event = Buffer.concat([...pieces, Buffer.from('\n\n')]);
  events.set(arrived, event);
  return event;
}

/** Collects the headers set by hooks, because the answer bypasses the framework. */
function headersOf(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]));
}
