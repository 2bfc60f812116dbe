/** Tests that Python's zipfile and Info-ZIP's unzip can read the archives. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeZip, type ZipEntry } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tapedeck-zip-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Saves chunks of zeros as holes, so that large archives take no disk space. */
async function save(name: string, entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>): Promise<string> {
  const path = join(folder, name);
  await using file = await open(path, 'w');
  let position = 0;
  let waiting: Uint8Array[] = [];
  const flush = async () => {
    const bytes = Buffer.concat(waiting);
    await file.write(bytes, 0, bytes.byteLength, position);
    position += bytes.byteLength;
    waiting = [];
  };
  for await (const chunk of writeZip(entries)) {
    if (chunk !== zeros) waiting.push(chunk);
    if (chunk === zeros || waiting.length === 10_000) await flush();
    if (chunk === zeros) position += zeros.byteLength;
  }
  await flush();
  return path;
}

const zeros = Buffer.alloc(64 * 1024 * 1024);

async function* chunksOf(bytes: Uint8Array, chunkBytes = 1000) {
  for (let at = 0; at < bytes.byteLength; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

async function* manyZeros(times: number) {
  for (let i = 0; i < times; i += 1) yield zeros;
}

type Listed = { name: string; size: number; stored: number; sha256: string; date: number[] };

function readWithPython(path: string, names: readonly string[] = []): { count: number; files: Listed[] } {
  const program = `
import hashlib, json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
wanted = sys.argv[2:]
infos = archive.infolist()
files = [{'name': i.filename, 'size': i.file_size, 'stored': i.compress_size, 'date': i.date_time,
  'sha256': hashlib.sha256(archive.read(i)).hexdigest()} for i in infos if not wanted or i.filename in wanted]
print(json.dumps({'count': len(infos), 'files': files}))`;
  const output = execFileSync('python3', ['-c', program, path, ...names], { encoding: 'utf8' });
  return JSON.parse(output) as { count: number; files: Listed[] }; // the program above printed it
}

function testWithUnzip(path: string): string {
  return execFileSync('unzip', ['-tq', path], { encoding: 'utf8' });
}

test('both programs read every kind of entry', async () => {
  const media = randomBytes(300_000);
  const text = Buffer.from('the same line\n'.repeat(50_000));
  const modifiedAt = new Date('2026-03-04T05:06:08Z');
  const kinds: (Omit<ZipEntry, 'bytes' | 'modifiedAt'> & { content: Buffer })[] = [
    { path: 'stored.bin', content: media, sizeBytesMax: media.byteLength },
    { path: 'any size.bin', content: media },
    { path: 'clips/größer 🎬.txt', content: text, compressed: true, sizeBytesMax: text.byteLength },
    { path: 'any size.txt', content: text, compressed: true },
    { path: 'empty', content: Buffer.alloc(0), sizeBytesMax: 0 },
    { path: 'empty.txt', content: Buffer.alloc(0), compressed: true },
  ];
  const path = await save(
    'kinds.zip',
    kinds.map(({ content, ...kind }) => ({ ...kind, modifiedAt, bytes: chunksOf(content) })),
  );
  const { files } = readWithPython(path);
  assert.deepEqual(
    files.map(({ name, size, sha256, date }) => ({ name, size, sha256, date })),
    kinds.map(({ path: name, content }) => ({
      name,
      size: content.byteLength,
      sha256: createHash('sha256').update(content).digest('hex'),
      date: [2026, 3, 4, 5, 6, 8],
    })),
  );
  assert.ok(files[2]!.stored < text.byteLength / 20, 'text is compressed');
  assert.equal(files[0]!.stored, media.byteLength);
  assert.match(testWithUnzip(path), /No errors detected/);
});

test('writes an empty archive', async () => {
  assert.equal(readWithPython(await save('empty.zip', [])).count, 0);
});

test('writes more than 65,535 entries', async () => {
  function* entries() {
    for (let i = 0; i < 66_000; i += 1) {
      yield {
        path: `${i}.txt`,
        modifiedAt: new Date(0),
        bytes: chunksOf(Buffer.from(`${i}`)),
        sizeBytesMax: 9,
      };
    }
  }
  const path = await save('many.zip', entries());
  const { count, files } = readWithPython(path, ['65999.txt']);
  assert.equal(count, 66_000);
  assert.equal(files[0]?.sha256, createHash('sha256').update('65999').digest('hex'));
  assert.match(testWithUnzip(path), /No errors detected/);
});

test('writes entries beyond 4 GiB', async () => {
  const last = randomBytes(5000);
  const path = await save('large.zip', [
    { path: 'large.bin', modifiedAt: new Date(), bytes: manyZeros(65) },
    { path: 'last.bin', modifiedAt: new Date(), bytes: chunksOf(last), sizeBytesMax: 5000 },
  ]);
  const { count, files } = readWithPython(path, ['last.bin']);
  assert.equal(count, 2);
  assert.equal(files[0]?.sha256, createHash('sha256').update(last).digest('hex'));
  const listing = execFileSync('unzip', ['-l', path], { encoding: 'utf8' });
  assert.match(listing, new RegExp(`${65 * zeros.byteLength} .*large\\.bin`));
});

test('rejects an entry of 4 GiB that was announced as smaller', async () => {
  const writing = save('wrong.zip', [
    { path: 'a', modifiedAt: new Date(), bytes: manyZeros(64), sizeBytesMax: 100 },
  ]);
  await assert.rejects(writing, { name: 'RangeError', message: /a holds 4294967296 bytes, more than/ });
});

test('reads entries when they are due, and closes them when the reader leaves', async () => {
  const events: string[] = [];
  async function* bytes(name: string) {
    try {
      events.push(`reads ${name}`);
      yield Buffer.alloc(10);
      yield Buffer.alloc(10);
    } finally {
      events.push(`closes ${name}`);
    }
  }
  function* entries() {
    try {
      for (const path of ['a', 'b', 'c']) yield { path, modifiedAt: new Date(), bytes: bytes(path) };
    } finally {
      events.push('closes the list');
    }
  }
  let chunks = 0;
  for await (const _chunk of writeZip(entries())) {
    chunks += 1;
    if (chunks === 6) break; // header, two chunks and descriptor of a; header and a chunk of b
  }
  assert.deepEqual(events, ['reads a', 'closes a', 'reads b', 'closes b', 'closes the list']);
});

test('limits times outside the format to its first and last', async () => {
  const path = await save(
    'times.zip',
    ['1970-01-01', '2200-01-01'].map(date => ({
      path: date,
      modifiedAt: new Date(date),
      bytes: chunksOf(Buffer.from('x')),
    })),
  );
  assert.deepEqual(
    readWithPython(path).files.map(({ date }) => date[0]),
    [1980, 2107],
  );
});
