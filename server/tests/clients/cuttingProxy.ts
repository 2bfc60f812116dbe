/** A proxy between client and service that cuts a connection after a given number of bytes from the client. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

type CuttingProxy = AsyncDisposable & {
  /** The proxy's address for clients. */
  url: string;
  cuts: number;
};

type CutPlan = {
  locate(): string;
  /** How many bytes the next connection may upload before it is cut; infinite to leave it alone. */
  nextCut(): number;
  /** Called on each cut, before the client notices. */
  onCut?(): Promise<void>;
};

export async function startCuttingProxy({ locate, nextCut, onCut }: CutPlan): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  const server = createServer(client => {
    const { hostname, port } = new URL(locate());
    const service = connect(Number(port), hostname);
    const both = [client, service];
    for (const socket of both) {
      open.add(socket);
      socket.on('error', () => {}); // cut on purpose, or refused while nothing listens
      socket.once('close', () => {
        open.delete(socket);
        for (const end of both) end.destroy();
      });
    }
    service.pipe(client);
    let left = nextCut();
    client.on('data', (bytes: Buffer) => {
      const passed = bytes.subarray(0, left);
      left -= bytes.length;
      if (!service.write(passed)) {
        client.pause();
        service.once('drain', () => client.resume());
      }
      if (left > 0) return;
      client.pause().removeAllListeners('data');
      proxy.cuts += 1;
      const cut = () => both.map(socket => socket.destroy());
      void (onCut?.() ?? Promise.resolve()).finally(cut);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const proxy: CuttingProxy = {
    url: `http://127.0.0.1:${port}`,
    cuts: 0,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
