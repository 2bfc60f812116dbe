/** Log intake before V3: one or more entries, repaired instead of rejected. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { queryLogs } from '@tapedeck/contract/logs';
import { StatusOk } from '@tapedeck/contract/route';
import { entryLimits } from '@tapedeck/log-entries';
import { describeRefusal, withToken } from '../../../tests/support/client.ts';
import { readAs } from '../../../tests/support/jsonAnswers.ts';
import { addPerson, addToken } from '../../../tests/support/people.ts';
import { startTestService } from '../../../tests/support/service.ts';
import { type Entry, openLogBook, summarise } from '../../../tests/support/storedEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const book = await openLogBook(service);
const routes = ['/api/logs', '/api/logs/batch'] as const;

type Sending = { path?: string; headers?: Record<string, string>; body: string | Buffer };

function send({ path = '/api/logs', headers = {}, body }: Sending): Promise<Response> {
  const usual = { authorization: book.token, 'content-type': 'application/json' };
  return service.fetch(path, { method: 'POST', headers: { ...usual, ...headers }, body });
}

/** Returns the stored form of a value that was sent as JSON. */
async function store(value: unknown, path: string = routes[0]): Promise<Entry[]> {
  const dataset = book.newDataset();
  const response = await send({ path, headers: { 'x-brand-dataset': dataset }, body: JSON.stringify(value) });
  assert.equal(response.status, 200);
  assert.deepEqual(await readAs(StatusOk, response), { status: 'ok' });
  return book.read(dataset);
}

for (const path of routes) {
  describe(path, () => {
    it('accepts one object', async () => {
      const [entry, ...more] = await store({ level: 'warn', message: 'low', metadata: { ammo: 3 } }, path);
      assert.equal(more.length, 0);
      assert.equal(summarise(entry!), 'warn: low');
      assert.deepEqual(entry!.metadata, { ammo: '3' });
    });

    it('accepts objects and texts in order, and skips anything else', async () => {
      const sent = [
        { level: 'info', message: 'a' },
        null,
        'text',
        7,
        [],
        '',
        { level: 'error', message: 'b' },
      ];
      const entries = ['info: a', 'info: text', 'info: ', 'error: b'];
      assert.deepEqual((await store(sent, path)).map(summarise), entries);
      assert.deepEqual((await store({ logs: sent }, path)).map(summarise), entries);
    });

    it('accepts an empty list', async () => {
      for (const value of [[], null, 'text', 7, [null]]) assert.deepEqual(await store(value, path), []);
    });

    it('rejects invalid JSON', async () => {
      for (const body of ['', '{', '[{"level":"info"},]', '\u0000'])
        assert.equal(await describeRefusal(await send({ path, body })), '400 invalid_json');
    });
  });
}

describe('a lenient entry', () => {
  const rows: readonly [string, unknown, string, Record<string, string>][] = [
    ['without anything', {}, 'info: ', {}],
    ['without a message', { level: 'error' }, 'error: ', {}],
    ['without a level', { message: 'm' }, 'info: m', {}],
    ['with a level of null', { level: null, message: 'm' }, 'info: m', {}],
    ['with a level in capitals', { level: 'WARNING', message: 'm' }, 'warn: m', {}],
    ['with the level fatal', { level: 'fatal', message: 'm' }, 'error: m', {}],
    ['with the level critical', { level: 'Critical', message: 'm' }, 'error: m', {}],
    ['with the level err', { level: 'err', message: 'm' }, 'error: m', {}],
    ['with the level trace', { level: 'trace', message: 'm' }, 'debug: m', {}],
    ['with the level verbose', { level: 'verbose', message: 'm' }, 'debug: m', {}],
    ['with the level notice', { level: 'notice', message: 'm' }, 'info: m', {}],
    ['with the level log', { level: 'log', message: 'm' }, 'info: m', {}],
    ['with a custom level', { level: 'Loud', message: 'm' }, 'info: m', { level: 'Loud' }],
    ['with a level that is a number', { level: 40, message: 'm' }, 'warn: m', {}],
    [
      'with two levels',
      { level: 'loud', message: 'm', metadata: { level: 9, a: 1 } },
      'info: m',
      { level: 'loud', 'metadata.level': '9', a: '1' },
    ],
    ['with a number for a message', { level: 'info', message: 12.5 }, 'info: 12.5', {}],
    ['with an object for a message', { level: 'info', message: { a: 1 } }, 'info: {"a":1}', {}],
    ['with an empty table', { level: 'info', message: 'm', metadata: [] }, 'info: m', {}],
    ['with text as metadata', { level: 'info', message: 'm', metadata: 'x' }, 'info: m', { metadata: 'x' }],
    [
      'with nested metadata',
      {
        level: 'info',
        message: 'm',
        metadata: { pos: { x: 1.5 }, items: [{ name: 'a' }, true, null], gone: {} },
      },
      'info: m',
      { 'pos.x': '1.5', 'items.0.name': 'a', 'items.1': 'true', 'items.2': 'null' },
    ],
    [
      'with an invalid time',
      { level: 'info', message: 'm', timestamp: 'soon' },
      'info: m',
      { timestamp: 'soon' },
    ],
    [
      'with a time in the far future',
      { level: 'info', message: 'm', timestamp: 9e14 },
      'info: m',
      { timestamp: '900000000000000' },
    ],
  ];
  for (const [name, sent, summary, metadata] of rows) {
    it(name, async () => {
      const [entry] = await store(sent);
      assert.equal(summarise(entry!), summary);
      assert.deepEqual(entry!.metadata, metadata);
    });
  }

  it('truncates long text between two characters', async () => {
    const [entry] = await store({
      level: 'info',
      message: `a${'ü'.repeat(40_000)}`,
      metadata: { v: 'é'.repeat(9000) },
    });
    assert.equal(entry!.body, `a${'ü'.repeat(32_767)}`);
    assert.equal(entry!.metadata.v, 'é'.repeat(8192));
  });

  it('keeps the first of too many values', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`key${index}`, index]));
    const [entry] = await store({ level: 'odd', message: 'm', metadata });
    assert.equal(Object.keys(entry!.metadata).length, 256);
    assert.deepEqual([entry!.metadata.level, entry!.metadata.key254], ['odd', '254']);
  });

  it('nests metadata as deeply as V3, with the same paths', async () => {
    let metadata: object = { leaf: 1 };
    for (let depth = 1; depth < 20; depth++) metadata = { a: metadata };
    const item = { level: 'info', message: 'm', metadata };
    const dataset = book.newDataset();
    for (const path of ['/api/v3/logs', '/api/logs']) {
      const response = await send({ path: `${path}?dataset=${dataset}`, body: JSON.stringify([item]) });
      assert.equal(response.status, 200);
    }
    const [first, second] = await book.read(dataset);
    assert.deepEqual(second!.metadata, first!.metadata);
  });

  it('keeps its resource and time', async () => {
    const timestamp = new Date(service.clock.now() - 60_000).toISOString();
    const [entry] = await store({ level: 'info', message: 'm', resource: 'bank', timestamp });
    assert.equal(entry!.resource, 'bank');
    assert.equal(entry!.timestamp, timestamp.replace('Z', '000Z'));
  });
});

describe('a request', () => {
  it('may omit its content type, or name another', async () => {
    for (const type of ['', 'json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const dataset = book.newDataset();
      const body = Buffer.from('{"level":"info","message":"m"}');
      const headers = { 'content-type': type, 'x-brand-dataset': dataset };
      assert.equal((await send({ headers, body })).status, 200);
      assert.deepEqual((await book.read(dataset)).map(summarise), ['info: m']);
    }
  });

  it('may be compressed', async () => {
    const dataset = book.newDataset();
    const headers = { 'content-encoding': 'gzip', 'x-brand-dataset': dataset };
    await send({ headers, body: gzipSync('[{"level":"info","message":"m"}]') });
    assert.deepEqual((await book.read(dataset)).map(summarise), ['info: m']);
  });

  it('with the most entries allowed is stored; millions are rejected, and take little memory', async () => {
    const dataset = book.newDataset();
    const headers = { 'content-encoding': 'gzip', 'x-brand-dataset': dataset };
    const sendMany = (count: number) =>
      send({ headers, body: gzipSync(`[${'null,'.repeat(1000)}${'{},'.repeat(count - 1)}{}]`) });
    const bytesBefore = process.memoryUsage.rss();
    assert.equal(await describeRefusal(await sendMany(3_400_000)), '413 body_too_large');
    const grownMegabytes = (process.memoryUsage.rss() - bytesBefore) / 1024 ** 2;
    assert.ok(grownMegabytes < 600, `${grownMegabytes} MB more`);
    assert.equal((await sendMany(entryLimits.requestItemsMax)).status, 200);
    const query = { dataset, includeTotal: 'true', limit: 1 };
    const { pagination } = await withToken(service, book.token).call(queryLogs, { query });
    assert.equal(pagination.total, entryLimits.requestItemsMax);
  });

  const shapes: readonly [string, string, string, readonly string[]][] = [
    [
      'a form',
      'application/x-www-form-urlencoded',
      'level=WARNING&msg=low+ammo&player=7',
      ['warn: low ammo'],
    ],
    ['lines of JSON', 'application/x-ndjson', '{"msg":"a"}\n{"msg":"b"}\n', ['info: a', 'info: b']],
    [
      'a wrapping',
      'application/json',
      '{"logs":[{"level":50,"msg":"a"},{"msg":"b"}]}',
      ['error: a', 'info: b'],
    ],
  ];
  for (const [name, type, body, expected] of shapes) {
    it(`may contain ${name}`, async () => {
      for (const path of routes) {
        const dataset = book.newDataset();
        const headers = { 'content-type': type, 'x-brand-dataset': dataset };
        assert.equal((await send({ path, headers, body })).status, 200);
        assert.deepEqual((await book.read(dataset)).map(summarise), expected);
      }
    });
  }

  it('with an empty table instead of a list holds no entries', async () => {
    assert.deepEqual(await store({}, '/api/logs/batch'), []);
  });

  it('with an invalid dataset uses the default one', async () => {
    const message = `misnamed ${book.newDataset()}`;
    await send({
      headers: { 'x-brand-dataset': 'no good' },
      body: JSON.stringify({ level: 'info', message }),
    });
    await send({
      path: '/api/logs/batch?dataset=no%20good',
      body: JSON.stringify([{ level: 'info', message }]),
    });
    const entries = await book.read('default');
    assert.equal(entries.filter(({ body }) => body === message).length, 2);
  });

  it('with a repeated key is stored once', async () => {
    const dataset = book.newDataset();
    const headers = { 'idempotency-key': dataset, 'x-brand-dataset': dataset };
    const body = '[{"level":"info","message":"once"}]';
    for (const _ of [1, 2]) assert.equal((await send({ headers, body })).status, 200);
    assert.equal((await book.read(dataset)).length, 1);
    const other = await send({ headers, body: '[{"level":"info","message":"other"}]' });
    assert.equal(await describeRefusal(other), '422 idempotency_key_reused');
  });

  const item = '{"level":"info","message":"m"}';
  const refusals: readonly [string, () => Promise<Sending>, string][] = [
    ['without a token', async () => ({ headers: { authorization: '' }, body: item }), '401 token_missing'],
    [
      'with an unknown token',
      async () => ({ headers: { authorization: 'x'.repeat(32) }, body: item }),
      '401 token_unknown',
    ],
    [
      'with a media token',
      async () => ({ headers: { authorization: (await addToken(owner)).token }, body: item }),
      '403 wrong_token_kind',
    ],
    [
      'of more than 10 MiB',
      async () => ({ body: `"${'x'.repeat(10 * 1024 * 1024)}"` }),
      '413 body_too_large',
    ],
    [
      'in an unknown encoding',
      async () => ({ headers: { 'content-encoding': 'morse' }, body: item }),
      '415 unsupported_content_type',
    ],
    [
      'with a corrupt encoding',
      async () => ({ headers: { 'content-encoding': 'gzip' }, body: item }),
      '400 bad_request',
    ],
  ];
  for (const [name, compose, refusal] of refusals) {
    it(`${name} is refused`, async () => {
      for (const path of routes)
        assert.equal(await describeRefusal(await send({ path, ...(await compose()) })), refusal);
    });
  }
});

it('an Idempotency-Key applies only to its own route', async () => {
  const dataset = book.newDataset();
  const headers = { 'x-brand-dataset': dataset, 'idempotency-key': 'mine' };
  const body = '[{"level":"info","message":"once"}]';
  for (const path of ['/api/logs', '/api/logs/batch', '/api/v3/logs', '/api/logs']) {
    assert.equal((await send({ path, headers, body })).status, 200);
  }
  assert.equal((await book.read(dataset)).length, 3);
});
