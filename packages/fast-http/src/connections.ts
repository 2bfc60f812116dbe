/** Tracks open connections and the responses under way on them, so that the server can stop without cutting responses. */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { lingerAtEnd } from './gracefulClose.ts';

export type Connections = {
  /** Answers that are not finished, in the order of their requests. */
  answersOn(socket: Socket): readonly ServerResponse[];
  readonly isStopping: boolean;
  /** Whether the connection is to be closed behind the answer that is being written: only during a stop, behind the last. */
  closesAfter(socket: Socket): boolean;
  /** Keeps the connection open for work that Node.js's server does not know of, until `release`. */
  hold(socket: Socket): void;
  release(socket: Socket): void;
  /** Closes idle connections now, and each busy one when its last answer has been sent. */
  beginStop(): void;
  cutAll(): void;
};

/** The reasons to keep a connection open. */
type Work = { answers: ServerResponse[]; isHeld: boolean };

export function trackConnections(server: Server): Connections {
  // Arrays, for a Set leaves tables behind as it changes that point to each other: once one of them has grown old, every
  // later request of the connection lives until the next collection of everything, which is a third of the work.
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

/** The last requests of connections: bytes behind their bodies may be lost. */
const lastRequests = new WeakMap<Socket, IncomingMessage>();

/** Has the connection end behind this request. */
export function markLast(request: IncomingMessage): void {
  lastRequests.set(request.socket, request);
}

/** Ends a connection behind its last request, and passes over what follows: its beginning may be lost. */
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
