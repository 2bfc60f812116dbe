/** Knows every open connection and what is being answered on it, so that the server can stop without cutting answers. */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Connections = {
  /** Answers that are not finished, in the order of their requests. */
  answersOn(socket: Socket): readonly ServerResponse[];
  readonly isStopping: boolean;
  /** While others follow on the connection it stays; it is closed when the last one has been answered. */
  closesAfter(socket: Socket): boolean;
  /** Something that is no answer of the server's keeps the connection busy, until what is returned here is called. */
  hold(socket: Socket): () => void;
  /** Closes what is idle now, and everything else once it has been answered. */
  beginStop(): void;
  cutAll(): void;
};

export function trackConnections(server: Server): Connections {
  // Arrays, for a Set leaves tables behind as it changes that point to each other: once one of them has grown old, every
  // later request of the connection lives until the next collection of everything, which is a third of the work.
  const open = new Map<Socket, ServerResponse[]>();
  const held = new Set<Socket>();
  let isStopping = false;
  const closeIdle = (socket: Socket) => {
    if (isStopping && !held.has(socket) && open.get(socket)?.length === 0) socket.destroySoon();
  };
  server.on('connection', socket => {
    open.set(socket, []);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({ socket }, answer) => {
    const answers = open.get(socket);
    if (answers === undefined) return;
    answers.push(answer);
    answer.once('close', () => {
      answers.splice(answers.indexOf(answer), 1);
      closeIdle(socket);
    });
  });
  return {
    answersOn: socket => open.get(socket) ?? [],
    get isStopping() {
      return isStopping;
    },
    closesAfter: socket => isStopping && (open.get(socket)?.length ?? 0) <= 1,
    hold: socket => {
      held.add(socket);
      return () => {
        held.delete(socket);
        closeIdle(socket);
      };
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
