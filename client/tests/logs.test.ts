/** Sends log entries through the client to the real service, over a connection that fails in every way. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestService } from '../../server/tests/support/service.ts';
import type { LogOptions } from '../src/kit/logs/options.ts';
import { Tapedeck, type TapedeckError } from '../src/kit/node.ts';
import openPinoTransport from '../src/kit/pino.ts';
import { TapedeckTransport } from '../src/kit/winston.ts';
import { type Behaviour, startRelay } from './relay.ts';

const token = 'logs-token-of-the-tests-012345678';
const service = await startTestService({ environment: { TAPEDECK_LOGS_TOKEN: token } });
const relay = await startRelay(service.url);
after(async () => {
  await relay[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});
let datasets = 0;

/** CONTRACT.md, 4.2. */
type Page = {
  data: { body: string; metadata: Record<string, string> }[];
  pagination: { nextCursor: string | null };
};

/** Opens a client with its own dataset, over a connection that behaves as given. */
function open(options: LogOptions = {}, behave: (number: number) => Behaviour = () => 'pass') {
  const dataset = `set-${++datasets}`;
  relay.passed.length = 0;
  relay.behave((_, number) => behave(number));
  const tapedeck = new Tapedeck({ url: relay.url, token, retryForMs: 20_000, logs: { dataset, ...options } });
  return { dataset, tapedeck, logs: tapedeck.logs };
}

async function readMessages(dataset: string): Promise<string[]> {
  const entries: { body: string }[] = [];
  let cursor = '';
  do {
    const query = new URLSearchParams({ dataset, order: 'asc', limit: '100', ...(cursor && { cursor }) });
    const response = await service.fetch(`/api/v3/logs?${query}`, { headers: { authorization: token } });
    const page = (await response.json()) as Page;
    entries.push(...page.data);
    cursor = page.pagination.nextCursor ?? '';
  } while (cursor !== '');
  return entries.map(({ body }) => body);
}

function number(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `entry ${index}`);
}

test('entries arrive in their order, in batches', async () => {
  const { dataset, tapedeck, logs } = open();
  const written = number(2500);
  for (const message of written) assert.ok(logs.write({ level: 'info', message }));
  assert.ok(await tapedeck.close());
  assert.deepEqual(await readMessages(dataset), written);
  assert.equal(relay.passed.length, 3);
  assert.deepEqual(logs.stats(), { queued: 0, queuedBytes: 0, stored: 2500, dropped: 0 });
});

const failures: readonly { name: string; behave: (number: number) => Behaviour }[] = [
  { name: 'a dead connection', behave: count => (count < 3 ? 'break' : 'pass') },
  { name: 'an answer that is lost', behave: count => (count < 3 ? 'lose' : 'pass') },
  { name: '503', behave: count => (count < 3 ? { status: 503 } : 'pass') },
  { name: '429', behave: count => (count < 2 ? { status: 429, headers: { 'Retry-After': '1' } } : 'pass') },
  { name: '404 of a proxy', behave: count => (count < 3 ? { status: 404, body: '<h1>?</h1>' } : 'pass') },
];

for (const { name, behave } of failures) {
  test(`${name} loses nothing, doubles nothing, and is repeated with the same key and body`, async () => {
    const { dataset, tapedeck, logs } = open({ batchEntriesMax: 10 }, behave);
    const written = number(25);
    for (const message of written) logs.write({ level: 'warn', message });
    assert.ok(await tapedeck.close());
    assert.deepEqual(await readMessages(dataset), written);
    const [first, second] = relay.passed;
    assert.deepEqual([second?.key, second?.text], [first?.key, first?.text]);
    assert.equal(logs.stats().stored, 25);
  });
}

test('drops only the rejected entry and logs the loss to the service', async () => {
  const drops: unknown[] = [];
  const { dataset, tapedeck, logs } = open({ onDrop: drop => drops.push(drop) });
  const outcomes: (string | undefined)[] = [];
  const note = (error?: Error) => void outcomes.push(error?.message);
  logs.write({ level: 'info', message: 'before' }, note);
  logs.write({ level: 'info', message: 'x'.repeat(70_000) }, note);
  logs.write({ level: 'info', message: 'after' }, note);
  assert.equal(await logs.flush(), false);
  await tapedeck.close();
  assert.deepEqual(await readMessages(dataset), [
    'before',
    'after',
    '1 log entry was dropped before it could be sent.',
  ]);
  assert.deepEqual(drops, [{ count: 1, reason: 'invalid' }]);
  assert.equal(outcomes.length, 3);
  assert.equal(outcomes.filter(outcome => outcome === undefined).length, 2);
  assert.match(String(outcomes.find(outcome => outcome !== undefined)), /message/);
  assert.deepEqual(logs.stats(), { queued: 0, queuedBytes: 0, stored: 2, dropped: 1 });
});

test('drops new entries while the queue is full, and `ready` waits for room', async () => {
  const drops: { count: number; reason: string }[] = [];
  const { dataset, tapedeck, logs } = open({ queueEntriesMax: 5, onDrop: drop => drops.push(drop) });
  const taken = number(8).map(message => logs.write({ level: 'info', message }));
  assert.deepEqual(taken, [true, true, true, true, false, false, false, false]);
  await logs.ready();
  assert.ok(logs.write({ level: 'info', message: 'later' }));
  assert.ok(await tapedeck.close());
  assert.deepEqual(drops, [{ count: 3, reason: 'queue_full' }]);
  const messages = await readMessages(dataset);
  assert.deepEqual(
    messages.filter(message => !message.includes('dropped')),
    [...number(5), 'later'],
  );
  assert.equal(messages.length, 7);
});

test('a token that is refused ends it: one error, and no further request', async () => {
  const errors: TapedeckError[] = [];
  const { tapedeck, logs } = open({ onError: error => errors.push(error) }, () => ({ status: 401 }));
  for (const message of number(3)) logs.write({ level: 'info', message });
  assert.equal(await logs.flush(), false);
  assert.equal(logs.write({ level: 'info', message: 'too late' }), false);
  assert.equal(await logs.flush(), true); // nothing was waiting
  await tapedeck.close();
  assert.deepEqual(
    errors.map(({ status }) => status),
    [401],
  );
  assert.equal(relay.passed.length, 1);
  assert.deepEqual(logs.stats(), { queued: 0, queuedBytes: 0, stored: 0, dropped: 4 });
});

test('a flush times out and keeps its entries', async () => {
  const { dataset, tapedeck, logs } = open({}, count => (count < 4 ? 'break' : 'pass'));
  logs.write({ level: 'info', message: 'patient' });
  assert.equal(await logs.flush({ timeoutMs: 300 }), false);
  assert.equal(logs.stats().queued, 1);
  assert.ok(await tapedeck.close());
  assert.deepEqual(await readMessages(dataset), ['patient']);
});

test('any metadata can be written: errors, large numbers, circles', async () => {
  const { dataset, tapedeck, logs } = open();
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  logs.write({
    level: 'error',
    message: 'a',
    metadata: { error: new TypeError('broken'), large: 10n ** 20n },
  });
  logs.write({ level: 'error', message: 'b', metadata: circle });
  assert.ok(await tapedeck.close());
  const query = `/api/v3/logs?dataset=${dataset}&order=asc`;
  const response = await service.fetch(query, { headers: { authorization: token } });
  const { data } = (await response.json()) as Page;
  assert.equal(data[0]?.metadata['error.name'], 'TypeError');
  assert.deepEqual(await readMessages(dataset), ['a', 'b']);
});

test('drops entries written after the end', async () => {
  const { tapedeck, logs } = open();
  assert.ok(await tapedeck.close());
  const { promise, resolve } = Promise.withResolvers<Error | undefined>();
  assert.equal(logs.write({ level: 'info', message: 'late' }, resolve), false);
  assert.match(String(await promise), /closed/);
});

const transports = [
  {
    name: 'pino',
    write: (number: number) => `{"level":30,"msg":"entry ${number}"}\n`,
    open: openPinoTransport,
  },
  {
    name: 'winston',
    write: (number: number) => ({ level: 'info', message: `entry ${number}` }),
    open: (options: ConstructorParameters<typeof TapedeckTransport>[0]) => new TapedeckTransport(options),
  },
];

for (const { name, write, open: openTransport } of transports) {
  test(`drops what ${name} writes while the service is away and the queue is full`, async () => {
    const dataset = `away-of-${name}`;
    let isAway = true;
    relay.behave(() => (isAway ? { status: 503, headers: { 'Retry-After': '1' } } : 'pass'));
    const stream = openTransport({ url: relay.url, token, dataset, queueEntriesMax: 5 });
    await Promise.all(
      number(500).map((_, index) => new Promise(resolve => stream.write(write(index), resolve))),
    );
    isAway = false;
    await new Promise<void>(resolve => stream.end(resolve));
    assert.deepEqual(await readMessages(dataset), [
      ...number(5),
      '495 log entries were dropped before they could be sent.',
    ]);
  });
}
