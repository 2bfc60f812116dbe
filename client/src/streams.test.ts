/** Tests broken responses: exports resume after the last entry, followers at the last event id; permanent errors are thrown. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ApiError, exportEntries, type Followed, followEntries } from './index.ts';

/** Gives each request the next answer, and repeats the last one. */
async function startServer(...answers: ((response: ServerResponse) => void)[]) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(seen.length, answers.length - 1)];
    seen.push(request);
    answer?.(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    settings: { baseUrl: `http://127.0.0.1:${port}`, token: 'secret' },
    lines: () => seen.map(({ url = '', headers }) => [decodeURIComponent(url), headers['last-event-id']]),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

const entry = (number: number, second = number) => ({ traceId: `t${number}`, timestamp: `second ${second}` });
const writeLines = (...entries: object[]) => entries.map(each => `${JSON.stringify(each)}\n`).join('');
/** Sends the text, then breaks the connection. */
const breakAfter = (sent: string) => (response: ServerResponse) =>
  void response.write(sent, () => response.destroy());
const refuse =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end('{"error":"No.","code":"token_revoked"}');

test('resumes an export after the last entry, also among entries with the same timestamp', async () => {
  await using server = await startServer(
    breakAfter(`${writeLines(entry(1), entry(2, 5), entry(3, 5))}{"traceId":"half`),
    response => response.end(writeLines(entry(2, 5), entry(3, 5), entry(4, 5), entry(6))),
  );
  const query = { query: 'a', order: 'asc', from: 'then' } as const;
  const ids: string[] = [];
  for await (const { traceId } of exportEntries(server.settings, { query })) ids.push(traceId);
  assert.deepEqual(ids, ['t1', 't2', 't3', 't4', 't6']);
  assert.deepEqual(
    server.lines().map(([url]) => url),
    [
      '/api/v3/logs/export?query=a&order=asc&from=then',
      '/api/v3/logs/export?query=a&order=asc&from=second+5',
    ],
  );
});

test('rejects an export that stalls or is refused', async () => {
  await using broken = await startServer(breakAfter(writeLines(entry(1))));
  const read = async ({ settings }: typeof broken) => {
    for await (const _ of exportEntries(settings, {}));
  };
  await assert.rejects(read(broken), { code: 'unreadable_answer' });
  assert.equal(broken.lines()[1]?.[0], '/api/v3/logs/export?to=second+1');
  await using refused = await startServer(refuse(401));
  await assert.rejects(read(refused), { status: 401, code: 'token_revoked' });
});

test('follows after the last entry, reports interruptions and returns, and stops when told', async () => {
  const event = (number: number) => `id: ${number}\ndata: ${JSON.stringify(entry(number))}\n\n`;
  await using server = await startServer(
    breakAfter(
      `id: 0\nretry: 1000\n: following\n\n${event(1)}: still here\n\nid: 2\n: still here\n\nid: 9\nda`,
    ),
    refuse(503, { 'Retry-After': '0' }),
    response => response.write(`retry: 1000\n: following\n\n${event(3)}`),
  );
  const stop = new AbortController();
  const told: string[] = [];
  const describe = (each: Followed) => (each.kind === 'entry' ? each.entry.traceId : each.kind);
  for await (const each of followEntries(server.settings, {
    query: { level: 'error' },
    signal: stop.signal,
  })) {
    told.push(describe(each));
    if (told.at(-1) === 't3') stop.abort();
  }
  assert.deepEqual(told, ['following', 't1', 'broken', 'following', 't3']);
  const url = '/api/v3/logs/tail?level=error';
  assert.deepEqual(server.lines(), [
    [url, undefined],
    [url, '2'],
    [url, '2'],
  ]);
});

test('a follower rejects when the first connection or a reconnection is refused', async () => {
  const follow = async ({ settings }: Awaited<ReturnType<typeof startServer>>) => {
    for await (const _ of followEntries(settings, { signal: new AbortController().signal }));
  };
  await using away = await startServer(refuse(503));
  await assert.rejects(follow(away), { status: 503 });
  await using revoked = await startServer(breakAfter('id: 0\n: following\n\n'), refuse(401));
  await assert.rejects(follow(revoked), error => error instanceof ApiError && error.status === 401);
});
