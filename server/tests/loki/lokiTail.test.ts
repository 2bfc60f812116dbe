/** The live tail for Loki's clients: stored lines, arriving lines, and how it is refused and ends. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, describe, it } from 'node:test';
import { revokeToken } from '@tapedeck/contract/tokens';
import { WebSocket } from 'ws';
import { addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { openLoki } from './lokiEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, owner, store, ask } = await openLoki(service);

type Frame = { streams: { stream: Record<string, string>; values: [string, string][] }[] };

function follow(parameters: Record<string, string>, headers: Record<string, string> = {}): WebSocket {
  const url = `${service.url.replace('http', 'ws')}/loki/api/v1/tail?${new URLSearchParams(parameters)}`;
  return new WebSocket(url, { headers: { authorization: token, ...headers } });
}

/** Resolves to the lines once `count` have come. */
async function readLines(socket: WebSocket, count: number): Promise<string[]> {
  const lines: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.on('error', reject).on('close', () => reject(new Error(`closed after ${lines.join()}`)));
  socket.on('message', data => {
    const { streams } = JSON.parse(String(data)) as Frame; // Loki's shape
    lines.push(
      ...streams
        .flatMap(({ values }) => values)
        .sort()
        .map(([, line]) => line),
    );
    if (lines.length >= count) resolve();
  });
  await promise;
  return lines;
}

async function refuse(socket: WebSocket): Promise<[status: number | undefined, text: string]> {
  const [, response] = await once(socket, 'unexpected-response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return [response.statusCode, text];
}

const entry = (message: string, level = 'info') => ({
  level,
  message,
  resource: 'shop',
  metadata: { 'player.id': '7' },
});

describe('the tail', () => {
  it('begins with existing lines and continues with new ones', async () => {
    await store([entry('first'), entry('other', 'debug')], 'live');
    const socket = follow({ query: '{dataset="live", level="info", player_id="7"} |~ "fir|sec|thi"' });
    const lines = readLines(socket, 3);
    await once(socket, 'open');
    await store([entry('second'), entry('left out'), entry('third')], 'live');
    assert.deepEqual(await lines, ['first', 'second', 'third']);
    socket.close();
    await once(socket, 'close');
  });

  it('evaluates stages line by line', async () => {
    const socket = follow({
      delay_for: '5',
      query: '{dataset="staged"} | json | n > 5 | line_format "{{.n}}!"',
    });
    const lines = readLines(socket, 2);
    await once(socket, 'open');
    await store(
      [3, 6, 7].map(n => entry(JSON.stringify({ n }))),
      'staged',
    );
    assert.deepEqual(await lines, ['6!', '7!']);
    socket.close();
    await once(socket, 'close');
  });

  it('is rejected like other queries', async () => {
    const [status, text] = await refuse(follow({ query: '{' }));
    assert.equal(status, 400);
    assert.match(text, /^parse error at line 1, col 2/);
    assert.equal(
      (await refuse(follow({ query: '{dataset="live"}' }, { authorization: 'x'.repeat(32) })))[0],
      401,
    );
    for (const [parameters, code] of [
      [{ query: '{' }, 'query_invalid'],
      [{ query: '{dataset="live"}', start: 'then' }, 'invalid_field'],
      [{ query: '{dataset="live"}', delay_for: '6' }, 'invalid_field'],
      [{ query: '{dataset="live"}', delay_for: 'x' }, 'invalid_field'],
      [{ query: '{dataset="live"}' }, 'bad_request'],
    ] as const)
      assert.equal((await ask('tail', parameters)).headers.get('x-error-code'), code);
  });

  it('loses no line that arrives while it begins', async () => {
    const ahead = new Date(Date.now() + 60_000).toISOString();
    const begin = async (place: number) => {
      const dataset = `begun-${place}`;
      const socket = follow({ query: `{dataset="${dataset}"}`, ...(place % 2 === 1 && { start: ahead }) });
      const lines = readLines(socket, 2);
      await once(socket, 'open');
      for (const message of ['one', 'two']) await store([entry(message)], dataset);
      assert.deepEqual((await lines).toSorted(), ['one', 'two']);
      socket.close();
      await once(socket, 'close');
    };
    await Promise.all(Array.from({ length: 20 }, (_, place) => begin(place)));
  });

  it('begins now for a client whose clock is ahead', async () => {
    const start = new Date(Date.now() + 60_000).toISOString();
    const socket = follow({ query: '{dataset="ahead"}', start });
    const lines = readLines(socket, 1);
    await once(socket, 'open');
    await store([entry('arrived')], 'ahead');
    assert.deepEqual(await lines, ['arrived']);
    socket.close();
    await once(socket, 'close');
  });

  it('ends when its token loses access, and says so', async () => {
    const { id, token: own } = await addToken(owner, { kind: 'logs' });
    const socket = follow({ query: '{dataset="live"}' }, { authorization: own });
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await owner.call(revokeToken, { params: { project: 'default', token: id } });
    const [code, reason] = await closed;
    assert.equal(code, 1008);
    assert.match(String(reason), /may no longer read/);
  });

  it('ends when the service stops', async () => {
    const stopping = await startTestService();
    const { token: own } = await openLoki(stopping);
    const url = `${stopping.url.replace('http', 'ws')}/loki/api/v1/tail?query={dataset="live"}`;
    const socket = new WebSocket(url, { headers: { authorization: own } });
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await stopping[Symbol.asyncDispose]();
    assert.equal((await closed)[0], 1001);
  });
});

const frameCharactersMax = 8 * 1024 * 1024; // the most that waits for a follower, with its labels
const large = Array.from({ length: 400 }, (_, index) => entry(`${index} ${'x'.repeat(60_000)}`));
const batch = 50;
const stopMsMax = 20_000; // some hundred milliseconds on an idle machine

describe('a stalled reader', () => {
  it('has few of the entries buffered, and gets all of them when it resumes', async () => {
    const socket = follow({ query: '{dataset="large"}' });
    let longest = 0;
    socket.on('message', data => {
      longest = Math.max(longest, String(data).length);
    });
    const lines = readLines(socket, large.length);
    await once(socket, 'open');
    socket.pause();
    for (let start = 0; start < large.length; start += batch)
      await store(large.slice(start, start + batch), 'large');
    socket.resume();
    assert.deepEqual(
      (await lines).map(line => Number.parseInt(line, 10)).sort((one, other) => one - other),
      large.map((_, index) => index),
    );
    assert.ok(longest < frameCharactersMax, `a frame of ${longest} characters`);
    socket.close();
    await once(socket, 'close');
  });

  it('does not keep the service from stopping', async () => {
    const stopping = await startTestService();
    const loki = await openLoki(stopping);
    const url = `${stopping.url.replace('http', 'ws')}/loki/api/v1/tail?query={dataset="large"}`;
    const socket = new WebSocket(url, { headers: { authorization: loki.token } });
    await once(socket, 'open');
    socket.pause();
    for (let start = 0; start < large.length; start += batch)
      await loki.store(large.slice(start, start + batch), 'large');
    const startedAt = performance.now();
    await stopping[Symbol.asyncDispose]();
    assert.ok(performance.now() - startedAt < stopMsMax);
    socket.terminate();
  });
});
