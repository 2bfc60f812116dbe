/** Bytes that are not HTTP, or odd HTTP, get an error in the usual format and a closed connection, never a reset. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, describe, it, test } from 'node:test';
import { addPerson, addToken } from '../support/people.ts';
import { compose, describeAnswer, type Part, talk } from '../support/rawHttp.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());
const json = { 'content-type': 'application/json' };
const big = Buffer.alloc(4_000_000, 'x');

describe('malformed HTTP gets an error, then the connection is closed', () => {
  const chunked = { ...json, 'transfer-encoding': 'chunked' };
  const rows: [string, Part[], string][] = [
    ['not HTTP at all', ['HELLO\r\n\r\n'], '400 bad_request'],
    ['a TLS handshake', [Buffer.from('16030100c8010000c40303', 'hex'), '\r\n\r\n'], '400 bad_request'],
    ['HTTP/2', ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'], '400 bad_request'],
    ['an unknown version', ['GET / HTTP/9.9\r\nHost: x\r\n\r\n'], '400 bad_request'],
    ['a space in the path', [compose('GET /a b')], '400 bad_request'],
    ['an unknown method', [compose('BREW /healthz')], '400 bad_request'],
    ['a header without a colon', ['GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n'], '400 bad_request'],
    ['a header with a space in its name', ['GET / HTTP/1.1\r\nHost: x\r\na b: c\r\n\r\n'], '400 bad_request'],
    ['NUL in a header', [compose('GET /', { 'x-a': 'a\0b' })], '400 bad_request'],
    ['no Host', ['GET /healthz HTTP/1.1\r\n\r\n'], '400 bad_request'],
    ['two Hosts', ['GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'], '400 bad_request'],
    [
      'Content-Length with Transfer-Encoding',
      [compose('POST /api/manage/sign-out', { 'content-length': 4, ...chunked }, '0\r\n\r\n')],
      '400 bad_request',
    ],
    [
      'Transfer-Encoding with Content-Length',
      [compose('POST /api/manage/sign-out', { ...chunked, 'content-length': 4 }, '0\r\n\r\n')],
      '400 bad_request',
    ],
    [
      'two lengths',
      ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
      '400 bad_request',
    ],
    ['a negative length', [compose('POST /', { 'content-length': -1 })], '400 bad_request'],
    ['a length that is not a number', [compose('POST /', { 'content-length': 'many' })], '400 bad_request'],
    ...['gzip', 'identity', 'chunked, gzip', 'chunked, chunked', 'xchunked', 'chunked;q=1'].map(
      (codings): [string, Part[], string] => [
        `a body that does not end with its chunks alone: ${codings}`,
        [
          compose(
            'POST /api/manage/sign-in',
            { ...json, 'transfer-encoding': codings },
            '2\r\n{}\r\n0\r\n\r\n',
          ),
        ],
        '400 bad_request',
      ],
    ),
    ...[
      'gzip, chunked',
      'GZip ,\tChunked',
      'x-gzip,chunked',
      'identity, chunked',
      'trailers, chunked',
      'deflate, compress, chunked',
      'gzip\r\nTransfer-Encoding: chunked',
      `gzip\r\n${'a: b\r\n'.repeat(1_200)}Transfer-Encoding: chunked`,
    ].map((codings): [string, Part[], string] => [
      `chunks of an encoded body: ${JSON.stringify(codings.slice(0, 40))}`,
      [
        compose(
          'POST /api/manage/sign-in',
          { ...json, 'transfer-encoding': codings },
          '2\r\n{}\r\n0\r\n\r\n',
        ),
      ],
      '501 transfer_coding_unsupported',
    ]),
    [
      'a second Host after a thousand headers',
      [
        compose(
          'GET /healthz',
          Object.fromEntries([...Array.from({ length: 1_200 }, (_, n) => [`a${n}`, '']), ['HOST', 'b']]),
        ),
      ],
      '400 bad_request',
    ],
    ['an invalid chunk', [compose('POST /api/manage/sign-in', chunked, 'zz\r\nab')], '400 bad_request'],
    [
      'headers of 17 KiB',
      [compose('GET /healthz', { 'x-a': 'a'.repeat(17 * 1024) })],
      '431 headers_too_large',
    ],
    ['many headers of 17 KiB', [compose('GET /healthz', manyHeaders())], '431 headers_too_large'],
    [
      'headers of 4 MB',
      [`GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: `, big, '\r\n\r\n'],
      '431 headers_too_large',
    ],
    ['a path of 17 KiB', [compose(`GET /${'a'.repeat(17 * 1024)}`)], '431 headers_too_large'],
    ['CONNECT', [compose('CONNECT example.org:443')], '405 method_not_allowed'],
  ];
  for (const [name, parts, expected] of rows) {
    it(`${name}: ${expected}`, async () => {
      const { answers, end } = await talk(service.url, parts);
      assert.deepEqual(answers.map(describeAnswer), [expected]);
      assert.equal(end, 'closed');
      const { headers, body } = answers[0]!;
      assert.match(headers['x-request-id']!, /^[0-9A-Za-z]{20}$/);
      assert.match(headers['content-type']!, /^application\/json/);
      assert.equal(headers.connection, 'close');
      assert.deepEqual(Object.keys(JSON.parse(body)), ['error', 'code']);
    });
  }

  it('accepts headers of just under 16 KiB', async () => {
    const { answers } = await talk(service.url, [compose('GET /healthz', { 'x-a': 'a'.repeat(16_000) })], {
      answersMax: 1,
    });
    assert.equal(answers[0]?.status, 200);
  });
});

describe('serves unusual but valid HTTP', () => {
  const h2c = {
    Connection: 'Upgrade, HTTP2-Settings',
    Upgrade: 'h2c',
    'HTTP2-Settings': 'AAMAAABkAAQCAAAAAAIAAAAA',
  };
  const chunked = { ...json, 'transfer-encoding': 'chunked' };
  const chunks = '2\r\n{}\r\n0\r\n\r\n';
  const next = compose('GET /api/manage/state');
  const withBody = { ...json, 'content-length': 2 };
  const rows: [string, Part[], string[]][] = [
    ['HTTP/1.0 without a Host', ['GET /healthz HTTP/1.0\r\n\r\n'], ['200']],
    ['the whole URL in the request line', [compose('GET http://example.org/healthz')], ['200']],
    ['empty lines before the request', [`\r\n\r\n${compose('GET /healthz')}`], ['200']],
    ['h2c offered on GET, and another request', [compose('GET /healthz', h2c), 50, next], ['200', '200']],
    ['h2c offered on GET, and a pipelined request', [compose('GET /healthz', h2c) + next], ['200', '200']],
    [
      'one offer after another',
      [compose('GET /healthz', h2c) + compose('GET /readyz', h2c) + compose('GET /nope', h2c) + next],
      ['200', '200', '404 not_found', '200'],
    ],
    ...['websocket', 'TLS/1.0, h2c', 'IRC/6.9'].map((protocol): [string, Part[], string[]] => [
      `${protocol} offered, and a pipelined request`,
      [next + compose('GET /healthz', { Connection: 'Upgrade', Upgrade: protocol }) + next],
      ['200', '200', '200'],
    ]),
    ...['chunked', 'Chunked', 'CHUNKED', ', chunked', ', ,chunked'].map(
      (coding): [string, Part[], string[]] => [
        `Transfer-Encoding: ${coding}`,
        [compose('POST /api/manage/sign-in', { ...json, 'transfer-encoding': coding }, chunks) + next],
        ['400 invalid_field', '200'],
      ],
    ),
    [
      'a WebSocket upgrade',
      [compose('GET /healthz', { Connection: 'Upgrade', Upgrade: 'websocket' })],
      ['200'],
    ],
    [
      'Expect: 100-continue',
      [compose('POST /api/manage/sign-in', { ...withBody, Expect: '100-continue' }, '{}')],
      ['400 invalid_field'],
    ],
    ['another expectation', [compose('GET /healthz', { Expect: 'the-unexpected' })], ['200']],
    [
      'a chunked body with extensions and trailers',
      [
        compose(
          'POST /api/manage/sign-in',
          { ...json, 'transfer-encoding': 'chunked' },
          '2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n',
        ),
      ],
      ['400 invalid_field'],
    ],
    [
      'three pipelined requests, answered in order',
      [compose('GET /healthz') + compose('GET /nope') + compose('POST /api/manage/sign-in', withBody, '{}')],
      ['200', '404 not_found', '400 invalid_field'],
    ],
    ['a request byte by byte', [...compose('GET /healthz')], ['200']],
    ['OPTIONS *', [compose('OPTIONS *')], ['404 not_found']],
  ];
  for (const [name, parts, expected] of rows) {
    it(name, async () => {
      const { answers } = await talk(service.url, parts, { answersMax: expected.length });
      assert.deepEqual(answers.map(describeAnswer), expected);
    });
  }

  const offering = { ...h2c, ...withBody };
  const signIn = 'POST /api/manage/sign-in';
  const ending: [string, Part[]][] = [
    ['a body, and another request', [compose(signIn, offering), 50, '{}', 50, next]],
    ['a body, and a pipelined request', [compose(signIn, offering, '{}') + next]],
    [
      'chunks, and half of a pipelined request',
      [compose(signIn, { ...h2c, ...chunked }, `${chunks}${next.slice(0, 20)}`), 50, next.slice(20)],
    ],
  ];
  for (const [name, parts] of ending) {
    it(`h2c offered on POST with ${name}: the connection closes after the response`, async () => {
      const { answers, end } = await talk(service.url, [next, ...parts]);
      assert.deepEqual(answers.map(describeAnswer), ['200', '400 invalid_field']);
      assert.equal(answers[1]?.headers.connection, 'close');
      assert.equal(end, 'closed');
    });
  }

  it('answers complete requests before the malformed part of a connection', async () => {
    const readiness = compose('GET /readyz');
    const { answers, end } = await talk(service.url, [`${readiness}${readiness}NONSENSE\r\n\r\n`]);
    assert.deepEqual(answers.map(describeAnswer), ['200', '200', '400 bad_request']);
    assert.equal(end, 'closed');
  });
});

describe('a client that is still sending gets the response, even if it reads last', async () => {
  const owner = await addPerson(service, { isOwner: true });
  const { token } = await addToken(owner, { kind: 'media' });
  const announced = { ...json, 'content-length': big.length };
  const rows: [string, string, Record<string, string | number>, string][] = [
    ['no credential', 'POST /api/manage/users', announced, '401 session_missing'],
    [
      'a wrong credential',
      'POST /api/manage/users',
      { ...announced, authorization: token },
      '403 wrong_token_kind',
    ],
    ['too large, by Content-Length', 'POST /api/manage/sign-in', announced, '413 body_too_large'],
    ['an unknown path', 'POST /nope', announced, '404 not_found'],
    ['a wrong method', 'PUT /healthz', announced, '405 method_not_allowed'],
  ];
  for (const [name, line, headers, expected] of rows) {
    for (const readsLast of [true, false]) {
      it(`${name}, ${readsLast ? 'reading last' : 'reading at once'}: ${expected}`, async () => {
        const { answers, end } = await talk(service.url, [compose(line, headers), big], { readsLast });
        assert.deepEqual(answers.map(describeAnswer), [expected]);
        assert.equal(answers[0]?.headers.connection, 'close');
        assert.equal(end, 'closed');
      });
    }
  }

  it('too large, detected while receiving', async () => {
    const head = compose('POST /api/manage/sign-in', { ...json, 'transfer-encoding': 'chunked' });
    const chunk = `${big.length.toString(16)}\r\n`;
    const { answers, end } = await talk(service.url, [head, chunk, big], { readsLast: true });
    assert.deepEqual(answers.map(describeAnswer), ['413 body_too_large']);
    assert.equal(end, 'closed');
  });

  it('later requests on that connection have no effect', async () => {
    const session = `tapedeck_session=${owner.cookie}`;
    const body = JSON.stringify({ name: 'smuggled' });
    const hidden = compose(
      'POST /api/manage/projects',
      { cookie: session, ...json, 'content-length': body.length },
      body,
    );
    const late = compose('POST /nope', { 'content-length': 5 });
    const { answers } = await talk(service.url, [late, 100, `hello${hidden}`, 100, hidden]);
    assert.equal(answers.length, 1);
    const projects = await service.fetch('/api/manage/projects', { headers: { cookie: session } });
    assert.doesNotMatch(await projects.text(), /smuggled/);
  });
});

test('a disconnect in the middle of a body is not a failure of the service', async () => {
  const { hostname, port } = new URL(service.url);
  for (const leave of ['destroy', 'resetAndDestroy', 'end'] as const) {
    const socket = connect({ host: hostname, port: Number(port) });
    await once(socket, 'connect');
    socket.write(compose('POST /api/manage/sign-in', { ...json, 'content-length': 100 }, '{"email'));
    await service.fetch('/healthz');
    socket[leave]();
    socket.resume();
    await once(socket, 'close');
  }
});

test('the service keeps running, and has logged no failure', async () => {
  assert.equal((await service.fetch('/healthz')).status, 200);
  assert.deepEqual(service.logged, []);
});

function manyHeaders(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x-${index}`, 'a'.repeat(30)]));
}
