/** For tests: relays connections to the database, and can cut them as a network fault would for a single node. */
import net, { type AddressInfo } from 'node:net';

type DatabaseRelay = AsyncDisposable & {
  /** The URL of the same database through the relay. */
  url: string;
  /** Breaks connections and refuses new ones until disposed of. */
  cut(): Disposable;
  /** Keeps connections open but holds back traffic in both directions; delivers it when disposed of. */
  hold(): Disposable;
};

export async function startDatabaseRelay(target: string): Promise<DatabaseRelay> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<net.Socket>();
  let isCut = false;
  let isHeld = false;
  const server = net.createServer(socket => {
    if (isCut) return socket.destroy();
    const onward = net.connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one);
      one.on('data', bytes => other.write(bytes));
      one.on('error', () => {});
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      if (isHeld) one.pause();
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port); // it listens on TCP
  return {
    url: url.href,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
      return {
        [Symbol.dispose]() {
          isCut = false;
        },
      };
    },
    hold() {
      isHeld = true;
      for (const socket of sockets) socket.pause();
      return {
        [Symbol.dispose]() {
          isHeld = false;
          for (const socket of sockets) socket.resume();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
