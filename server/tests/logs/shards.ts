/** ClickHouse servers for tests that reach them by URL, like a service that starts no engine. */
import { createServer, request, type Server } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream';
import { makeCluster, type SupervisedEngine, silentLog, superviseEngine } from '@tapedeck/log-store/testing';
import { makeDirectory } from '../support/service.ts';

type Shards = AsyncDisposable & {
  engines: readonly SupervisedEngine[];
  /** Settings for a service that stores on them. */
  environment: Readonly<Record<string, string>>;
};

const memoryBytesMax = 800_000_000;

export async function startShards(count: number): Promise<Shards> {
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(await makeDirectory());
  const clusters = count === 1 ? [null] : await makeCluster(count);
  const engines: SupervisedEngine[] = [];
  const urls: string[] = [];
  for (const [index, cluster] of clusters.entries()) {
    const options = { directory: path.join(directory.path, `shard-${index}`), memoryBytesMax };
    const engine = await superviseEngine({ ...options, ...(cluster && { cluster }) }, silentLog);
    engines.push(opened.use(engine));
    urls.push(await openEngineProxyOf(engine, opened));
  }
  const running = opened.move();
  const name = clusters[0]?.name;
  return {
    engines,
    environment: {
      TAPEDECK_CLICKHOUSE_URL: urls.join(','),
      ...(name !== undefined && { TAPEDECK_CLICKHOUSE_CLUSTER: name }),
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Proxies an engine that a service would start: it needs a secret with each request, which no URL can hold. */
async function openEngineProxyOf(engine: SupervisedEngine, opened: AsyncDisposableStack): Promise<string> {
  const server: Server = createServer((incoming, answer) => {
    const endpoint = engine.endpoint();
    if (endpoint === null) return answer.destroy();
    const { host: _, ...headers } = incoming.headers;
    const sent = request(`${endpoint.url}${incoming.url}`, {
      method: incoming.method,
      headers: { ...headers, ...endpoint.headers },
    });
    sent.once('response', response => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      pipeline(response, answer, () => {});
    });
    sent.once('error', () => answer.destroy());
    answer.once('close', () => sent.destroy());
    pipeline(incoming, sent, () => {});
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  opened.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}
