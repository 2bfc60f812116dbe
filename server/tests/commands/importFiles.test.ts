/** `tapedeck import files --from`: imported bytes and fields, redirects, and killed or repeated imports. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { startHostedSource } from '../support/hostedSource.ts';
import {
  askJson,
  beginImport,
  dataOf,
  importTokens,
  listFiles,
  runImport,
  startFoundService,
} from '../support/imports.ts';
import { makeDirectory } from '../support/service.ts';
import { makeSound, uploadFile } from '../support/uploading.ts';

const source = await startFoundService();
const destination = await startFoundService();
after(async () => {
  await source[Symbol.asyncDispose]();
  await destination[Symbol.asyncDispose]();
});
const filesCount = 130; // more than one page
const { media: token } = importTokens;

/** Makes a short sound, unlike all others. */
function makeBytes(number: number): Buffer {
  return Buffer.concat([makeSound({ tone: number % 256 }), Buffer.from(`number ${number}`)]);
}

for (let number = 0; number < filesCount; number++) {
  const fields = {
    filename: `Tön $${number}.wav`,
    ...(number % 2 === 0 && { path: `clips/${number % 3}` }),
    metadata: JSON.stringify({ number, player: { id: number % 7 } }),
    ...(number === 5 && { retentionExempt: 'true' }),
  };
  await uploadFile(source, makeBytes(number), fields, { token });
}

async function hash(url: string): Promise<string> {
  const response = await fetch(url);
  assert.equal(response.status, 200);
  return createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex');
}

async function requireEqual(to: { url: string }, areFoldersKnown: boolean): Promise<void> {
  const [left, right] = await Promise.all([listFiles(source), listFiles(to)]);
  assert.equal(right.length, left.length);
  const describe = (file: (typeof left)[number]) => {
    const { imported: _, ...metadata } = file.metadata;
    return { filename: file.filename, size: file.size, metadata, path: areFoldersKnown ? file.path : '' };
  };
  assert.deepEqual(right.map(describe), left.map(describe)); // the order must match too
  for (const [index, file] of right.entries()) {
    const original = left[index];
    const { id, url } = file.metadata.imported as { id: string; url: string }; // CONTRACT.md, 12.1
    assert.deepEqual([id, new URL(url).pathname], [original?.id, new URL(original?.url ?? '').pathname]);
    assert.equal(await hash(file.url), await hash(original?.url ?? ''));
  }
}

test('imports every file once with bytes, name, folder and metadata, and redirects old URLs', async () => {
  await using folder = await makeDirectory();
  const words = ['files', '--from', source.url, '--token', token, '--redirects', folder.path];
  const counts = await runImport(words, dataOf(destination));
  assert.deepEqual(counts, {
    kind: 'files',
    found: filesCount,
    imported: filesCount,
    skipped: 0,
    failed: 0,
    exitCode: 0,
  });
  await requireEqual(destination, true);
  const exempt = (await listFiles(destination)).find(({ metadata }) => metadata.number === 5);
  const { data } = await askJson<{ data: { retentionExempt: boolean } }>(
    destination,
    `/api/v3/file/${exempt?.id}`,
    token,
  );
  assert.equal(data.retentionExempt, true);
  type Redirects = { from: string; to: string }[];
  const text = await readFile(path.join(folder.path, 'redirects.json'), 'utf8');
  const redirects = JSON.parse(text) as Redirects; // CONTRACT.md, 12.1
  assert.equal(redirects.length, filesCount);
  assert.equal(await hash(redirects[0]?.from ?? ''), await hash(redirects[0]?.to ?? ''));
  const again = await runImport(words, dataOf(destination));
  assert.deepEqual([again.found, again.imported, again.skipped], [filesCount, 0, filesCount]);
  assert.equal(await readFile(path.join(folder.path, 'redirects.json'), 'utf8'), text);
});

test('stores nothing twice after its state is lost', async () => {
  await using state = await makeDirectory();
  const words = ['files', '--from', source.url, '--token', token, '--state', state.path];
  const counts = await runImport(words, dataOf(destination));
  assert.deepEqual([counts.found, counts.imported, counts.skipped], [filesCount, 0, filesCount]);
});

test('an importer that is killed twice resumes, with a changing and failing source', async () => {
  await using other = await startFoundService();
  await using plain = await startHostedSource(source.url);
  const words = ['files', '--from', plain.url];
  const given = { ...dataOf(other), TAPEDECK_TOKEN: token };
  const killAt = async (count: number) => {
    const begun = beginImport(words, given);
    let seen = 0;
    plain.watch((request, number) => {
      seen += 1;
      if (seen === count) begun.kill();
      if (number % 10 === 0) return { status: 429, headers: { 'Retry-After': '0' } };
      if (number % 17 === 0 && request.startsWith('/media/')) return { status: 500 };
      return undefined;
    });
    assert.equal((await begun.ended).printed, '');
  };
  await killAt(20);
  await killAt(40);
  // While the import lists pages, a new file joins the first page and an old file leaves it.
  const newest = (await listFiles(source))[3]?.id;
  let hasChanged = false;
  plain.watch(async request => {
    if (hasChanged || !request.includes('page=2')) return undefined;
    hasChanged = true;
    await uploadFile(source, makeBytes(1_000), { filename: 'late.wav' }, { token });
    const headers = { authorization: token };
    await source.fetch(`/api/v3/file/${newest}`, { method: 'DELETE', headers });
    return undefined;
  });
  const counts = await runImport(words, given);
  assert.equal(counts.failed, 1, 'the file that was deleted after it was listed');
  assert.equal(counts.found, filesCount + 1);
  const [left, right] = await Promise.all([listFiles(source), listFiles(other)]);
  const numbers = (files: typeof left) => files.map(({ metadata }) => metadata.number ?? 'late').sort();
  assert.deepEqual(numbers(right), numbers(left));
});
