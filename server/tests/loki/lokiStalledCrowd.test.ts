/** A crowd of followers that read nothing, in a service with a small heap: it keeps running, and a follower that reads gets every line. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { compose } from '../support/rawHttp.ts';
import { makeDirectory } from '../support/service.ts';
import { startProcess } from '../support/tapedeck.ts';

const followersCount = 200;
const heapMegabytes = 128; // the service at rest needs half of it
const batches = 6; // of a megabyte: 200 followers would hold ten times the heap
const batchLines = 20;
const token = 'logs-token-of-the-tests-01234567';
const tail = `/loki/api/v1/tail?query=${encodeURIComponent('{dataset="told"}')}`;
const handshake = {
  Authorization: token,
  Upgrade: 'websocket',
  Connection: 'Upgrade',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
const long = 'x'.repeat(50_000);
const begun = -1; // the number of the line that shows that everybody follows

type Frame = { streams: { values: [string, string][] }[] };

async function standStill(url: URL): Promise<Socket> {
  const socket = connect({ host: url.hostname, port: Number(url.port) });
  socket.on('error', () => {}); // the service cuts those that hold the most
  socket.write(compose(`GET ${tail}`, handshake));
  await once(socket, 'readable');
  return socket;
}

/** Resolves once it follows. `until` resolves to the numbers of all lines so far, once the last one has come. */
async function readNumbers(url: URL): Promise<{ until(last: number): Promise<number[]> }> {
  const socket = new WebSocket(new URL(tail, url.href.replace('http', 'ws')), {
    headers: { authorization: token },
  });
  const numbers: number[] = [];
  const ended = Promise.withResolvers<never>();
  socket.on('close', (code, reason) => ended.reject(new Error(`closed: ${code} ${reason}`)));
  ended.promise.catch(() => {}); // it ends after the test too
  socket.on('message', data => {
    const { streams } = JSON.parse(String(data)) as Frame; // Loki's shape
    for (const [, line] of streams.flatMap(({ values }) => values)) numbers.push(Number.parseInt(line, 10));
  });
  await once(socket, 'open');
  return {
    until: async last => {
      while (!numbers.includes(last)) await Promise.race([ended.promise, once(socket, 'message')]);
      return numbers;
    },
  };
}

test(`${followersCount} followers that read nothing fit into a small heap, and one that reads gets every line`, async () => {
  await using directory = await makeDirectory();
  await using service = await startProcess({
    NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`,
    TAPEDECK_LOGS_TOKEN: token,
    TAPEDECK_DATA_DIR: directory.path,
  });
  const url = new URL(service.url);
  const store = async (messages: readonly string[]) => {
    const response = await fetch(new URL('/api/v3/logs?dataset=told', url), {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify(messages.map(message => ({ level: 'info', message }))),
    });
    assert.equal(response.status, 200, await response.text());
  };
  const followers: Socket[] = [];
  for (let group = 0; group < followersCount; group += 50)
    followers.push(...(await Promise.all(Array.from({ length: 50 }, () => standStill(url)))));
  const reader = await readNumbers(url);
  await store([`${begun}`]);
  await reader.until(begun);
  const numbers = Array.from({ length: batches * batchLines }, (_, number) => number);
  for (let first = 0; first < numbers.length; first += batchLines)
    await store(numbers.slice(first, first + batchLines).map(number => `${number} ${long}`));
  assert.deepEqual(await reader.until(numbers.at(-1)!), [begun, ...numbers]);
  assert.equal(service.child.exitCode, null);
  for (const socket of followers) socket.destroy();
});
