/** Tests that files are passed on as they arrive, one after the other, and that only the rest is held. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readSeparated, type SeparatedFile } from './separatedBodies.ts';

type Part = { kind: 'rest' | 'content'; bytes: Buffer } | { kind: 'file'; filename: string };

/** Each chunk is one part: `name>` begins a file, `+text` is its content, and anything else is the rest. */
const separator = {
  pendingBytes: 0,
  add(chunk: Buffer): Part[] {
    const text = chunk.toString();
    if (text.endsWith('>')) return [{ kind: 'file', filename: text.slice(0, -1) }];
    const bytes = Buffer.from(text.replace(/^\+/, ''));
    return [{ kind: text.startsWith('+') ? 'content' : 'rest', bytes }];
  },
  finish: (): Part[] => [{ kind: 'rest', bytes: Buffer.from('.') }],
};

const usual = { contentEncoding: undefined, separator, holder: 'p', bytesMax: 100, restBytesMax: 10 };

async function readText({ content }: SeparatedFile): Promise<string> {
  let text = '';
  for await (const bytes of content) text += bytes;
  return text;
}

function streamOf(chunks: readonly string[], end: Error | null = null): Readable {
  async function* read() {
    for (const chunk of chunks) yield Buffer.from(chunk);
    if (end !== null) throw end;
  }
  return Readable.from(read(), { objectMode: false });
}

test('files and the rest arrive in any order', async () => {
  const taken: string[] = [];
  const takeFile = async (file: SeparatedFile) => void taken.push(`${file.filename}:${await readText(file)}`);
  const stream = streamOf(['a>', '+1', '+2', 'r1', 'b>', 'c>', '+3', 'r2']);
  const rest = await readSeparated(stream, { ...usual, takeFile });
  assert.deepEqual([rest.toString(), taken], ['r1r2.', ['a:12', 'b:', 'c:3']]);
});

test('what the receiver leaves is skipped', async () => {
  const taken: string[] = [];
  const takeFile = async ({ filename, content }: SeparatedFile) => {
    if (filename === 'b') for await (const bytes of content) return void taken.push(`b:${bytes}`);
    taken.push(filename);
  };
  const stream = streamOf(['a>', '+1', '+2', 'b>', '+3', '+4', 'r', 'c>', '+5']);
  assert.equal(String(await readSeparated(stream, { ...usual, takeFile })), 'r.');
  assert.deepEqual(taken, ['a', 'b:3', 'c']);
});

test('a body that breaks off fails, even if the receiver takes it for a bad file', async () => {
  const takeFile = async (file: SeparatedFile) => void (await readText(file).catch(() => ''));
  const stream = streamOf(['r', 'a>', '+1'], new Error('reset'));
  const read = readSeparated(stream, { ...usual, takeFile });
  await assert.rejects(read, { code: 'bad_request' });
});

test('an error of the receiver ends the reading', async () => {
  const takeFile = () => Promise.reject(new Error('disk full'));
  await assert.rejects(readSeparated(streamOf(['a>', '+1', 'r']), { ...usual, takeFile }), /disk full/);
});

for (const [title, chunks] of [
  ['rest', ['a>', '+1', 'r'.repeat(11)]],
  ['body', ['a>', ...Array<string>(60).fill('+1')]],
] as const)
  test(`limits the ${title}`, async () => {
    const takeFile = async (file: SeparatedFile) => void (await readText(file).catch(() => ''));
    const read = readSeparated(streamOf(chunks), { ...usual, takeFile });
    await assert.rejects(read, { code: 'body_too_large' });
  });

test('the limit applies to the decoded body', async () => {
  const stream = Readable.from([gzipSync(Buffer.alloc(1000, '+'))]);
  const takeFile = async () => {};
  const read = readSeparated(stream, { ...usual, contentEncoding: 'gzip', takeFile });
  await assert.rejects(read, { code: 'body_too_large' });
});
