/** A crowd of followers that read nothing, in a service with a small heap: it keeps running, and a follower that reads gets every line. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { compose } from '../support/rawHttp.ts';
import { makeDirectory } from '../support/service.ts';
import { type ServiceProcess, startProcess } from '../support/tapedeck.ts';

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
  const { promise: settled, resolve } = Promise.withResolvers<void>();
  socket.once('readable', resolve).once('close', () => resolve()); // it may be cut before this process reads
  await settled;
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

type Crowd = {
  service: ServiceProcess;
  url: URL;
  /** Stores messages of the lines that everybody follows. */
  store(messages: readonly string[]): Promise<void>;
  followers: Socket[];
  /** Adds many followers at once. */
  join(count: number): Promise<void>;
};

async function openCrowd(use: (crowd: Crowd) => Promise<void>): Promise<void> {
  await using directory = await makeDirectory();
  await using service = await startProcess({
    NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`,
    TAPEDECK_LOGS_TOKEN: token,
    TAPEDECK_DATA_DIR: directory.path,
  });
  const url = new URL(service.url);
  const followers: Socket[] = [];
  await use({
    service,
    url,
    followers,
    store: async messages => {
      const response = await fetch(new URL('/api/v3/logs?dataset=told', url), {
        method: 'POST',
        headers: { authorization: token, 'content-type': 'application/json' },
        body: JSON.stringify(messages.map(message => ({ level: 'info', message }))),
      });
      assert.equal(response.status, 200, await response.text());
    },
    join: async count => {
      followers.push(...(await Promise.all(Array.from({ length: count }, () => standStill(url)))));
    },
  });
  assert.equal(service.child.exitCode, null);
  for (const socket of followers) socket.destroy();
}

const numbers = Array.from({ length: batches * batchLines }, (_, number) => number);

/** Stores the long lines, batch by batch. */
async function burst({ store }: Crowd, afterBatch?: () => Promise<void>): Promise<void> {
  for (let first = 0; first < numbers.length; first += batchLines) {
    await store(numbers.slice(first, first + batchLines).map(number => `${number} ${long}`));
    await afterBatch?.();
  }
}

test(`${followersCount} followers that read nothing fit into a small heap, and one that reads gets every line`, async () => {
  await openCrowd(async crowd => {
    for (let group = 0; group < followersCount; group += 50) await crowd.join(50);
    const reader = await readNumbers(crowd.url);
    await crowd.store([`${begun}`]);
    await reader.until(begun);
    await burst(crowd);
    assert.deepEqual(await reader.until(numbers.at(-1)!), [begun, ...numbers]);
  });
});

test(`${followersCount} followers that begin during a burst and read nothing fit into a small heap, too`, async () => {
  await openCrowd(async crowd => {
    const reader = await readNumbers(crowd.url);
    await crowd.store([`${begun}`]);
    await reader.until(begun);
    await burst(crowd, () => crowd.join(Math.ceil(followersCount / batches)));
    assert.deepEqual(await reader.until(numbers.at(-1)!), [begun, ...numbers]);
  });
});
