/** Random bytes that are nearly HTTP: sequences of requests with odd lines, headers, lengths, chunks and ends. */
import fc from 'fast-check';

/** The path of an existing file, and a logs token, used within raw bytes. */
export const filePath = '/media/default/file-that-is-there';
export const logsToken = 'a-logs-token-of-thirty-two-chars';

/** Bytes to send on one connection, and the size of each piece. */
export type OddTalk = { bytes: string; pieces: readonly number[] };

const plain = '[{"level":"info","message":"plain"}]';
const methods = ['get', 'PUT', 'OPTIONS', 'DELETE', 'PATCH', 'TRACE', 'GETX', 'QUERY', 'M-SEARCH', 'G(T', ''];
const targets = [
  filePath,
  `${filePath}?`,
  `${filePath}?a=b#c`,
  `${filePath}#c`,
  `${filePath}/`,
  `http://localhost${filePath}`,
  `HTTP://other.example:80${filePath}`,
  `http://a@localhost${filePath}`,
  filePath.replace('/media/', '//media/'),
  filePath.replace('/media/', '/%6dedia/'),
  filePath.replace('/media/', '/media/./'),
  filePath.replace('/media/', '/media/../media/'),
  filePath.replace('default/', 'default%2f'),
  filePath.replace('default/', 'defa%75lt/'),
  filePath.replace('default/', 'default//'),
  filePath.replace('/media/', '/MEDIA/'),
  filePath.replaceAll('a', '%61'),
  `${filePath}%`,
  `${filePath}%00`,
  `${filePath}%ff`,
  `${filePath}%20`,
  `${filePath}\u00fc`,
  `${filePath}\t`,
  `${filePath}"<>\\^\`{|}`,
  filePath.slice(1),
  '/healthz',
  '/healthz?a',
  '/api/v3/logs',
  '/api/v3/logs/',
  '/api/v3/logs?dataset=default',
  '/api/v3/%6cogs',
  'http://localhost/api/v3/logs',
  '*',
  '/',
  '?',
  '/a b',
  'localhost:80',
  '',
];
const versions = [
  'HTTP/1.0',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/1.2',
  'HTTP/1.10',
  'http/1.1',
  'HTTP/1',
  '',
];
const oddHeaders = [
  'Host: localhost',
  'HOST: other.example',
  'Host:',
  'Host : localhost',
  'Host: a b',
  'Host: localhost, localhost',
  'Connection: close',
  'Connection: keep-alive',
  'connection:  Close\t',
  'Connection: close, keep-alive',
  'Connection: keep-alive, close',
  'Connection: keep-alive, x-a',
  'Connection: TE',
  'Connection:',
  'Connection: closed',
  'Proxy-Connection: close',
  'Keep-Alive: timeout=1',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Upgrade: h2c',
  'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  'Content-Length: 0',
  'Content-Length: 5',
  'Content-Length: 36',
  'Content-Length: 036',
  'Content-Length: +36',
  'Content-Length: -1',
  'Content-Length: 36, 36',
  'Content-Length: 36,5',
  'Content-Length:\t36 ',
  'Content-Length: 3 6',
  'Content-Length: 0x24',
  'Content-Length: 36.0',
  'Content-Length:',
  'Content-Length : 36',
  'Content_Length: 36',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked',
  'transfer-encoding: CHUNKED',
  'Transfer-Encoding:\tchunked ',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding\u00a0: chunked',
  'Trailer: x-a',
  'TE: trailers',
  'Expect: 100-continue',
  'Expect: 100-Continue',
  'Expect: something',
  'Expect:',
  'Range: bytes=0-4',
  'Range: bytes=9-0',
  'Range: bytes=0-1,3-4',
  'If-None-Match: *',
  'If-Match: "other"',
  'X-Request-Id: chosen-by-the-client',
  'X-Forwarded-For: 192.0.2.7',
  'Content-Encoding: gzip',
  'Content-Encoding: identity',
  'Origin: https://game.example',
  'Accept-Encoding: gzip',
  'X-A: b\r\n c',
  'X-A: b\r\n\tContent-Length: 5',
  ' X-A: folded-at-once',
  'X-A:',
  'X-A: \u00fc',
  'X-A: a\u0000b',
  'X-A: a\u000bb',
  'X-A: a\u007fb',
  'X-A: a\rb',
  ': nameless',
  'nonsense',
  'X A: b',
  '__proto__: x',
  'constructor: x',
  `X-Long: ${'a'.repeat(17_000)}`,
];
const bodies = [
  '',
  plain,
  '[{}]',
  'hello',
  `24\r\n${plain}\r\n0\r\n\r\n`,
  `24;a=b;c="d\r\ne"\r\n${plain}\r\n0\r\n\r\n`,
  `24;a\r\n${plain}\r\n0\r\nX-A: b\r\n\r\n`,
  `24 \r\n${plain}\r\n0\r\n\r\n`,
  `24\n${plain}\n0\n\n`,
  `024\r\n${plain}\r\n00\r\n\r\n`,
  `0x24\r\n${plain}\r\n0\r\n\r\n`,
  `-1\r\n${plain}\r\n0\r\n\r\n`,
  `fffffffffffffffff\r\n${plain}\r\n0\r\n\r\n`,
  `5\r\n${plain}\r\n0\r\n\r\n`,
  `24\r\n${plain}0\r\n\r\n`,
  '0\r\n\r\n',
  '0\r\nContent-Length: 5\r\n\r\nhello',
  'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
];
const plainIntake = [
  'Host: localhost',
  `Authorization: Bearer ${logsToken}`,
  'Content-Type: application/json',
  `Content-Length: ${plain.length}`,
];

/** Picks `usual` nearly always. */
const mostly = <T>(usual: readonly T[], odd: readonly T[], weight = 12) =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...usual), weight },
    { arbitrary: fc.constantFrom(...odd), weight: 1 },
  );

const lineEnd = mostly(['\r\n'], ['\n', '\r', '\r\r\n', ' \r\n', '\r\n\r\n'], 60);
const blank = mostly([' '], ['  ', '\t', ''], 40);
const line = fc
  .tuple(
    mostly(['', ''], ['\r\n', '\r\n\r\n', '\n', ' ', '\0'], 20),
    fc.oneof(fc.constantFrom('GET', 'HEAD', 'POST'), mostly(['GET'], methods, 3)),
    blank,
    mostly([filePath, '/healthz', '/api/v3/logs'], targets, 2),
    blank,
    mostly(['HTTP/1.1'], versions, 10),
  )
  .map(parts => parts.join(''));
const headers = fc.oneof(
  fc.tuple(fc.constant(plainIntake), fc.array(fc.constantFrom(...oddHeaders), { maxLength: 1 })),
  fc.tuple(fc.constant(['Host: localhost']), fc.array(fc.constantFrom(...oddHeaders), { maxLength: 3 })),
  fc.tuple(fc.constant([]), fc.array(fc.constantFrom(...oddHeaders, ...plainIntake), { maxLength: 5 })),
);

const request = fc
  .tuple(
    line,
    headers,
    fc.boolean(),
    fc.array(lineEnd, { minLength: 12, maxLength: 12 }),
    fc.constantFrom(...bodies),
  )
  .map(([first, [usual, odd], isOddFirst, ends, body]) => {
    const lines = [first, ...(isOddFirst ? [...odd, ...usual] : [...usual, ...odd]), ''];
    // Entries have different times and ids in each service, so these are not compared.
    const known = /GET|HEAD/.test(first) ? lines.filter(text => !text.includes(logsToken)) : lines;
    return known.map((text, index) => text + ends[index]!).join('') + body;
  });
/** A plain batch: a body that the fast HTTP path accepts. */
const batch = fc.constant(`POST /api/v3/logs HTTP/1.1\r\n${plainIntake.join('\r\n')}\r\n\r\n${plain}`);
const reading = fc
  .constantFrom('GET', 'HEAD')
  .map(method => `${method} ${filePath} HTTP/1.1\r\nHost: a\r\n\r\n`);

/**
 * Ends every talk: these requests fill whatever the service still awaits, and the last one closes the connection. If the service still waits for
 * the end of a line or chunk, it refuses one of them instead.
 */
const question = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n';
const ending = `\r\n\r\n${`${question}\r\n`.repeat(12)}${question}Connection: close\r\n\r\n`;

export const oddTalk: fc.Arbitrary<OddTalk> = fc
  .tuple(
    fc.array(fc.oneof({ arbitrary: request, weight: 3 }, batch, reading), { minLength: 1, maxLength: 4 }),
    fc.oneof({ arbitrary: fc.constant(0), weight: 6 }, fc.integer({ min: 0, max: 60 })),
    fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 5 }),
  )
  .map(([requests, brokenOff, pieces]) => {
    const all = requests.join('');
    return { bytes: all.slice(0, all.length - brokenOff) + ending, pieces };
  });
