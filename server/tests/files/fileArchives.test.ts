/** File archives as Python reads them: their content and names, and files that are deleted meanwhile. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { deleteFile } from '@tapedeck/contract/files';
import { archiveProjectFiles } from '@tapedeck/contract/projectFiles';
import { describeRefusal, withToken } from '../support/client.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import {
  listTraces,
  makePicture,
  makeSound,
  mediaEnvironment,
  mediaToken,
  uploadFile,
} from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const client = withToken(service, mediaToken);
const params = { project: 'default' };
const route = '/api/v3/file/archive';

type Line = {
  path: string | null;
  status: string;
  sha256: string | null;
  record: { id: string; visibility: string };
};
type Archive = {
  names: string[];
  hashes: Record<string, string>;
  manifest: { query: string; files: Line[]; createdAt: string };
};

const at = path.join(service.dataDir, 'archive.zip');

async function readArchive(response: Response): Promise<Archive> {
  assert.equal(response.status, 200);
  writeFileSync(at, new Uint8Array(await response.arrayBuffer()));
  return readSaved();
}

function readSaved(): Archive {
  assert.match(execFileSync('unzip', ['-tq', at], { encoding: 'utf8' }), /No errors/);
  const program = `
import hashlib, json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
names = archive.namelist()
print(json.dumps({'names': names, 'manifest': json.loads(archive.read('manifest.json')),
  'hashes': {n: hashlib.sha256(archive.read(n)).hexdigest() for n in names}}))`;
  const output = execFileSync('python3', ['-c', program, at], { encoding: 'utf8', maxBuffer: 1e8 });
  return JSON.parse(output) as Archive; // the program above printed it
}

const request = (query: Record<string, string>, token = mediaToken) =>
  service.fetch(`${route}?${new URLSearchParams(query)}`, { headers: { authorization: token } });

/** Inserts records of one stored sound, each with maximal metadata, and links its bytes. */
async function insertCopies(count: number): Promise<string[]> {
  const original = await uploadFile(service, makeSound({ seconds: 6, tone: 9 }), { path: 'many' });
  const store = await service.openStore();
  const file = await store.files.find('default', original.id);
  const bytes = (await listTraces(service)).blobs.find(blob => blob.includes(original.id));
  assert.ok(file && bytes);
  const ids = Array.from({ length: count }, (_, index) => `copy${String(index).padStart(16, '0')}`);
  for (const id of ids) linkSync(bytes, bytes.replace(original.id, id));
  const metadata = { note: 'x'.repeat(15_000) };
  await Promise.all(
    ids.map(id => store.files.insert({ ...file, id, key: `many/${id}.wav`, filename: 'same.wav', metadata })),
  );
  await client.call(deleteFile, { params: { file: original.id } });
  return ids;
}

function exposeGarbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

test('an archive holds all matches, each with record and hash, private files as well', async () => {
  const one = await uploadFile(service, await makePicture(), { filename: 'one.png', path: 'a/b' });
  const two = await uploadFile(service, await makePicture(9, 9), {
    filename: 'two',
    path: 'a',
    visibility: 'private',
  });
  await uploadFile(service, await makePicture(10, 9), { filename: 'other.png', path: 'elsewhere' });
  const response = await request({ path: 'a' });
  assert.equal(response.headers.get('content-type'), 'application/zip');
  assert.equal(response.headers.get('content-disposition'), 'attachment; filename="default-files.zip"');
  assert.equal(response.headers.get('cache-control'), 'private, no-store');
  const whole = await readArchive(response);
  assert.deepEqual(whole.names, ['a/two.png', 'a/b/one.png', 'manifest.json']);
  assert.deepEqual(
    whole.manifest.files.map(({ path: at, status, sha256, record }) => [
      at,
      status,
      sha256,
      record.id,
      record.visibility,
    ]),
    [
      ['a/two.png', 'complete', whole.hashes['a/two.png'], two.id, 'private'],
      ['a/b/one.png', 'complete', whole.hashes['a/b/one.png'], one.id, 'public'],
    ],
  );
  const archive = await readArchive(await request({ query: `id:${one.id}` }));
  assert.deepEqual(
    [archive.names, archive.manifest.query],
    [['a/b/one.png', 'manifest.json'], `id:${one.id}`],
  );
  assert.ok(!JSON.stringify(whole.manifest).includes('blobSecret'));
  const narrow = { path: 'a/b', type: 'image', q: 'one', 'metadata.round': '7' };
  const { files: none, createdAt: _, ...head } = (await readArchive(await request(narrow))).manifest;
  const { 'metadata.round': round, ...named } = narrow;
  assert.deepEqual([head, none], [{ project: 'default', query: '', ...named, metadata: { round } }, []]);
});

test('names are unique and safe on Windows', async () => {
  const picture = await makePicture(3, 3);
  const wanted = [
    'CON.png',
    'same.png',
    'SAME.png',
    'manifest.json',
    `${'x'.repeat(200)}.png`,
    'dots...',
    '..',
    'a:b.png',
  ];
  for (const filename of wanted) await uploadFile(service, picture, { filename, path: 'names' });
  await uploadFile(service, picture, { filename: 'manifest.json' });
  const { names } = await readArchive(await request({ path: 'names' }));
  assert.deepEqual(
    new Set(names),
    new Set([
      'names/_CON.png',
      'names/SAME.png',
      'names/same (2).png',
      'names/manifest.json.png',
      `names/${'x'.repeat(96)}.png`,
      'names/dots....png',
      'names/...png',
      'names/a_b.png',
      'manifest.json',
    ]),
  );
  assert.equal(new Set(names.map(name => name.toLowerCase())).size, wanted.length + 1);
});

test('without matches an archive contains only its list', async () => {
  const { names, manifest } = await readArchive(await request({ query: 'name:nothing' }));
  assert.deepEqual([names, manifest.files], [['manifest.json'], []]);
});

test('reports a file that is deleted in the meantime, and stays intact', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 12; index += 1)
    ids.push((await uploadFile(service, makeSound({ seconds: 500, tone: index }), { path: 'going' })).id);
  const response = await request({ path: 'going' });
  // The oldest comes last, and only a few of the fifty megabytes are sent ahead.
  await client.call(deleteFile, { params: { file: ids[0]! } });
  const { manifest, names } = await readArchive(response);
  assert.deepEqual(
    manifest.files.map(({ status }) => status),
    [...Array.from({ length: 11 }, () => 'complete'), 'missing'],
  );
  assert.equal(names.length, 12);
});

test('thousands of records take no memory, and a file deleted before it is archived is reported', async () => {
  const collectGarbage = exposeGarbageCollector();
  const measure = () => {
    for (let round = 0; round < 2; round += 1) collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1e6;
  };
  const ids = await insertCopies(800);
  const response = await request({ path: 'many' });
  assert.ok(response.body);
  const measured: number[] = [];
  let sentBytes = 0;
  for await (const chunk of response.body) {
    writeFileSync(at, chunk, { flag: sentBytes === 0 ? 'w' : 'a' });
    if (sentBytes === 0) await client.call(deleteFile, { params: { file: ids[0]! } });
    sentBytes += chunk.byteLength;
    if (sentBytes > (measured.length + 1) * 5e6) measured.push(measure());
  }

  const [first = 0, ...others] = measured;
  // The records alone take 12 MB, and listing them takes as much again.
  assert.ok(others.length >= 6 && Math.max(...others) < first + 4, `${measured.map(Math.round)} MB`);
  const { manifest, names } = readSaved();
  assert.equal(names.length, ids.length);
  assert.deepEqual(
    manifest.files.filter(({ status }) => status !== 'complete'),
    [{ path: null, status: 'missing', sha256: null, bytes: 0, record: { id: ids[0] } }],
  );
});

test('a signed-in viewer gets the same, with the files of the project', async () => {
  const viewer = await addPerson(service, { roles: { default: 'viewer' } });
  const response = await viewer.send(archiveProjectFiles, { params, query: { path: 'a' } });
  assert.equal((await readArchive(response)).names.length, 3);
});

describe('rejects an archive', () => {
  it('for a token that may not read', async () => {
    const { token } = await addToken(owner, { kind: 'media', scopes: ['write'] });
    assert.equal(await describeRefusal(await request({}, token)), '403 scope_missing');
  });
  it("outside a token's folder", async () => {
    const { token } = await addToken(owner, { kind: 'media', scopes: ['read', 'path:a'] });
    assert.equal(await describeRefusal(await request({ path: 'elsewhere' }, token)), '403 scope_missing');
    assert.equal((await readArchive(await request({}, token))).names.length, 3);
  });
  for (const [query, refusal] of [
    [{ query: '(' }, '400 query_invalid'],
    [{ path: '../x' }, '400 path_invalid'],
    [{ type: 'text' }, '400 invalid_field'],
  ] as const)
    it(`for ${JSON.stringify(query)}`, async () => {
      assert.equal(await describeRefusal(await request(query)), refusal);
      // Some rows are wrong on purpose.
      const input = { params, query: query as Record<string, string> };
      assert.equal(await owner.refuse(archiveProjectFiles, input), refusal);
    });
  it('while too many are in progress, and no longer', async () => {
    const held: Response[] = [];
    for (let index = 0; index < 4; index += 1) held.push(await request({ path: 'going' }));
    assert.equal(await describeRefusal(await request({ path: 'going' })), '503 overloaded');
    const input = { params, query: { path: 'going' } };
    assert.equal(await owner.refuse(archiveProjectFiles, input), '503 overloaded');
    for (const response of held) await response.body?.cancel();
    const deadline = Date.now() + 20_000;
    for (;;) {
      const response = await request({ path: 'a' });
      if (response.status === 200) break;
      await response.body?.cancel();
      assert.ok(Date.now() < deadline, 'slots are released');
      await wait(10);
    }
  });
});
