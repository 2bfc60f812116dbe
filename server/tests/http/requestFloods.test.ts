/** Requests that a client sends without waiting for answers: no number of them blocks the event loop longer than CONTRACT.md, 14, allows. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { requireShortHolds } from '../support/eventLoop.ts';
import { addPerson, addToken } from '../support/people.ts';
import { compose, talk } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token } = await addToken(await addPerson(service, { isOwner: true }), { kind: 'logs' });

const floodBytes = 2_000_000;
const answeredBytesMin = 200_000; // the flood is under way; serving all of it takes seconds
const withToken = { Authorization: token, 'Content-Type': 'application/json' };
const entry = '[{"level":"info","message":"a"}]';
const tinyMessages = 5_000; // a chunk may hold nine thousand
const pingFrame = Buffer.from('898000000000', 'hex'); // answered after the messages before it
const chunked = { ...withToken, 'Transfer-Encoding': 'chunked' };

const rows: readonly (readonly [name: string, request: string])[] = [
  ['the health', compose('GET /healthz')],
  ['nothing', compose('GET /nope')],
  ['no route', compose('GET /api/v3/nope')],
  ['the dashboard', compose('GET /')],
  ['the allowed methods', compose('OPTIONS /api/v3/logs')],
  ['an old version', 'GET /nope HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'],
  ['entries', compose('GET /api/v3/logs?limit=1', withToken)],
  [
    'an entry to store',
    compose('POST /api/v3/logs', { ...withToken, 'Content-Length': entry.length }, entry),
  ],
  ['an entry in chunks', compose('POST /api/v3/logs', chunked, `20\r\n${entry}\r\n0\r\n\r\n`)],
  ['a bad entry', compose('POST /api/v3/logs', { ...withToken, 'Content-Length': 2 }, '[]')],
  ['another protocol', compose('GET /nope', { Connection: 'Upgrade', Upgrade: 'h2c' })],
];

async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port));
  await once(socket, 'connect');
  return socket.on('error', () => {});
}

describe('two megabytes of requests on one connection, for', () => {
  for (const [name, request] of rows) {
    const flood = request.repeat(Math.ceil(floodBytes / request.length));
    it(name, () =>
      requireShortHolds(async () => {
        const socket = await open();
        const isUnderWay = Promise.withResolvers<void>();
        let answered = 0;
        socket.on('data', bytes => {
          answered += bytes.length;
          if (answered >= answeredBytesMin) isUnderWay.resolve();
        });
        socket.on('close', () => isUnderWay.reject(new Error(`closed after ${answered} bytes`)));
        socket.write(flood);
        await isUnderWay.promise;
        socket.destroy();
      }),
    );
  }
});

it('all of many requests are answered, in their order', async () => {
  const turns = Array.from({ length: 1_500 }, (_, index) => index);
  const paths = turns.map(turn => (turn % 3 === 0 ? '/healthz' : turn % 3 === 1 ? '/nope' : '/api/v3/logs'));
  const expected = turns.map(turn => [200, 404, 401][turn % 3]);
  const { answers } = await talk(service.url, [paths.map(path => compose(`GET ${path}`)).join('')], {
    answersMax: turns.length,
    timeMsMax: 30_000,
  });
  assert.deepEqual(
    answers.map(({ status }) => status),
    expected,
  );
});

it('a flood leaves other connections their answers', async () => {
  const socket = await open();
  const flood = compose('GET /nope');
  socket.write(flood.repeat(Math.ceil(floodBytes / flood.length)));
  socket.resume();
  await once(socket, 'data');
  for (let turn = 0; turn < 20; turn++) assert.equal((await service.fetch('/healthz')).status, 200);
  assert.equal(socket.destroyed, false);
  socket.destroy();
});

it('each of many tiny messages on a WebSocket is handled in a separate turn', async () => {
  const tiny = Buffer.from('81810000000061', 'hex'); // RFC 6455, 5.2: the text "a", masked with zeros
  const flood = Buffer.concat([...Array.from({ length: tinyMessages }, () => tiny), pingFrame]);
  const url = `${service.url.replace('http', 'ws')}/loki/api/v1/tail?query={dataset="none"}`;
  const client = new WebSocket(url, { headers: { authorization: token } });
  const [[{ socket }]] = await Promise.all([once(client, 'upgrade'), once(client, 'open')]);
  let turns = 0;
  let isAnswered = false;
  client.once('pong', () => {
    isAnswered = true;
  });
  socket.write(flood);
  while (!isAnswered) {
    await nextTurn();
    turns++;
  }
  assert.ok(turns >= tinyMessages, `${tinyMessages} messages in ${turns} turns`);
  client.terminate();
});
