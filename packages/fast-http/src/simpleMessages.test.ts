/** Tests that plain requests are read exactly as Node.js's parser reads them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { readPlainRequest } from './simpleMessages.ts';

const headersBytesMax = 16_384; // the default of Node.js's servers

const rows: [string, string, boolean][] = [
  ['a browser request', 'GET /media/p/k.png HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n', true],
  [
    'conditions and ranges',
    'GET /m HTTP/1.1\r\nhost:a\r\nIf-None-Match: "x"\r\nRange: bytes=0-1\r\n\r\n',
    true,
  ],
  ['keeping the connection', 'HEAD /m HTTP/1.1\r\nHost: a\r\nConnection: Keep-Alive\r\n\r\n', true],
  ['ending the connection', 'GET /m HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', true],
  [
    'ending it with the header of old proxies',
    'GET /m HTTP/1.1\r\nHost: a\r\nProxy-Connection: close\r\n\r\n',
    false,
  ],
  ['two options for the connection', 'GET /m HTTP/1.1\r\nHost: a\r\nConnection: close, te\r\n\r\n', false],
  ['a POST with its body', 'POST /m HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc', true],
  ['a POST with a part of its body', 'POST /m HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na', true],
  ['a POST with more than its body', 'POST /m HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcd', false],
  ['a POST without a length', 'POST /m HTTP/1.1\r\nHost: a\r\n\r\n', false],
  ['a POST with an empty body', 'POST /m HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n', false],
  ['a POST of +3 bytes', 'POST /m HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc', false],
  ['a POST of 3, 3 bytes', 'POST /m HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\nabc', false],
  [
    'a POST with its length twice',
    'POST /m HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-length: 3\r\n\r\nabc',
    false,
  ],
  [
    'a POST that expects 100-continue',
    'POST /m HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n',
    false,
  ],
  ['another method', 'PUT /m HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc', false],
  ['an older version', 'GET /m HTTP/1.0\r\nHost: a\r\n\r\n', false],
  ['an absolute URL', 'GET http://a/m HTTP/1.1\r\nHost: a\r\n\r\n', false],
  ['a space in the path', 'GET /m n HTTP/1.1\r\nHost: a\r\n\r\n', false],
  ['a path beyond ASCII', 'GET /ä HTTP/1.1\r\nHost: a\r\n\r\n', false],
  ['no host', 'GET /m HTTP/1.1\r\nAccept: */*\r\n\r\n', false],
  ['two hosts', 'GET /m HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', false],
  ['a header twice', 'GET /m HTTP/1.1\r\nHost: a\r\nRange: bytes=0-1\r\nRange: bytes=2-3\r\n\r\n', false],
  ['a body', 'GET /m HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx', false],
  ['a chunked body', 'GET /m HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', false],
  ['an upgrade', 'GET /m HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\n\r\n', false],
  ['half a head', 'GET /m HTTP/1.1\r\nHost: a\r\n', false],
  ['a head and a half', 'GET /m HTTP/1.1\r\nHost: a\r\n\r\nGET', false],
  ['lines without carriage returns', 'GET /m HTTP/1.1\nHost: a\n\n', false],
  ['a folded line', 'GET /m HTTP/1.1\r\nHost: a\r\nAccept: x\r\n y\r\n\r\n', false],
  ['a space before the colon', 'GET /m HTTP/1.1\r\nHost : a\r\n\r\n', false],
  ['a carriage return in a value', 'GET /m HTTP/1.1\r\nHost: a\rb\r\n\r\n', false],
  ['a NUL', 'GET /m HTTP/1.1\r\nHost: a\0b\r\n\r\n', false],
  ['headers beyond the limit', `GET /m HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(16_384)}\r\n\r\n`, false],
];
describe('whether a request is plain', () => {
  for (const [name, text, isPlain] of rows) {
    test(`${name}: ${isPlain}`, () => {
      assert.equal(readPlainRequest(Buffer.from(text), headersBytesMax) !== null, isPlain);
    });
  }
});

const server = createServer();
server.maxHeadersCount = 0; // the service's setting
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close().closeAllConnections());
const { port } = server.address() as AddressInfo; // the server listens on a port, not on a socket's path

const name = fc.constantFrom(
  'Accept',
  'x-a',
  'COOKIE',
  'Connection',
  'Proxy-Connection',
  'If-None-Match',
  'Range',
  '__proto__',
  'constructor',
  'a b',
);
const value = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', ' ', '\t', '"', ',', ':', '~', '\\'), maxLength: 12 }),
  fc.string({ unit: 'binary-ascii', maxLength: 4 }),
  fc.constantFrom('close', 'keep-alive', 'Close', ' keep-alive\t'),
);
const header = fc.tuple(name, fc.constantFrom(':', ': ', ':\t ', ' :'), value);
const path = fc.string({
  unit: fc.constantFrom('a', '/', '%', '?', '#', '"', ';', ' ', '..', '\\', '|', '^'),
  maxLength: 8,
});
const headers = fc.uniqueArray(header, { maxLength: 6, selector: ([spelled]) => spelled });
const lineEnd = fc.constantFrom('\r\n', '\r\n', '\r\n', '\n');
const head = fc.oneof(
  fc.record({
    method: fc.constantFrom('GET', 'HEAD', 'OPTIONS'),
    path,
    headers,
    length: fc.constantFrom([], [], [], ['Content-Length: 4']),
    lineEnd,
  }),
  fc.record({
    method: fc.constant('POST'),
    path,
    headers,
    length: fc.constantFrom(['Content-Length: 4'], ['CONTENT-LENGTH:4 '], ['content-length: 04'], []),
    lineEnd,
  }),
);

test('reads random heads as Node.js does, or leaves them to it', async () => {
  let plainCount = 0;
  const property = fc.asyncProperty(head, async ({ method, path, length, headers, lineEnd }) => {
    const lines = [...headers.map(parts => parts.join('')), ...length];
    const body = length.length > 0 ? 'body' : '';
    const sent = [`${method} /${path} HTTP/1.1`, 'Host: a', ...lines, '', body].join(lineEnd);
    if (await isReadAlike(sent)) plainCount += 1;
  });
  await fc.assert(property, { numRuns: 8_000 });
  assert.ok(plainCount > 300, `only ${plainCount} were plain`);
});

const room = 16_000; // nearly all that a head may hold
const many = Array.from({ length: 2_300 }, (_, index) => `${index}:`).join('\r\n');
const longRows: [string, string, boolean][] = [
  ['a long value', `X: ${'x'.repeat(room)}`, true],
  ['a long name', `${'x'.repeat(room)}: x`, true],
  ['only blanks', `X:${' '.repeat(room)}`, true],
  ['spaces and tabs before a word', `X:${' \t'.repeat(room / 2)}x`, true],
  ['spaces and tabs after a word', `X: x${' \t'.repeat(room / 2)}`, true],
  ['words separated by spaces', `X:${' x'.repeat(room / 2)}`, true],
  ['more headers than Node.js reads by default', many, true],
  ['spaces before non-ASCII characters', `X:${' '.repeat(room)}\x80`, false],
  ['spaces before NUL', `X:${' '.repeat(room)}\0`, false],
  ['spaces with a wrong line end', `X:${' '.repeat(room)}\rx`, false],
  ['tabs before non-ASCII characters', `X:${'\t'.repeat(room)}\x80`, false],
  ['a name before a space', `${'x'.repeat(room)} : x`, false],
  ['a name without an end', 'x'.repeat(room), false],
  ['colons', ':'.repeat(room), false],
  ['colons after a name', `x${':'.repeat(room)}\x80`, false],
  ['a folded line', `X:${' '.repeat(room)}\r\n ${' '.repeat(100)}`, false],
];
describe('reads a long head at once, and as Node.js does or not at all', () => {
  for (const [name, line, isPlain] of longRows) {
    test(`${name}: ${isPlain}`, async () => {
      const sent = `GET /m HTTP/1.1\r\nHost: a\r\n${line}\r\n\r\n`;
      const bytes = Buffer.from(sent, 'latin1');
      const startedAt = performance.now();
      for (let round = 0; round < 50; round += 1) readPlainRequest(bytes, headersBytesMax);
      // Fifty take 30 ms if the parser reads nothing twice, and a hundred times as long if it rereads every blank.
      assert.ok(performance.now() - startedAt < 1_500);
      assert.equal(await isReadAlike(sent), isPlain);
    });
  }

  test('a long path', async () => {
    for (const path of ['a'.repeat(room), '/'.repeat(room), ' '.repeat(room), `${'a'.repeat(room)}\x80`]) {
      await isReadAlike(`GET /${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    }
  });
});

/** Returns whether the request is plain. Fails if Node.js reads a plain one differently. */
async function isReadAlike(sent: string): Promise<boolean> {
  const plain = readPlainRequest(Buffer.from(sent, 'latin1'), headersBytesMax);
  if (plain === null) return false;
  const { headBytes, bodyBytes, ...request } = plain;
  const read = { ...request, headers: { ...plain.headers }, body: sent.slice(headBytes) };
  assert.equal(bodyBytes, read.body.length);
  assert.deepEqual(read, await readByNode(sent));
  return true;
}

async function readByNode(sent: string) {
  const socket = connect(port, '127.0.0.1');
  const seen = Promise.withResolvers<object>();
  server.once('request', async (request, response) => {
    const { method, url, headers } = request;
    const isLast = !response.shouldKeepAlive;
    seen.resolve({ method, url, headers: { ...headers }, isLast, body: await text(request) });
  });
  server.once('clientError', error => seen.resolve({ error: String(error) }));
  socket.write(sent, 'latin1');
  const result = await seen.promise;
  server.removeAllListeners('request').removeAllListeners('clientError');
  socket.destroy();
  return result;
}
