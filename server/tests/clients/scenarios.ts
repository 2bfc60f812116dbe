/** Scenarios for every client: it sends entries as people write them, and keeps sending while the service is killed. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Connection } from '@tapedeck/guides';
import { entryLimits } from '@tapedeck/log-entries';
import type { Entry } from '../support/storedEntries.ts';
import { type KilledService, startKilledService } from './killedService.ts';
import type { EntryLine } from './senders/entryLines.ts';
import { type Client, startSender } from './senders.ts';

/** A client's entry as the service stores it. It may have more metadata than listed here. */
type Found = Pick<Entry, 'level'> &
  Partial<Pick<Entry, 'resource' | 'metadata'>> &
  (
    | { body: string }
    /** The body is JSON with the message under this name. */
    | { inner: string; message: string }
  );

export type TestedClient = Client & {
  finds(entry: EntryLine): Found;
  /** How long the client retries before it gives up, according to its code. */
  patienceMs: number;
  /** The dataset of its entries; null if its settings determine it. */
  dataset?: string;
  /** The client's message for a wrong token; null if it prints none. */
  refused: RegExp | null;
  /** The client's message when the service refuses one of several entries; absent if the protocol cannot say so. */
  partly?: RegExp;
};

const stack = 'Error: broken\n    at save (store.js:7:3)\n    at async run (main.js:2:1)';
const samples: readonly EntryLine[] = [
  { level: 'info', message: 'Grüße aus 東京 🎮 "quoted" \\ back', metadata: { player: 'Ådå', round: 7 } },
  { level: 'warn', message: 'slow query', metadata: { player: 'b', round: 8 } },
  { level: 'error', message: stack, metadata: { player: 'c', round: 9 } },
  { level: 'debug', message: 'tick', metadata: { player: 'd', round: 10 } },
];

const patienceMs = 60_000;
const clockSkewMsMax = 60_000; // clients set the time when the entry is written, at most a minute ago

function connect({ wiretap, token }: KilledService, dataset: string): Connection {
  return { address: wiretap.url, token, dataset, folder: '' };
}

/** Names the dataset of a client and scenario, which identifies what the client sent. */
function nameDataset({ title }: Client, scenario: string): string {
  return `${title.replaceAll(/[^\w.-]+/g, '-')}.${scenario}`.toLowerCase();
}

/** Runs every scenario for each client. */
export async function testClients(clients: readonly TestedClient[]): Promise<void> {
  const service = await startKilledService();
  after(() => service[Symbol.asyncDispose]());
  for (const client of clients) {
    testSamples(service, client);
    testRefusal(service, client);
    if (client.partly) testBadEntry(service, client, client.partly);
  }
  testKills(service, clients);
}

function testSamples(service: KilledService, client: TestedClient): void {
  it(`${client.title}: stores entries as written`, async () => {
    const dataset = client.dataset ?? nameDataset(client, 'samples');
    const earlier = new Set((await service.read(dataset, 0)).map(({ traceId }) => traceId));
    const sender = await startSender(client, connect(service, dataset));
    sender.send(samples);
    const said = await sender.end();
    const all = await service.read(dataset, earlier.size + samples.length).catch(error => {
      throw new Error(`${error.message}\n${said}`);
    });
    const found = all.filter(({ traceId }) => !earlier.has(traceId));
    assert.equal(found.length, samples.length);
    for (const sample of samples) {
      const expected = client.finds(sample);
      const { level, resource = '', metadata = {} } = expected;
      const entry = found.find(({ body }) => isAbout(body, expected));
      assert.ok(entry, `${sample.message} is not among ${JSON.stringify(found)}`);
      const shown = Object.fromEntries(Object.keys(metadata).map(name => [name, entry.metadata[name]]));
      assert.deepEqual(
        { level: entry.level, resource: entry.resource, metadata: shown },
        { level, resource, metadata },
        JSON.stringify(entry),
      );
      const age = Date.now() - Date.parse(entry.timestamp);
      assert.ok(Math.abs(age) < clockSkewMsMax, entry.timestamp);
    }
  });
}

/** Returns metadata as the service stores it. */
export function asTexts(metadata: EntryLine['metadata']): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, String(value)]));
}

function isAbout(body: string, expected: Found): boolean {
  return 'body' in expected ? body === expected.body : JSON.parse(body)[expected.inner] === expected.message;
}

function testRefusal(service: KilledService, client: TestedClient): void {
  const { refused } = client;
  it(`${client.title}: ${refused ? 'says what is wrong with its token' : 'keeps a wrong token to itself'}`, async () => {
    const before = service.wiretap.exchanges.length;
    const dataset = nameDataset(client, 'refused');
    const sender = await startSender(client, { ...connect(service, dataset), token: 'wrong' });
    sender.send(samples.slice(0, 1));
    const said = await sender.end();
    // The wiretap parses exchanges on the side and may finish a moment after the program ends.
    await awaitAll([service.wiretap], ({ exchanges }) => exchanges.length > before).catch(error => {
      throw new Error(
        `${error.message}: nothing arrived from a program that printed ${JSON.stringify(said)}`,
      );
    });
    const statuses = service.wiretap.exchanges.slice(before).map(({ status }) => status);
    assert.ok(
      statuses.every(status => status === null || status === 401 || status === 403),
      `${statuses}: ${said}`,
    );
    if (refused) assert.match(said, refused, `answered ${statuses}, it reported: ${JSON.stringify(said)}`);
    if (client.dataset === undefined) assert.deepEqual(await service.read(dataset, 0), []);
  });
}

function testBadEntry(service: KilledService, client: TestedClient, says: RegExp): void {
  it(`${client.title}: one rejected entry does not affect the others`, async () => {
    const dataset = nameDataset(client, 'partly');
    const sender = await startSender(client, connect(service, dataset));
    const [first, second] = samples.slice(0, 2) as [EntryLine, EntryLine]; // `samples` has more than two
    const bad: EntryLine = { ...first, message: 'x'.repeat(entryLimits.messageBytesMax + 1) };
    sender.send([first, bad, second]);
    assert.match(await sender.end(), says);
    const found = await service.read(dataset, 2);
    assert.deepEqual(found.map(({ body }) => body).toSorted(), [first.message, second.message].toSorted());
  });
}

const rounds = 4;
const roundSize = 250; // a thousand in all

/** Makes the numbered entries of a round. */
function makeRound(client: Client, round: number): EntryLine[] {
  return range(round * roundSize, roundSize).map(number => ({
    level: 'info',
    message: `entry ${number} of ${client.title};`,
    metadata: { player: 'a', round },
  }));
}

function range(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

/** Tests all clients at once, since the service takes seconds to restart. */
function testKills(service: KilledService, clients: readonly TestedClient[]): void {
  it('a service that is killed and restarted loses nothing that it acknowledged', async t => {
    const { exchanges } = service.wiretap;
    exchanges.length = 0;
    const running = await Promise.all(
      clients.map(async client => {
        const dataset = nameDataset(client, 'killed');
        return { client, dataset, sender: await startSender(client, connect(service, dataset)) };
      }),
    );
    const sendRound = (round: number) => {
      for (const { client, sender } of running) sender.send(makeRound(client, round));
    };
    const toldOf = (client: Client) => {
      const stored = exchanges.filter(({ status }) => status !== null && status >= 200 && status < 300);
      return new Set(stored.flatMap(({ body }) => listNumbers(client, body.toString())));
    };
    sendRound(0);
    await awaitAll(running, ({ client }) => toldOf(client).size > 0);
    sendRound(1);
    const killedAt = performance.now();
    await service.kill();
    sendRound(2);
    await service.start();
    const downMs = performance.now() - killedAt;
    sendRound(3);
    const said = await Promise.all(running.map(({ sender }) => sender.end()));
    for (const [index, { client, dataset }] of running.entries()) {
      const entries = await service.read(client.dataset ?? dataset, 0);
      const stored = new Set(entries.flatMap(({ body }) => listNumbers(client, body)));
      const lost = [...toldOf(client)].filter(number => !stored.has(number));
      assert.deepEqual(lost, [], `${client.title} got an acknowledgement for these: ${said[index]}`);
      const all = range(0, rounds * roundSize);
      t.diagnostic(`${client.title}: ${stored.size} of ${all.length} are stored`);
      const sure = client.patienceMs > downMs ? all : all.slice(-roundSize);
      const missing = sure.filter(number => !stored.has(number));
      assert.deepEqual(missing, [], `${client.title} continues to send: ${said[index]}`);
    }
  });
}

function listNumbers({ title }: Client, text: string): number[] {
  const numbers = text.matchAll(/entry (\d+) of ([^;]+);/g);
  return Array.from(numbers, ([, digits, of]) => (of === title ? [Number(digits)] : [])).flat();
}

async function awaitAll<Item>(items: readonly Item[], isDone: (item: Item) => boolean): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!items.every(isDone)) {
    assert.ok(performance.now() < deadline, 'every client gets a response in time');
    await wait(20);
  }
}
