/** Knows every open connection and what is being answered on it, so that the server can stop without cutting answers. */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Connections = {
  /** Answers that are not finished, in the order of their requests. */
  answersOn(socket: Socket): ReadonlySet<ServerResponse>;
  readonly isStopping: boolean;
  /** Closes what is idle now, and everything else once it has been answered. */
  beginStop(): void;
  cutAll(): void;
};

export function trackConnections(server: Server): Connections {
  const open = new Map<Socket, Set<ServerResponse>>();
  const none: ReadonlySet<ServerResponse> = new Set();
  let isStopping = false;
  const closeIdle = (socket: Socket) => {
    if (isStopping && open.get(socket)?.size === 0) socket.destroySoon();
  };
  server.on('connection', socket => {
    open.set(socket, new Set());
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({ socket }, answer) => {
    const answers = open.get(socket);
    if (answers === undefined) return;
    answers.add(answer);
    answer.once('close', () => {
      answers.delete(answer);
      closeIdle(socket);
    });
  });
  return {
    answersOn: socket => open.get(socket) ?? none,
    get isStopping() {
      return isStopping;
    },
    beginStop: () => {
      isStopping = true;
      for (const socket of open.keys()) closeIdle(socket);
    },
    cutAll: () => {
      for (const socket of open.keys()) socket.destroy();
    },
  };
}
