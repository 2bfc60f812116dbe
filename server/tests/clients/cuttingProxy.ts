/** Stands between a client and a service, and cuts connections when so many bytes have gone up through them. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

type CuttingProxy = AsyncDisposable & {
  /** The address for clients. */
  url: string;
  /** Connections that were cut so far. */
  cuts: number;
};

type CutPlan = {
  /** The service's current address. */
  locate(): string;
  /** How many bytes the next connection brings up before it is cut; infinite when it is left alone. */
  nextCut(): number;
  /** Is told of each cut, before its client notices. */
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
