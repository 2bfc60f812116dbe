/** Tests the client against a scripted HTTP server, the contract, and the real service. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { startTestService } from '../../server/tests/support/service.ts';
import { ApiError, type Client, createClient } from './index.ts';

type Seen = {
  line: string;
  authorization: string | undefined;
  contentType: string | undefined;
  body: string;
};
type Reply = { status?: number; headers?: Record<string, string>; body?: string };

/** Answers every request with the reply and records the requests. */
async function startServer(reply: Reply) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    seen.push(await readRequest(request));
    response.writeHead(reply.status ?? 200, { 'Content-Type': 'application/json', ...reply.headers });
    response.end(reply.body ?? '{"status":"ok"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  return { baseUrl: `http://127.0.0.1:${port}`, seen, [Symbol.asyncDispose]: stop };
}

async function readRequest(request: IncomingMessage): Promise<Seen> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return {
    line: `${request.method} ${request.url}`,
    authorization: request.headers.authorization,
    contentType: request.headers['content-type'],
    body,
  };
}

test('includes every area of the contract in the types', async () => {
  const folder = path.join(import.meta.dirname, '../../packages/contract/src');
  const areas = await readFile(path.join(folder, 'areas.ts'), 'utf8');
  for (const name of await readdir(folder)) {
    const file: Record<string, unknown> = await import(path.join(folder, name));
    const hasRoutes = Object.values(file).some(isRoute);
    if (hasRoutes) assert(areas.includes(`'./${name}'`), `areas.ts does not list the area ${name}`);
  }
});

function isRoute(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'method' in value && 'access' in value;
}

const requests: readonly {
  name: string;
  call: (client: Client) => Promise<unknown>;
  seen: Partial<Seen>;
}[] = [
  {
    name: 'a call without input sends method, path and token',
    call: client => client.listProjects(),
    seen: { line: 'GET /api/manage/projects', authorization: 'secret', contentType: undefined, body: '' },
  },
  {
    name: 'parameters stand in the path, encoded',
    call: client => client.getProject({ params: { project: 'a/b?c' } }),
    seen: { line: 'GET /api/manage/projects/a%2Fb%3Fc' },
  },
  {
    name: 'a query leaves out what is undefined',
    call: client => client.listAudit({ query: { limit: 10, before: undefined } }),
    seen: { line: 'GET /api/manage/audit?limit=10' },
  },
  {
    name: 'a storage key keeps its slashes',
    call: client => client.getFile({ params: { file: 'clips/über 1.png' } }),
    seen: { line: 'GET /api/v3/file/clips/%C3%BCber%201.png' },
  },
  {
    name: 'metadata is filtered by dotted keys',
    call: client => client.listFiles({ query: { type: 'image', 'metadata.player.name': 'Ada' } }),
    seen: { line: 'GET /api/v3/file?type=image&metadata.player.name=Ada' },
  },
  {
    name: 'text is sent as text',
    call: client => client.uploadFile({ body: 'data:image/png;base64,AAAA', query: { path: 'a/b' } }),
    seen: {
      line: 'POST /api/v3/file?path=a%2Fb',
      contentType: 'text/plain',
      body: 'data:image/png;base64,AAAA',
    },
  },
  {
    name: 'a body is JSON',
    call: client =>
      client.createToken({ params: { project: 'default' }, body: { kind: 'media', name: 'Ü' } }),
    seen: {
      line: 'POST /api/manage/projects/default/tokens',
      contentType: 'application/json',
      body: '{"kind":"media","name":"Ü"}',
    },
  },
];

for (const row of requests) {
  test(`requests: ${row.name}`, async () => {
    await using server = await startServer({});
    const client = createClient({ baseUrl: `${server.baseUrl}/`, token: 'secret' });
    assert.deepEqual(await row.call(client), { status: 'ok' });
    assert.equal(server.seen.length, 1);
    assert.deepEqual({ ...server.seen[0], ...row.seen }, server.seen[0]);
  });
}

test('requests: sends a form with its boundary', async () => {
  await using server = await startServer({});
  const form = new FormData();
  form.set('file', new Blob(['bytes']), 'photo.png');
  await createClient({ baseUrl: server.baseUrl }).uploadFile({ body: form });
  assert.match(server.seen[0]?.contentType ?? '', /^multipart\/form-data; boundary=/);
  assert.match(server.seen[0]?.body ?? '', /name="file"; filename="photo.png"/);
});

const refusals: readonly { name: string; reply: Reply; error: Partial<ApiError> }[] = [
  {
    name: 'the words and the code of the service',
    reply: { status: 409, body: '{"error":"The name is taken.","code":"name_taken"}' },
    error: { status: 409, code: 'name_taken', message: 'The name is taken.', retryAfterSeconds: null },
  },
  {
    name: 'the seconds of Retry-After',
    reply: {
      status: 429,
      headers: { 'Retry-After': '12' },
      body: '{"error":"Wait 12 s.","code":"sign_in_slowed"}',
    },
    error: { status: 429, code: 'sign_in_slowed', retryAfterSeconds: 12 },
  },
  {
    name: 'HTML of a proxy in between',
    reply: { status: 502, headers: { 'Content-Type': 'text/html' }, body: '<h1>Bad gateway</h1>' },
    error: { status: 502, code: 'unreadable_answer' },
  },
  {
    name: 'a 200 that is no JSON',
    reply: { body: '{"status":' },
    error: { status: 200, code: 'unreadable_answer' },
  },
];

for (const row of refusals) {
  test(`errors: ${row.name}`, async () => {
    await using server = await startServer(row.reply);
    const client = createClient({ baseUrl: server.baseUrl });
    await assert.rejects(client.listProjects(), error => {
      assert(error instanceof ApiError);
      assert.deepEqual({ ...pick(error), ...row.error }, pick(error));
      return true;
    });
  });
}

function pick({ status, code, message, retryAfterSeconds }: ApiError) {
  return { status, code, message, retryAfterSeconds };
}

test('errors: a service that is not there', async () => {
  const server = await startServer({});
  await server[Symbol.asyncDispose]();
  const error = await createClient({ baseUrl: server.baseUrl }).getState().catch(String);
  assert.match(String(error), /TapedeckError: The service cannot be reached/);
});

test('an aborted call rejects with the reason of its signal', async () => {
  await using server = await startServer({});
  const client = createClient({ baseUrl: server.baseUrl });
  const reason = new Error('not needed any more');
  await assert.rejects(client.getState({}, { signal: AbortSignal.abort(reason) }), reason);
});

test('returns text responses as text', async () => {
  await using server = await startServer({ headers: { 'Content-Type': 'text/plain' }, body: 'up 1\n' });
  assert.equal(await createClient({ baseUrl: server.baseUrl }).getMetrics(), 'up 1\n');
});

test('reads responses and errors of the real service', async () => {
  await using service = await startTestService();
  const stranger = createClient({ baseUrl: service.url });
  assert.equal((await stranger.getState()).isSetUp, false);
  await assert.rejects(stranger.getMe(), { status: 401, code: 'session_missing' });
  const body = { code: 'wrong', email: 'owner@example.com', password: 'a long enough password' };
  await assert.rejects(stranger.setUp({ body }), { status: 401, code: 'setup_code_wrong' });
});

/** Never runs; the compiler must reject each marked line. */
export function refusedByTypes(client: Client): void {
  // @ts-expect-error params are required
  void client.getProject();
  // @ts-expect-error a kind that does not exist
  void client.createToken({ params: { project: 'default' }, body: { kind: 'video' } });
  // @ts-expect-error a body where none is taken
  void client.listProjects({ body: {} });
}
