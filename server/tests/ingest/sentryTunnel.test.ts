/** Sentry clients that send through a tunnel: only the first line of the body holds their key. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, test } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { queryLogs } from '@tapedeck/contract/logs';
import { withToken } from '../support/client.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const { token } = await addToken(owner, { kind: 'logs', scopes: ['write', 'dataset:tunnel'] });
const reader = withToken(service, (await addToken(owner, { kind: 'logs' })).token);
const { host } = new URL(service.url);

/** `isHeldBack`: the request never ends. */
type Sent = { path?: string; encoding?: string; parts: readonly Buffer[]; isHeldBack?: boolean };

/** Sends the parts one by one, with no key outside the body. */
async function send({ path = '/api/1/envelope/', encoding, parts, isHeldBack = false }: Sent) {
  const sending = request(new URL(path, service.url), {
    method: 'POST',
    headers: {
      'content-type': 'text/plain;charset=UTF-8',
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    },
  });
  sending.on('error', () => {}); // the refusal may come before everything is sent
  const answered = once(sending, 'response');
  sending.setNoDelay(true);
  // Each part goes out alone, or fails once the refusal has come.
  for (const part of parts) await new Promise(resolve => void sending.write(part, resolve));
  if (!isHeldBack) sending.end();
  const [response] = (await answered) as [IncomingMessage]; // an HTTP client's response
  const text = Buffer.concat(await response.toArray()).toString();
  sending.destroy();
  return { status: response.statusCode, text };
}

const makeDsn = (key: string) => `http://${key}@${host}/1`;

function makeEnvelope(message: string, header: object): Buffer {
  return Buffer.from(`${JSON.stringify(header)}\n{"type":"event"}\n${JSON.stringify({ message })}\n`);
}

/** Splits the bytes into parts of this length. */
function split(bytes: Buffer, length: number): Buffer[] {
  const count = Math.ceil(bytes.length / length);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * length, (index + 1) * length));
}

async function findBodies(body: string): Promise<string[]> {
  const { data } = await reader.call(queryLogs, { query: { dataset: 'tunnel', body: `"${body}"` } });
  return data.map(entry => entry.body);
}

const noise = Array.from({ length: 60_000 }, (_, index) => ((index * 7919) % 9973).toString(36)).join(' ');
const encodings: readonly [encoding: string | undefined, encode: (bytes: Buffer) => Buffer][] = [
  [undefined, bytes => bytes],
  ['gzip', bytes => gzipSync(bytes)],
  ['deflate', bytes => deflateSync(bytes)],
  ['deflate', bytes => deflateRawSync(bytes)],
  ['br', bytes => brotliCompressSync(bytes)],
  ['zstd', bytes => zstdCompressSync(bytes)],
];

for (const [index, [encoding, encode]] of encodings.entries()) {
  const header = { event_id: 'cd'.repeat(16), sent_at: '2026-11-27T00:00:00Z', dsn: makeDsn(token) };
  const rows: [title: string, message: string, cut: (bytes: Buffer) => Buffer[]][] = [
    ['whole', `whole-${index}`, bytes => [bytes]],
    ['in parts', `parts-${index}`, bytes => split(bytes, 40)],
    ['with a long tail', `long-${index} ${noise.slice(0, 60_000)}`, bytes => split(bytes, 30_000)],
  ];
  for (const [title, message, cut] of rows) {
    // A zstd block cannot be read before all of it has come, and it may be longer than what the service looks at.
    if (encoding === 'zstd' && message.startsWith('long')) continue;
    test(`stores an envelope that contains its only key: ${encoding ?? 'as it is'}, ${title} (${index})`, async () => {
      const answer = await send({
        ...(encoding !== undefined && { encoding }),
        parts: cut(encode(makeEnvelope(message, header))),
      });
      assert.deepEqual(answer, { status: 200, text: JSON.stringify({ id: header.event_id }) });
      assert.deepEqual(await findBodies(message.split(' ', 1)[0] ?? ''), [message]);
    });
  }
}

test('a single event may name its DSN, too', async () => {
  const event = {
    level: 'info',
    tags: { dsn: 'http://no@x/1' },
    dsn: makeDsn(token),
    message: 'stored alone',
  };
  const answer = await send({ path: '/api/7/store/', parts: [Buffer.from(JSON.stringify(event, null, 2))] });
  assert.deepEqual(answer, { status: 200, text: '{}' });
  assert.deepEqual(await findBodies('stored alone'), ['stored alone']);
});

test('a key in the header takes precedence over the one in the body', async () => {
  const body = new Uint8Array(makeEnvelope('unread', { dsn: makeDsn(token) }));
  const response = await service.fetch('/api/1/envelope/?sentry_key=wrong', { method: 'POST', body });
  assert.equal(response.status, 401);
});

const missing = {
  status: 401,
  text: '{"detail":"Send an API token as the public key of the DSN: https://TOKEN@HOST/1.","causes":[]}',
};
const refused: readonly [title: string, body: Buffer, encoding?: string][] = [
  ['no DSN', makeEnvelope('x', { event_id: 'a' })],
  ['a DSN that is not a URL', makeEnvelope('x', { dsn: token })],
  ['a DSN without a key', makeEnvelope('x', { dsn: `http://${host}/1` })],
  ['a DSN that is not text', makeEnvelope('x', { dsn: { key: token } })],
  ['a nested DSN', makeEnvelope('x', { trace: { dsn: makeDsn(token) } })],
  ['a DSN in the second line', Buffer.from(`{}\n{"dsn":"${makeDsn(token)}"}\n`)],
  ['no object', Buffer.from('[]')],
  ['nothing', Buffer.alloc(0)],
  ['a truncated line', Buffer.from('{"dsn":"http://')],
  ['a first line that is too long', makeEnvelope('x', { a: 'a'.repeat(20_000), dsn: makeDsn(token) })],
  [
    'a compressed first line that is too long',
    gzipSync(makeEnvelope('x', { a: 'a'.repeat(9_000_000), dsn: makeDsn(token) })),
    'gzip',
  ],
  ['another encoding than declared', makeEnvelope('x', { dsn: makeDsn(token) }), 'gzip'],
  ['an unknown encoding', makeEnvelope('x', { dsn: makeDsn(token) }), 'lzma'],
];
for (const [title, body, encoding] of refused) {
  test(`rejects an envelope with ${title}`, async () => {
    const answer = await send({ ...(encoding !== undefined && { encoding }), parts: [body] });
    assert.deepEqual(answer, missing);
  });
}

test('rejects a wrong key in a DSN like a wrong key elsewhere', async () => {
  const { token: media } = await addToken(owner, { kind: 'media' });
  for (const [key, status, says] of [
    ['wrong', 401, /^\{"detail":"[^"]*not known[^"]*","causes":\[\]\}$/],
    [media, 403, /token of the kind media/],
  ] as const) {
    const answer = await send({ parts: [makeEnvelope('x', { dsn: makeDsn(key) })] });
    assert.equal(answer.status, status);
    assert.match(answer.text, says);
  }
});

test('rejects a client without a token early when it sends without end', async () => {
  const answer = await send({ parts: split(Buffer.alloc(400_000, 'a'), 20_000) });
  assert.deepEqual(answer, missing);
});

test('rejects a client without a token that stalls', { timeout: 30_000 }, async () => {
  const line = makeEnvelope('slow', { dsn: makeDsn(token) }).subarray(0, 30);
  assert.deepEqual(await send({ parts: [line], isHeldBack: true }), missing);
});
