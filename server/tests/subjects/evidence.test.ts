/** Evidence: the archive's content, and that a single changed, missing or added byte is found and named. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { listAudit } from '@tapedeck/contract/audit';
import { createEvidence } from '@tapedeck/contract/evidence';
import type { BodyOf } from '@tapedeck/contract/route';
import { openEvidenceKey } from '@tapedeck/domain/subjects/evidence/signing';
import { verifyEvidence } from '@tapedeck/domain/subjects/evidence/verification';
import { listStoredEntries, writeZip, type ZipSource } from '@tapedeck/zip-archives';
import { keepSecret } from '../../src/stores/dataDirectory/secretFile.ts';
import { openLogClient } from '../support/logSender.ts';
import { addPerson } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { runTapedeck } from '../support/tapedeck.ts';
import { listTraces, makePicture, mediaEnvironment, uploadFile } from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const { owner, store } = await openLogClient(service);
const params = { project: 'default' };
const viewer = await addPerson(service, { roles: { default: 'viewer' } });
const key = openEvidenceKey(await keepSecret(service.dataDir)).publicKey;
const hostile = `<script>alert(1)</script>" onerror='x' &\u202e =1+1`;
const picture = await makePicture();

await store(
  [
    { level: 'error', message: hostile, metadata: { player: { id: 43, name: '<b>' } } },
    { level: 'info', message: 'joined', metadata: { player: { id: 43 } } },
    { level: 'info', message: 'somebody else', metadata: { player: { id: 44 } } },
  ],
  'one',
);
const metadata = JSON.stringify({ player: { id: 43 } });
const names = ['aux.png', 'a b<i>.png', 'a b<i>.png'];
for (const filename of names)
  await uploadFile(service, picture, { filename, path: 'shots/ünder', metadata, visibility: 'private' });
await uploadFile(service, picture, { metadata: '{"player":{"id":44}}' });
service.clock.advance(1000);

async function make(body: BodyOf<typeof createEvidence>): Promise<Buffer> {
  const response = await viewer.send(createEvidence, { params, body });
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, bytes.toString().slice(0, 500));
  assert.equal(response.headers.get('content-type'), 'application/zip');
  return bytes;
}

function sourceOf(bytes: Buffer): ZipSource {
  return {
    sizeBytes: bytes.length,
    read: async (position, length) => Buffer.from(bytes.subarray(position, position + length)),
  };
}

async function unpack(bytes: Buffer): Promise<Map<string, Buffer>> {
  const entries = await listStoredEntries(sourceOf(bytes));
  return new Map(
    entries.map(({ path: name, startsAt, sizeBytes }) => [
      name,
      bytes.subarray(startsAt, startsAt + sizeBytes),
    ]),
  );
}

const verify = (bytes: Buffer, trusted = key) => verifyEvidence(sourceOf(bytes), trusted);

let archive: Buffer;
let contents: Map<string, Buffer>;
before(async () => {
  archive = await make({ query: 'player.id:43' });
  contents = await unpack(archive);
});

describe('the archive', () => {
  it('contains all matches, and nothing else', () => {
    assert.deepEqual(
      [...contents.keys()],
      [
        'entries.ndjson',
        'entries.csv',
        'files/shots/ünder/_aux.png',
        'files/shots/ünder/a b_i_.png',
        'files/shots/ünder/a b_i_ (2).png',
        'index.html',
        'manifest.json',
        'signature.json',
      ],
    );
    const lines = String(contents.get('entries.ndjson')).trim().split('\n');
    const bodies = lines.map(line => (JSON.parse(line) as { body: string }).body); // exports write this shape
    assert.deepEqual(bodies, [hostile, 'joined']);
    assert.equal(String(contents.get('entries.csv')).trim().split('\r\n').length, 3);
    assert.deepEqual(contents.get('files/shots/ünder/_aux.png'), picture);
  });

  it('has a manifest with the hash of everything', () => {
    const manifest = JSON.parse(String(contents.get('manifest.json'))) as {
      query: string;
      createdBy: string;
      contents: { path: string; sha256: string; size: number; file?: { visibility: string } }[];
    }; // compared below
    assert.deepEqual([manifest.query, manifest.createdBy], ['player.id:43', `user ${viewer.email}`]);
    for (const { path: name, sha256, size } of manifest.contents) {
      const bytes = contents.get(name) ?? Buffer.alloc(0);
      assert.deepEqual([sha256, size], [createHash('sha256').update(bytes).digest('hex'), bytes.length]);
    }
    assert.equal(manifest.contents.length, contents.size - 2);
    assert.deepEqual(
      manifest.contents.flatMap(({ file }) => file?.visibility ?? []),
      ['private', 'private', 'private'],
    );
  });

  it('has a page without scripts or network access', () => {
    const page = String(contents.get('index.html'));
    assert.doesNotMatch(page, /<script|<b>|https?:|\u202e|javascript:|<[^>]+ on\w+=/);
    assert.match(page, /&lt;script&gt;alert\(1\)/);
    assert.match(page, /default-src 'none'/);
    assert.match(page, /src="files\/shots\/%C3%BCnder\/_aux\.png"/);
  });

  it('reports a file whose bytes were deleted in the meantime, and still verifies', async () => {
    const { id } = await uploadFile(service, picture, { metadata: '{"player":{"id":45}}' });
    const bytes = (await listTraces(service)).blobs.find(blob => blob.includes(id));
    await unlink(bytes ?? '');
    const evidence = await make({ query: 'player.id:45' });
    assert.deepEqual((await verify(evidence)).problems, []);
    const unpacked = await unpack(evidence);
    const manifest = JSON.parse(String(unpacked.get('manifest.json'))) as {
      contents: { missing?: boolean; file?: { id: string } }[];
    }; // compared below
    assert.deepEqual(
      manifest.contents.flatMap(({ missing, file }) => (missing ? file?.id : [])),
      [id],
    );
    assert.match(String(unpacked.get('index.html')), /1 file was deleted while this was made/);
  });

  it('is empty without matches, and still verifies', async () => {
    const empty = await make({ query: 'nothing-at-all', from: '2020-01-01T00:00:00Z' });
    assert.deepEqual((await verify(empty)).problems, []);
    assert.equal(String((await unpack(empty)).get('entries.ndjson')), '');
  });

  it('is recorded in the audit log', async () => {
    const { entries } = await owner.call(listAudit, { query: {} });
    const line = entries.find(
      ({ action, target }) => action === 'evidence.create' && target === 'player.id:43',
    );
    assert.equal(line?.actor, `user ${viewer.email}`);
  });
});

/** Rewrites the entries, some changed, and keeps the signature. */
async function rewrite(
  change: (name: string, bytes: Buffer) => Buffer | null,
  added: [string, Buffer][] = [],
) {
  const list = function* () {
    for (const [name, bytes] of [...contents, ...added]) {
      const changed = change(name, bytes);
      if (changed !== null)
        yield {
          path: name,
          modifiedAt: new Date(0),
          bytes: (async function* () {
            yield changed;
          })(),
          sizeBytesMax: 1e6,
        };
    }
  };
  return Buffer.concat(await Array.fromAsync(writeZip(list())));
}

describe('verifying finds', () => {
  it('nothing in an original', async () => {
    const { problems, head, entries } = await verify(archive);
    assert.deepEqual(problems, []);
    assert.deepEqual([head?.query, entries], ['player.id:43', 6]);
  });

  it('any byte that was changed, added or removed', async () => {
    for (let at = 0; at < archive.length; at += 7) {
      const changed = Buffer.from(archive);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      assert.notDeepEqual((await verify(changed)).problems, [], `changed at ${at}`);
    }
    for (let at = 0; at <= archive.length; at += 211) {
      const [head, tail] = [archive.subarray(0, at), archive.subarray(at)];
      assert.notDeepEqual(
        (await verify(Buffer.concat([head, Buffer.from('x'), tail]))).problems,
        [],
        `added at ${at}`,
      );
      assert.notDeepEqual(
        (await verify(Buffer.concat([head, tail.subarray(1), Buffer.alloc(0)]))).problems,
        at === archive.length ? ['x'] : [],
        `removed at ${at}`,
      );
      assert.notDeepEqual(
        (await verify(Buffer.from(head))).problems,
        at === archive.length ? ['x'] : [],
        `ends at ${at}`,
      );
    }
  });

  const flip = (bytes: Buffer) =>
    Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]);
  const keep = (_name: string, bytes: Buffer) => bytes;
  const rows: readonly [title: string, make: () => Promise<Buffer>, sentence: RegExp][] = [
    ['a changed file', () => rewrite((name, bytes) => (name.includes('aux') ? flip(bytes) : bytes)), /^"files.*_aux\.png" was changed\.$/],
    ['changed entries', () => rewrite((name, bytes) => (name === 'entries.csv' ? flip(bytes) : bytes)), /^"entries\.csv" was changed\.$/],
    ['a missing file', () => rewrite((name, bytes) => (name.includes('(2)') ? null : bytes)), /\(2\)\.png" is missing\.$/],
    ['an added file', () => rewrite(keep, [['files/new.png', picture]]), /^"files\/new\.png" was added\.$/],
    ['a changed manifest', () => rewrite((name, bytes) => (name === 'manifest.json' ? Buffer.from(String(bytes).replace('43', '44')) : bytes)), /signature does not match/],
    ['no signature', () => rewrite((name, bytes) => (name === 'signature.json' ? null : bytes)), /^signature\.json is missing\.$/],
    ['an invalid signature', () => rewrite((name, bytes) => (name === 'signature.json' ? Buffer.from('[]') : bytes)), /contains no signature/],
    ['a signature with a space', () => rewrite((name, bytes) => (name === 'signature.json' ? Buffer.from(`${bytes} `) : bytes)), /^signature\.json was changed: the signature matches/],
    ['a signature of another manifest', () => rewrite((name, bytes) => (name === 'signature.json' ? Buffer.from(String(bytes).replace(/[0-9a-f]{64}/, '0'.repeat(64))) : bytes)), /^signature\.json was changed: the signature matches/],
    ['a signature in another spelling', () => rewrite((name, bytes) => (name === 'signature.json' ? Buffer.from(String(bytes).replace('"}', '=="}')) : bytes)), /^signature\.json was changed: the signature matches/],
    ['no manifest', () => rewrite((name, bytes) => (name === 'manifest.json' ? null : bytes)), /no manifest\.json/],
    ['only other times of files', () => rewrite(keep), /is not part of a file/],
    ['a duplicate name', () => rewrite(keep, [['index.html', picture]]), /two entries named "index\.html"|^"index/],
    ['not an archive', async () => Buffer.from('hello'), /not a ZIP archive/],
    ['nothing', async () => Buffer.alloc(0), /not a ZIP archive/],
  ]; // biome-ignore format: a table
  for (const [title, makeBytes, sentence] of rows)
    it(title, async () => {
      const { problems } = await verify(await makeBytes());
      assert.match(problems.join('\n'), sentence);
      assert.equal(problems.length, 1);
    });

  it('evidence of another installation, unless its key is trusted', async () => {
    const other = openEvidenceKey('another secret of some length').publicKey;
    assert.match((await verify(archive, other)).problems.join(), /another key/);
  });
});

describe('the command', () => {
  const environment = { TAPEDECK_DATA_DIR: service.dataDir };
  const run = (args: string[], own = environment) => runTapedeck(['evidence', ...args], own);
  const file = path.join(service.dataDir, 'evidence.zip');

  it('reports that an archive is unmodified, or what is wrong with it', async () => {
    await writeFile(file, archive);
    const good = await run(['verify', file]);
    assert.equal(good.exitCode, 0, good.complained);
    assert.match(good.printed, /is unchanged since/);
    await writeFile(file, archive.subarray(0, -1));
    const bad = await run(['verify', file, '--json']);
    assert.equal(bad.exitCode, 1);
    assert.equal((JSON.parse(bad.printed) as { valid: boolean }).valid, false); // the command prints this shape
  });

  it('accepts a key, and prints its own', async () => {
    await writeFile(file, archive);
    assert.equal((await run(['key'])).printed.trim(), key);
    const elsewhere = { TAPEDECK_DATA_DIR: path.join(service.dataDir, 'none') };
    assert.equal((await run(['verify', file, '--key', key], elsewhere)).exitCode, 0);
    for (const args of [
      ['verify', file],
      ['verify', file, '--key', 'x'],
      ['verify', `${file}x`, '--key', key],
      ['verify', service.dataDir, '--key', key],
    ])
      assert.equal((await run(args, elsewhere)).exitCode, 2, args.join(' '));
  });
});

describe('rejects', () => {
  const rows: readonly [BodyOf<typeof createEvidence>, string][] = [
    [{ query: 'a:' }, '400 query_invalid'],
    [{ query: '', from: 'yesterday' }, '400 invalid_field'],
    [{ dataset: 'a b' }, '400 invalid_field'],
    // Wrong on purpose.
    [{ query: 7 } as unknown as BodyOf<typeof createEvidence>, '400 invalid_field'],
  ];
  for (const [body, code] of rows)
    it(JSON.stringify(body), async () => {
      assert.equal(await viewer.refuse(createEvidence, { params, body }), code);
    });
  it('a user outside the project', async () => {
    const outsider = await addPerson(service);
    assert.equal(await outsider.refuse(createEvidence, { params, body: {} }), '404 not_found');
  });
});
