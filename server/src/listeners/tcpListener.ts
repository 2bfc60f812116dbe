/** Listens for connections of log protocols, with limits on all connections and on those from one address. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Report } from './troubleLog.ts';

const connectionsMax = 500; // each may hold a message
const addressConnectionsMax = 100; // a whole cluster may share one address
const silenceMsMax = 3_600_000; // senders keep connections open, and a machine that has gone is silent

export type Place = { host: string; port: number };

export type TcpListener = AsyncDisposable & { port: number };

/** The protocol on one connection. */
export type Conversation = {
  /** Resolves once all received data is handled and the connection may close. */
  stop(): Promise<void>;
};

type TcpOptions = {
  /** Called for each connection. */
  begin(socket: Socket): Conversation;
  report: Report;
};

export async function listenTcp({ host, port }: Place, { begin, report }: TcpOptions): Promise<TcpListener> {
  const conversations = new Map<Socket, Conversation>();
  const counts = new Map<string, number>();
  const server = createServer({ keepAlive: true }, socket => {
    socket.on('error', () => socket.destroy());
    const address = socket.remoteAddress ?? '';
    const count = (counts.get(address) ?? 0) + 1;
    if (conversations.size >= connectionsMax || count > addressConnectionsMax) {
      socket.destroy();
      report(new Error('Too many connections were opened, in total or from one address.'), 0);
      return;
    }
    counts.set(address, count);
    socket.setTimeout(silenceMsMax, () => socket.destroy());
    socket.once('close', () => {
      conversations.delete(socket);
      const left = (counts.get(address) ?? 1) - 1;
      if (left === 0) counts.delete(address);
      else counts.set(address, left);
    });
    conversations.set(socket, begin(socket));
  });
  server.listen(port, host);
  await once(server, 'listening'); // rejects if the port is taken
  server.on('error', error => report(error, 0)); // a connection failed; the next ones may succeed
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : port,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      await Promise.all(
        Array.from(conversations, async ([socket, conversation]) => {
          await conversation.stop();
          socket.destroySoon();
          setTimeout(() => socket.destroy(), closingMsMax).unref();
        }),
      );
      await closed;
    },
  };
}

const closingMsMax = 1000; // for the last bytes to a sender that does not read
