/** Simulates a hosted service that users leave: a real Tapedeck that shows only the V3 API of SERVICE.md. For tests. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = { status: number; headers?: Record<string, string> };

type HostedSource = AsyncDisposable & {
  url: string;
  /** Request paths with their queries, in order of arrival. */
  asked: string[];
  /** Calls `decide` before passing each request on; an answer from it replaces the service's. */
  watch(decide: (path: string, number: number) => Promise<Answer | undefined> | Answer | undefined): void;
};

const fileFields = ['id', 'filename', 'metadata', 'url', 'originalUrl', 'size', 'type'];
const entryFields = ['body', 'level', 'metadata', 'parentId', 'resource', 'timestamp', 'traceId'];
const knownParameters =
  /^(?:page|limit|type|path|dataset|level|resource|body|metadata\..*|from|to|offset|order|includeTotal)$/;

type Listed = { data?: unknown; pagination?: Record<string, unknown> };

export async function startHostedSource(target: string): Promise<HostedSource> {
  const asked: string[] = [];
  let decide: Parameters<HostedSource['watch']>[0] = () => undefined;
  const server = createServer(async (request, response) => {
    const place = new URL(request.url ?? '/', target);
    asked.push(place.pathname + place.search);
    const own = await decide(place.pathname + place.search, asked.length);
    if (own !== undefined || place.pathname === '/api/v3/logs/datasets') {
      response.writeHead(own?.status ?? 404, { 'Content-Type': 'application/json', ...own?.headers });
      response.end('{"error":"Not this time."}');
      return;
    }
    for (const name of [...place.searchParams.keys()])
      if (!knownParameters.test(name)) place.searchParams.delete(name);
    const headers = { authorization: request.headers.authorization ?? '' };
    const answer = await fetch(place, { headers });
    const body = Buffer.from(await answer.arrayBuffer());
    const type = answer.headers.get('Content-Type') ?? '';
    response.writeHead(answer.status, { 'Content-Type': type });
    const isApi = place.pathname.startsWith('/api/') && answer.ok;
    response.end(isApi ? simplify(body, place.pathname, `http://${request.headers.host}`) : body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    watch(next) {
      decide = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Rewrites file addresses to this service's. */
function simplify(body: Buffer, path: string, own: string): string {
  const fields = path.startsWith('/api/v3/file') ? fileFields : entryFields;
  const answer = JSON.parse(body.toString()) as Listed; // SERVICE.md: a list or a single record
  const pick = (record: unknown) => {
    const known = Object.entries(record as object).filter(([name]) => fields.includes(name)); // records are objects
    const isUrl = (name: string) => name === 'url' || name === 'originalUrl';
    return Object.fromEntries(
      known.map(([name, value]) => [name, isUrl(name) ? own + new URL(value).pathname : value]),
    );
  };
  const data = Array.isArray(answer.data) ? answer.data.map(pick) : pick(answer.data);
  const { nextCursor: _, ...pagination } = answer.pagination ?? {};
  return JSON.stringify({ ...answer, data, pagination });
}
