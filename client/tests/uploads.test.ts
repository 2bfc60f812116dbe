/** Uploads through the client to the real service, from every source and over broken connections. */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { startTestService } from '../../server/tests/support/service.ts';
import { makePicture, makeSound } from '../../server/tests/support/uploading.ts';
import { Tapedeck, TapedeckError, type UploadSource } from '../src/kit/node.ts';
import { startRelay } from './relay.ts';

const token = 'media-token-of-the-tests-012345678';
const service = await startTestService({ environment: { TAPEDECK_MEDIA_TOKEN: token } });
const relay = await startRelay(service.url);
const folder = await mkdtemp(join(tmpdir(), 'tapedeck-client-'));
after(async () => {
  await relay[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});
const tapedeck = new Tapedeck({ url: relay.url, token });
const picture = new Uint8Array(await makePicture(64, 64));
const sound = new Uint8Array(makeSound({ seconds: 2500 })); // 20 MB: two chunks
const picturePath = join(folder, 'picture.png');
const soundPath = join(folder, 'sound.wav');
await writeFile(picturePath, picture);
await writeFile(soundPath, sound);

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function requireBytes(url: string, bytes: Uint8Array): Promise<void> {
  const response = await service.fetch(new URL(url).pathname);
  assert.equal(response.status, 200);
  assert.ok(Buffer.from(await response.arrayBuffer()).equals(bytes), 'other bytes came back');
}

async function countFiles(): Promise<number> {
  const { pagination } = await tapedeck.api.listFiles({ query: { limit: 1 } });
  return pagination.total;
}

const sources: readonly { name: string; filename?: string; large?: true; open: () => UploadSource }[] = [
  { name: 'a path', filename: 'picture.png', open: () => picturePath },
  { name: 'a file: URL', filename: 'picture.png', open: () => pathToFileURL(picturePath) },
  { name: 'a text with a file: URL', filename: 'picture.png', open: () => pathToFileURL(picturePath).href },
  { name: 'a Blob', open: () => new Blob([picture]) },
  { name: 'a File', filename: 'mine.png', open: () => new File([picture], 'mine.png') },
  { name: 'bytes', open: () => picture },
  { name: 'a Buffer', open: () => Buffer.from(picture) },
  { name: 'an ArrayBuffer', open: () => picture.slice().buffer },
  { name: 'a stream of the web', open: () => new Blob([picture]).stream() },
  { name: 'a stream of Node.js', open: () => createReadStream(picturePath) },
  { name: 'an async iterable', open: () => cut(picture, 10) },
  { name: 'base64', open: () => ({ base64: Buffer.from(picture).toString('base64') }) },
  { name: 'base64url', open: () => ({ base64: Buffer.from(picture).toString('base64url') }) },
  {
    name: 'a data URL',
    open: () => ({ base64: `data:image/png;base64,${Buffer.from(picture).toString('base64')}` }),
  },
  { name: 'a large path', filename: 'sound.wav', large: true, open: () => soundPath },
  { name: 'a large Blob', large: true, open: () => new Blob([sound]) },
  { name: 'a large stream', large: true, open: () => cut(sound, 100_000) },
];

describe('uploads', () => {
  for (const { name, filename, large = false, open } of sources) {
    test(`of ${name}`, async () => {
      relay.behave(() => 'pass');
      const progress: { loaded: number; total: number | null }[] = [];
      const bytes = large ? sound : picture;
      const uploaded = await tapedeck.files.upload(open(), {
        path: 'from/client',
        metadata: { player: { id: 43, name: 'Zoë' } },
        onProgress: step => progress.push(step),
      });
      assert.deepEqual(Object.keys(uploaded), ['id', 'url', 'originalUrl']);
      await requireBytes(uploaded.url, bytes);
      const { data } = await tapedeck.api.getFile({ params: { file: uploaded.id } });
      assert.equal(data.path, 'from/client');
      assert.deepEqual(data.metadata, { player: { id: 43, name: 'Zoë' } });
      if (filename) assert.equal(data.filename, filename);
      assert.deepEqual(progress.at(-1), { loaded: bytes.length, total: bytes.length });
    });
  }
});

for (const [name, source] of [
  ['in one request', picture],
  ['in pieces', sound],
] as const)
  test(`a file takes the name that it is given, and stays beyond the retention, ${name}`, async () => {
    relay.behave(() => 'pass');
    const options = { filename: 'Grüße, "Zoë".bin', retentionExempt: true };
    const { id } = await tapedeck.files.upload(source, options);
    const { data } = await tapedeck.api.getFile({ params: { file: id } });
    assert.deepEqual([data.filename, data.retentionExempt], [options.filename, true]);
  });

describe('does not serve a private file to someone who only has its address', () => {
  for (const [name, source] of [
    ['in one request', picture],
    ['in pieces', sound],
  ] as const)
    test(name, async () => {
      relay.behave(() => 'pass');
      const { id, url } = await tapedeck.files.upload(source, { visibility: 'private' });
      const { data } = await tapedeck.api.getFile({ params: { file: id } });
      assert.equal(data.visibility, 'private');
      assert.equal((await service.fetch(new URL(url).pathname)).status, 404);
    });
});
test('a large upload continues where the connection broke', async () => {
  const before = await countFiles();
  relay.passed.length = 0;
  let lost = 0;
  relay.behave(({ line }) => {
    if (!line.startsWith('PATCH') || lost >= 2) return 'pass';
    lost++;
    return lost === 1 ? 'lose' : 'break';
  });
  const { url } = await tapedeck.files.upload(cut(sound, 1_000_000));
  await requireBytes(url, sound);
  assert.equal(await countFiles(), before + 1);
  const sent = relay.passed
    .filter(({ line }) => line.startsWith('PATCH'))
    .reduce((sum, { bytes }) => sum + bytes, 0);
  assert.ok(sent < sound.length * 2, 'what had arrived was sent again');
});

const repeats = [
  { name: 'a dead connection', first: 'break' },
  { name: 'an answer that is lost', first: 'lose' },
  { name: '503', first: { status: 503 } },
  {
    name: '429',
    first: { status: 429, headers: { 'Retry-After': new Date(Date.now() + 1000).toUTCString() } },
  },
] as const;

for (const { name, first } of repeats) {
  test(`a small upload survives ${name}`, async () => {
    const before = await countFiles();
    relay.passed.length = 0;
    relay.behave((_, number) => (number === 1 ? first : 'pass'));
    await requireBytes((await tapedeck.files.upload(picture)).url, picture);
    assert.equal(relay.passed[0]?.key, relay.passed[1]?.key);
    assert.equal(await countFiles(), before + 1);
  });
}

test('an abort ends an upload with an AbortError', async () => {
  const before = await countFiles();
  const stopping = new AbortController();
  relay.behave(() => 'pass');
  const onProgress = ({ loaded }: { loaded: number }) => loaded > 0 && stopping.abort(new Error('enough'));
  await assert.rejects(tapedeck.files.upload(sound, { signal: stopping.signal, onProgress }), {
    name: 'AbortError',
  });
  await assert.rejects(tapedeck.files.upload(picture, { signal: AbortSignal.abort() }), {
    name: 'AbortError',
  });
  assert.equal(await countFiles(), before);
});

const refusals: readonly { name: string; source: UploadSource; error: Partial<TapedeckError> }[] = [
  { name: 'no media', source: new Blob(['just words']), error: { status: 415, code: 'unsupported_media' } },
  {
    name: 'a path that is not there',
    source: join(folder, 'none.png'),
    error: { status: 0, code: 'source_unreadable' },
  },
  { name: 'a folder', source: folder, error: { status: 0, code: 'source_unreadable' } },
  // A program without types may pass anything.
  { name: 'nothing', source: null as unknown as string, error: { status: 0, code: 'source_unreadable' } },
  { name: 'broken base64', source: { base64: '????' }, error: { status: 0, code: 'source_unreadable' } },
];

for (const { name, source, error } of refusals) {
  test(`${name} is refused at once`, async () => {
    relay.behave(() => 'pass');
    await assert.rejects(tapedeck.files.upload(source), failure => {
      assert.ok(failure instanceof TapedeckError);
      assert.deepEqual({ status: failure.status, code: failure.code }, error);
      return true;
    });
  });
}

test('reports an unavailable service after the time for retries', async () => {
  relay.behave(() => 'break');
  const impatient = new Tapedeck({ url: relay.url, token, retryForMs: 700 });
  await assert.rejects(impatient.files.upload(picture), { status: 0, code: 'unreachable' });
  await assert.rejects(impatient.api.listFiles(), { status: 0, code: 'unreachable' });
});
