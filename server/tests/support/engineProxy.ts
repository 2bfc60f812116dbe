/** A proxy between a service and its log engine, for tests. It can refuse requests as an overloaded or absent engine would. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

type EngineProxy = AsyncDisposable & {
  url: string;
  /** Maps a word to an engine error code: statements that contain the word get that error. With null they get no answer. */
  refused: Map<string, number | null>;
  isShut: boolean;
};

export async function openEngineProxy(engineUrl: string): Promise<EngineProxy> {
  const refused: EngineProxy['refused'] = new Map();
  const door = { refused, isShut: false };
  const server = createServer((incoming, answer) => {
    if (door.isShut) return void incoming.socket.destroy();
    const asked = decodeURIComponent(incoming.url ?? '');
    const found = [...refused].find(([word]) => asked.includes(word));
    if (found !== undefined) {
      const [, code] = found;
      const headers = { 'x-clickhouse-exception-code': String(code) };
      if (code !== null)
        answer.writeHead(500, headers).end(`Code: ${code}. DB::Exception: refused by a test`);
      return;
    }
    const { host: _, ...headers } = incoming.headers;
    const sent = request(`${engineUrl}${incoming.url}`, { method: incoming.method, headers });
    sent.once('response', response => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      pipeline(response, answer, () => {});
    });
    sent.once('error', () => answer.destroy());
    answer.once('close', () => sent.destroy());
    pipeline(incoming, sent, () => {});
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return Object.assign(door, {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}
