/**
 * Tracks open connections with their requests and responses. So the server can stop without cutting responses, and no connection takes a whole turn of
 * the event loop: Node.js's server begins all requests that a client has sent without waiting for answers, and passes on each chunk of a body by itself,
 * up to two megabytes of either at a stretch.
 */
import { IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { lingerAtEnd } from './gracefulClose.ts';

export type Connections = {
  /** Unfinished responses, in the order of their requests. */
  answersOn(socket: Socket): readonly ServerResponse[];
  readonly isStopping: boolean;
  /** Whether the connection closes after the current response: only during a stop, after the last one. */
  closesAfter(socket: Socket): boolean;
  /** Keeps the connection open until `release`, for work that Node.js's server does not track. */
  hold(socket: Socket): void;
  release(socket: Socket): void;
  /** Serves the requests of a connection one after the other, each in a separate turn of the event loop. */
  serveInTurn(serve: RequestListener): RequestListener;
  /** Closes idle connections now, and each busy one after its last response. */
  beginStop(): void;
  cutAll(): void;
};

type Exchange = [request: IncomingMessage, response: ServerResponse];

/** What a connection has to do before it may close. `waiting`: requests behind the one that is being served. */
type Work = { answers: ServerResponse[]; waiting: Exchange[]; isServing: boolean; isHeld: boolean };

const waitingMax = 16; // then the connection is not read; what was read, up to 64 KiB of requests, still waits
const allWaitingMax = 20_000; // on all connections; each takes some kilobytes

export function trackConnections(server: Server): Connections {
  // Arrays, because a changing Set leaves behind tables that point to each other. Once one of them is old, all later requests of the connection live
  // until the next full garbage collection. That took a third of the work.
  const open = new Map<Socket, Work>();
  const closeIdle = (socket: Socket) => {
    const work = open.get(socket);
    if (connections.isStopping && work?.answers.length === 0 && !work.isHeld) socket.destroySoon();
  };
  server.on('connection', socket => {
    open.set(socket, beginWork());
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({ socket }, answer) => {
    const answers = open.get(socket)?.answers;
    if (answers === undefined) return;
    answers.push(answer);
    answer.once('close', () => {
      answers.splice(answers.indexOf(answer), 1);
      closeIdle(socket);
    });
  });
  const connections = {
    isStopping: false,
    serveInTurn: (serve: RequestListener) => serveInTurn(open, serve),
    answersOn: (socket: Socket) => open.get(socket)?.answers ?? [],
    closesAfter: (socket: Socket) => connections.isStopping && (open.get(socket)?.answers.length ?? 0) <= 1,
    hold: (socket: Socket) => {
      const work = open.get(socket);
      if (work) work.isHeld = true;
    },
    release: (socket: Socket) => {
      const work = open.get(socket);
      if (work) work.isHeld = false;
      closeIdle(socket);
    },
    beginStop: () => {
      connections.isStopping = true;
      for (const socket of open.keys()) closeIdle(socket);
    },
    cutAll: () => {
      for (const socket of open.keys()) socket.destroy();
    },
  };
  return connections;
}

function beginWork(): Work {
  return { answers: [], waiting: [], isServing: false, isHeld: false };
}

function serveInTurn(open: ReadonlyMap<Socket, Work>, serve: RequestListener): RequestListener {
  let allWaiting = 0;

  function begin(work: Work, [request, response]: Exchange): void {
    work.isServing = true;
    response.once('close', () => {
      if (work.waiting.length === 0) work.isServing = false;
      else setImmediate(runNext, work, request.socket);
    });
    serve(request, response);
  }

  function runNext(work: Work, socket: Socket): void {
    if (socket.destroyed) {
      allWaiting -= work.waiting.splice(0).length;
      return;
    }
    const next = work.waiting.shift()!; // this is called only if requests wait
    allWaiting--;
    if (work.waiting.length === 0) readOn(socket);
    begin(work, next);
  }

  return (request, response) => {
    const { socket } = request;
    const work = open.get(socket) ?? beginWork();
    if (!work.isServing) {
      begin(work, [request, response]);
      return;
    }
    work.waiting.push([request, response]);
    if (++allWaiting > allWaitingMax) socket.destroy();
    else if (work.waiting.length === waitingMax) pauseReading(socket);
  };
}

/**
 * Pauses a connection as Node.js's server does when too many answers wait to be sent: its parser otherwise reads on after each request. The server goes
 * on whenever part of an answer is sent.
 */
function stayPaused(this: Socket): void {
  // Node.js's types lack this property.
  (this as Socket & { _paused: boolean })._paused = true;
  this.pause();
}

function pauseReading(socket: Socket): void {
  socket.on('resume', stayPaused);
  stayPaused.call(socket);
}

function readOn(socket: Socket): void {
  socket.off('resume', stayPaused);
  socket.emit('drain');
}

const tinyBytes = 1_024;
const tinyChunksMax = 16; // of one body; those of usual clients are passed on at once
const gatheredMax = 2_000; // then the server stops reading; what it has read, up to eleven thousand chunks of one byte, still comes

/** Joins tiny chunks of a body, which would be decoded, hashed and stored one by one. Use this as the server's `IncomingMessage`. */
export class GatheredMessage extends IncomingMessage {
  #tinyChunks = 0;
  #gathered: Uint8Array[] = [];

  /** The server reads on when this returns true, or when the gathered bytes are taken. */
  override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
    if (chunk === null) this.#passOn();
    else if (this.#gathered.length > 0 || (chunk.length < tinyBytes && ++this.#tinyChunks > tinyChunksMax)) {
      if (this.#gathered.push(chunk) === 1) setImmediate(() => this.#passOn());
      return this.#gathered.length < gatheredMax;
    }
    return super.push(chunk, encoding);
  }

  #passOn(): void {
    if (this.#gathered.length === 0) return;
    const bytes = Buffer.concat(this.#gathered);
    this.#gathered = [];
    super.push(bytes);
  }
}

/** Makes Node.js's server answer clients that close their end right after their requests. */
export function answerHalfClosed(server: Server): void {
  // Node.js's types lack this property.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
}

/** The last requests of connections: bytes after their bodies may be lost. */
const lastRequests = new WeakMap<Socket, IncomingMessage>();

/** Ends the connection after this request. */
export function markLast(request: IncomingMessage): void {
  lastRequests.set(request.socket, request);
}

/** Ends a connection after its last request, and ignores later bytes, whose start may be lost. */
export function endBehindLast(serve: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const last = lastRequests.get(socket);
    if (last === request) {
      response.setHeader('Connection', 'close');
      lingerAtEnd(socket);
    } else if (last !== undefined) return;
    serve(request, response);
  };
}
