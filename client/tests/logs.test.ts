/** Sends log entries through the client to the real service, over a connection that fails in every way. */
import assert from 'node:assert/strict';
import { after, mock, test } from 'node:test';
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

/** Returns the entries of a dataset, oldest first. */
async function readEntries(dataset: string) {
  const query = new URLSearchParams({ dataset, order: 'asc', limit: '100' });
  const response = await service.fetch(`/api/v3/logs?${query}`, { headers: { authorization: token } });
  // CONTRACT.md, 4.2.
  const { data } = (await response.json()) as {
    data: { level: string; timestamp: string; resource: string; body: string; metadata: object }[];
  };
  return data;
}

test('keeps metadata whose objects refer to each other, and causes of errors', async () => {
  const { dataset, tapedeck, logs } = open();
  const round: Record<string, unknown> = { name: 'r1', at: new Date(0), big: 5n };
  round.player = { id: 7, round };
  const cause = new Error('inner');
  logs.write({ level: 'info', message: 'circle', metadata: { round } });
  logs.write({ level: 'error', message: 'error', metadata: { error: new Error('outer', { cause }) } });
  const nodes = number(50).map(name => ({ name, nodes: [] as object[] }));
  for (const node of nodes) node.nodes.push(...nodes);
  logs.write({ level: 'info', message: 'endless', metadata: { nodes } });
  assert.equal(await tapedeck.close(), true);
  const [circle, error, endless] = (await readEntries(dataset)).map(({ metadata }) => metadata);
  assert.deepEqual(circle, {
    'round.name': 'r1',
    'round.at': '1970-01-01T00:00:00.000Z',
    'round.big': '5',
    'round.player.id': '7',
    'round.player.round': '[Circular]',
  });
  assert.equal(Object(error)['error.cause.message'], 'inner');
  assert.deepEqual(endless, { unreadable: 'The metadata cannot be written as JSON.' });
});

test('follows a clock that was set back', async () => {
  const { dataset, tapedeck, logs } = open();
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 });
  logs.write({ level: 'info', message: 'too early' });
  mock.timers.reset();
  logs.write({ level: 'info', message: 'right' });
  assert.equal(await tapedeck.close(), true);
  assert.deepEqual(await readMessages(dataset), ['right', 'too early']);
});

test('replaces halves of characters, as at the end of a text that was cut', async () => {
  const { dataset, tapedeck, logs } = open();
  const metadata = { text: '😀 \\ud83d \ud83d', '\udc00': 1 };
  logs.write({ level: 'info', message: 'A long text 😀'.slice(0, -1), metadata });
  assert.equal(await tapedeck.close(), true);
  assert.deepEqual(
    (await readEntries(dataset)).map(entry => [entry.body, entry.metadata]),
    [['A long text \ufffd', { text: '😀 \\ud83d \ufffd', '\ufffd': '1' }]],
  );
});

test("understands pino's settings: seconds, other times, words for levels, other names of the message", async () => {
  relay.behave(() => 'pass');
  const stream = openPinoTransport({ url: relay.url, token, dataset: 'settings-of-pino' });
  const lines = [
    { level: 30, time: 1_795_986_758, msg: 'seconds' },
    { level: 'CRITICAL', time: '2026-11-29T20:00:00.123456Z', message: 'words' },
    { level: 'loud', time: 5, msg: 7, name: ['n'] },
    { level: 50, time: 'Sun, 29 Nov 2026 20:00:01 GMT', error: { message: 'broken' } },
  ];
  for (const line of lines) stream.write(`${JSON.stringify(line)}\n`);
  await new Promise<void>(resolve => stream.end(resolve));
  const entries = await readEntries('settings-of-pino');
  const found = new Map(entries.map(entry => [entry.body, entry]));
  assert.match(found.get('seconds')?.timestamp ?? '', /^2026-11-29T21:12:38/);
  assert.deepEqual(
    [found.get('words')?.level, found.get('words')?.timestamp],
    ['error', '2026-11-29T20:00:00.123456Z'],
  );
  assert.deepEqual(found.get('7')?.metadata, { level: 'loud', time: '5', 'name.0': 'n' });
  assert.equal(found.get('broken')?.timestamp, '2026-11-29T20:00:01.000000Z');
  assert.equal(entries.length, 4);
});

test("understands the words of winston's own levels", async () => {
  relay.behave(() => 'pass');
  const stream = new TapedeckTransport({ url: relay.url, token, dataset: 'levels-of-winston' });
  for (const level of ['fatal', 'trace', 'notice', 'audit'])
    stream.write({ level, [Symbol.for('level')]: level, message: level });
  await new Promise<void>(resolve => stream.end(resolve));
  const entries = await readEntries('levels-of-winston');
  assert.deepEqual(
    entries.map(({ level }) => level),
    ['error', 'debug', 'info', 'info'],
  );
  assert.deepEqual(entries.at(-1)?.metadata, { level: 'audit' });
});
