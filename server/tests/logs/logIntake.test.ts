/** Intake through `POST /v3/logs`: refused requests leave nothing behind, everything else is found. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import zlib from 'node:zlib';
import { listDatasets, queryLogs } from '@tapedeck/contract/logs';
import { readAs, summariseAnswer } from '../support/jsonAnswers.ts';
import { openLogClient } from '../support/logSender.ts';
import { addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, token, get, post, store } = await openLogClient(service);
const good = { level: 'info', message: 'good' };
const mebibyte = 1024 * 1024;
const dayMs = 86_400_000;
const fourteenMebibytes = Buffer.alloc(14 * mebibyte, 0x20);

async function read(dataset: string) {
  return (await readAs(queryLogs.answer, await get(`?dataset=${dataset}&order=asc&limit=100`))).data;
}

function nest(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

/** The name in `Content-Encoding`, and the function that compresses a body that way. */
const packers: readonly [encoding: string, pack: (body: string | Buffer) => Buffer][] = [
  ['gzip', zlib.gzipSync],
  ['zstd', zlib.zstdCompressSync],
  ['br', zlib.brotliCompressSync],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
];

type Refused = [title: string, body: unknown, expected: string, headers?: Record<string, string>];

describe('rejects', () => {
  const withBad = (changes: object) => [good, { ...good, ...changes }];
  const rows: readonly Refused[] = [
    ['a single object', good, '400 bad_request'],
    ['an empty array', [], '400 bad_request'],
    ['a string', '"entry"', '400 bad_request'],
    ['nothing', '', '400 invalid_json'],
    ['half of an array', '[{"level":"info","message":"a"},', '400 invalid_json'],
    ['bytes after the array', '[{"level":"info","message":"a"}] x', '400 invalid_json'],
    ['10,001 entries', Array(10_001).fill(good), '400 bad_request'],
    ['11 MiB', Buffer.alloc(11 * mebibyte, 0x20), '413 body_too_large'],
    ['a gzip bomb', zlib.gzipSync(fourteenMebibytes), '413 body_too_large', { 'content-encoding': 'gzip' }],
    [
      'a zstd bomb',
      zlib.zstdCompressSync(fourteenMebibytes),
      '413 body_too_large',
      { 'content-encoding': 'zstd' },
    ],
    [
      'a br bomb',
      zlib.brotliCompressSync(fourteenMebibytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
      '413 body_too_large',
      { 'content-encoding': 'br' },
    ],
    [
      'a deflate bomb',
      zlib.deflateSync(fourteenMebibytes),
      '413 body_too_large',
      { 'content-encoding': 'deflate' },
    ],
    ['invalid gzip', '[]', '400 bad_request', { 'content-encoding': 'gzip' }],
    ['invalid zstd', '[]', '400 bad_request', { 'content-encoding': 'zstd' }],
    ['invalid br', 'xxxxxxxx', '400 bad_request', { 'content-encoding': 'br' }],
    ['invalid deflate', 'xxxxxxxx', '400 bad_request', { 'content-encoding': 'deflate' }],
    ...packers.flatMap(([encoding, pack]) =>
      ['x', encoding === 'gzip' ? '\0\0x' : '\0\0', '[]'.repeat(10)].map(
        (rest): Refused => [
          `${encoding} with ${JSON.stringify(rest)} after its end`,
          Buffer.concat([pack(JSON.stringify([good])), Buffer.from(rest)]),
          '400 bad_request',
          { 'content-encoding': encoding },
        ],
      ),
    ),
    ...packers
      .filter(([encoding]) => ['gzip', 'zstd'].includes(encoding))
      .map(([encoding, pack]): Refused => {
        const half = pack(fourteenMebibytes.subarray(0, 7 * mebibyte));
        const title = `${encoding} in two members that form a bomb`;
        return [title, Buffer.concat([half, half]), '413 body_too_large', { 'content-encoding': encoding }];
      }),
    ['an unknown encoding', '[]', '415 unsupported_content_type', { 'content-encoding': 'lzma' }],
    ['XML', '<log/>', '415 unsupported_content_type', { 'content-type': 'application/xml' }],
    ['a form', 'a=b', '400 invalid_json', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['invalid UTF-8', Buffer.from('[{"level":"info","message":"\xff"}]', 'latin1'), '400 invalid_json'],
    [
      'a surrogate in UTF-8',
      Buffer.from('[{"level":"info","message":"\xed\xa0\x80"}]', 'latin1'),
      '400 invalid_json',
    ],
    ['a raw NUL byte', '[{"level":"info","message":"a\0"}]', '400 invalid_json'],
    [
      '10,000 levels of objects',
      `[{"level":"info","message":"a","metadata":${nest(10_000)}}]`,
      '400 invalid_field',
    ],
    ['10,000 levels of arrays', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, '400 invalid_field'],
    ['100,000 levels that never end', '['.repeat(100_000), '400 invalid_json'],
    ['an unknown level', withBad({ level: 'fatal' }), '400 invalid_field'],
    ['a synonym of a level', withBad({ level: 'warning' }), '400 invalid_field'],
    ['no message', withBad({ message: undefined }), '400 invalid_field'],
    ['a message of more than 64 KiB', withBad({ message: 'x'.repeat(65_537) }), '400 invalid_field'],
    ['21 levels of metadata', withBad({ metadata: JSON.parse(nest(21)) }), '400 invalid_field'],
    ['a timestamp two days ahead', withBad({ timestamp: Date.now() + 2 * dayMs }), '400 invalid_field'],
    ['a timestamp in the year 9999', withBad({ timestamp: '9999-12-31T23:59:59Z' }), '400 invalid_field'],
    ['a timestamp before 1970', withBad({ timestamp: '1969-12-31T23:59:59Z' }), '400 invalid_field'],
    [
      'a timestamp that is not in the calendar',
      withBad({ timestamp: '2026-13-01T00:00:00Z' }),
      '400 invalid_field',
    ],
    ['a timestamp that is an object', withBad({ timestamp: {} }), '400 invalid_field'],
  ];
  for (const [title, body, expected, headers] of rows) {
    it(`${title}: ${expected}`, async () => {
      assert.equal(await summariseAnswer(await post(body, '?dataset=refused', headers)), expected);
    });
  }

  it('an invalid dataset name, in the query and in the header', async () => {
    for (const name of ['a b', "x'y", 'ä', 'd'.repeat(65), '*', '..%2F']) {
      const inQuery = await post([good], `?dataset=${encodeURIComponent(name)}`);
      assert.equal(await summariseAnswer(inQuery), '400 invalid_field', name);
    }
    const inHeader = await post([good], '', { 'x-service-dataset': 'a b' });
    assert.equal(await summariseAnswer(inHeader), '400 invalid_field');
  });

  it('with the index and the field of the first bad entry', async () => {
    const bad = [good, good, { ...good, metadata: 7 }, { ...good, level: 'x' }];
    const response = await post(bad, '?dataset=refused');
    const { error } = (await response.json()) as { error: string };
    assert.match(error, /Entry 2: metadata /);
  });

  it('entries older than the retention of their dataset, and accepts newer ones', async () => {
    await tapedeck(['dataset', 'set', 'short', '--retain', '7d'], { TAPEDECK_DATA_DIR: service.dataDir });
    const send = async (days: number) =>
      summariseAnswer(await post([{ ...good, timestamp: Date.now() - days * dayMs }], '?dataset=short'));
    const deadline = Date.now() + 5_000;
    while ((await send(8)) === '200') assert.ok(Date.now() < deadline, 'the service follows within a second');
    assert.equal(await send(8), '400 invalid_field');
    assert.equal(await send(6), '200');
  });

  it('and stores nothing of these', async () => {
    assert.deepEqual(await read('refused'), []);
    const { data } = await readAs(listDatasets.answer, await get('/datasets'));
    assert.deepEqual(
      data.map(({ name }) => name).filter(name => name !== 'short'),
      [],
    );
  });
});

describe('accepts', () => {
  const text = JSON.stringify([{ ...good, message: 'packed' }]);
  const halves = [text.slice(0, 9), text.slice(9)] as const;
  const encodings: readonly [string, Uint8Array][] = [
    ['identity', Buffer.from(text)],
    ['gzip', zlib.gzipSync(text)],
    ['GZIP', zlib.gzipSync(text)],
    ['deflate', zlib.deflateSync(text)],
    ['deflate', zlib.deflateRawSync(text)],
    ['br', zlib.brotliCompressSync(text)],
    ['zstd', zlib.zstdCompressSync(text)],
    ['gzip', Buffer.concat(halves.map(half => zlib.gzipSync(half)))],
    ['gzip', Buffer.concat([zlib.gzipSync(text), Buffer.alloc(512)])], // padded like tape blocks
    ['zstd', Buffer.concat(halves.map(half => zlib.zstdCompressSync(half)))],
  ];
  for (const [index, [encoding, body]] of encodings.entries()) {
    it(`in ${encoding}, form ${index}`, async () => {
      const answer = await post(body, `?dataset=packed${index}`, { 'content-encoding': encoding });
      assert.deepEqual([answer.status, await answer.json()], [200, { status: 'ok' }]);
      assert.deepEqual(
        (await read(`packed${index}`)).map(entry => entry.body),
        ['packed'],
      );
    });
  }

  it('10,000 entries, just under 10 MiB', async () => {
    const message = 'm'.repeat(980);
    await store(Array(10_000).fill({ level: 'info', message }), 'many');
    const { pagination } = await readAs(
      queryLogs.answer,
      await get('?dataset=many&includeTotal=true&limit=1'),
    );
    assert.equal(pagination.total, 10_000);
  });

  it('keys such as __proto__, NUL in text and everything else in Unicode', async () => {
    const body =
      '[{"level":"info","message":"a\\u0000b 🎞️","resource":"r\\u0000","metadata":' +
      '{"__proto__":{"x":1},"constructor":{"prototype":2},"toString":"t","\\u0000":"n"}}]';
    assert.equal((await post(body, '?dataset=odd')).status, 200);
    const [entry] = await read('odd');
    assert.equal(entry!.body, 'a\0b 🎞️');
    assert.equal(entry!.resource, 'r\0');
    assert.deepEqual(Object.entries(entry!.metadata).toSorted(), [
      ['\0', 'n'],
      ['__proto__.x', '1'],
      ['constructor.prototype', '2'],
      ['toString', 't'],
    ]);
  });

  it('times from 1970 to a day ahead, to the microsecond', async () => {
    const times = ['1970-01-01T00:00:00Z', '1999-12-31T23:59:59.123456Z', '2026-01-02T03:04:05.1+02:00'];
    await store(
      times.map(timestamp => ({ ...good, timestamp })),
      'times',
    );
    assert.deepEqual(
      (await read('times')).map(({ timestamp }) => timestamp),
      ['1970-01-01T00:00:00.000000Z', '1999-12-31T23:59:59.123456Z', '2026-01-02T01:04:05.100000Z'],
    );
  });

  it('keys that are stored as one, of which the last counts everywhere', async () => {
    const entry = '{"level":"info","message":"same","metadata":{"k.a":1,"k":{"a":2}}}';
    assert.equal((await post(`[${entry}]`, '?dataset=same')).status, 200);
    const find = async (value: number) => {
      const path = `?dataset=same&metadata.k.a=${value}`;
      return (await readAs(queryLogs.answer, await get(path))).data.length;
    };
    assert.deepEqual((await read('same'))[0]?.metadata, { 'k.a': '2' });
    assert.deepEqual([await find(1), await find(2)], [0, 1]);
  });

  it('the token in the URL, as webhooks send it', async () => {
    const response = await service.fetch(`/api/v3/logs?apiKey=${token}&dataset=keyed`, {
      method: 'POST',
      body: JSON.stringify([good]),
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(response.status, 200);
  });

  it('writes only by tokens that allow them', async () => {
    const send = async (scopes: string[], dataset: string) => {
      const held = await addToken(owner, { kind: 'logs', scopes });
      return summariseAnswer(await post([good], `?dataset=${dataset}`, { authorization: held.token }));
    };
    assert.equal(await send(['read'], 'mine'), '403 scope_missing');
    assert.equal(await send(['write', 'dataset:mine'], 'mine'), '200');
    assert.equal(await send(['write', 'dataset:mine'], 'yours'), '403 scope_missing');
  });
});
