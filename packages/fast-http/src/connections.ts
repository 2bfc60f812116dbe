/** Tracks open connections and the responses under way on them, so that the server can stop without cutting responses. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
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
  /** Closes idle connections now, and each busy one after its last response. */
  beginStop(): void;
  cutAll(): void;
};

/** The reasons to keep a connection open. */
type Work = { answers: ServerResponse[]; isHeld: boolean };

export function trackConnections(server: Server): Connections {
  // Arrays, because a changing Set leaves behind tables that point to each other. Once one of them is old, all later requests of the connection live
  // until the next full garbage collection. That took a third of the work.
  const open = new Map<Socket, Work>();
  const closeIdle = (socket: Socket) => {
    const work = open.get(socket);
    if (connections.isStopping && work?.answers.length === 0 && !work.isHeld) socket.destroySoon();
  };
  server.on('connection', socket => {
    open.set(socket, { answers: [], isHeld: false });
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
