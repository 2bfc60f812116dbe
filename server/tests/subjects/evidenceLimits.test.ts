/** Evidence limited to entries or files, to pictures, to a level or a time: it states the limits, and verifies. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createEvidence } from '@tapedeck/contract/evidence';
import type { BodyOf } from '@tapedeck/contract/route';
import { openEvidenceKey } from '@tapedeck/domain/subjects/evidence/signing';
import { verifyEvidence } from '@tapedeck/domain/subjects/evidence/verification';
import { listStoredEntries } from '@tapedeck/zip-archives';
import { keepSecret } from '../../src/stores/dataDirectory/secretFile.ts';
import { openLogClient } from '../support/logSender.ts';
import { addPerson } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { makePicture, makeSound, mediaEnvironment, uploadFile } from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const { store } = await openLogClient(service);
const params = { project: 'default' };
const viewer = await addPerson(service, { roles: { default: 'viewer' } });
const key = openEvidenceKey(await keepSecret(service.dataDir)).publicKey;

const metadata = { player: { id: 43 } };
await store(
  [
    { level: 'error', message: 'crashed', metadata },
    { level: 'info', message: 'joined', metadata },
    { level: 'error', message: 'somebody else', metadata: { player: { id: 44 } } },
  ],
  'one',
);
const fields = { metadata: JSON.stringify(metadata) };
for (const bytes of [await makePicture(), await makePicture(), makeSound()])
  await uploadFile(service, bytes, fields);
service.clock.advance(1000);

type Order = BodyOf<typeof createEvidence>;

async function make(body: Order) {
  const response = await viewer.send(createEvidence, { params, body });
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, bytes.toString().slice(0, 500));
  const read = async (at: number, length: number) => Buffer.from(bytes.subarray(at, at + length));
  const source = { sizeBytes: bytes.length, read };
  assert.deepEqual((await verifyEvidence(source, key)).problems, []);
  const entries = await listStoredEntries(source);
  const find = (path: string) => {
    const entry = entries.find(each => each.path === path);
    return entry === undefined
      ? ''
      : bytes.toString('utf8', entry.startsAt, entry.startsAt + entry.sizeBytes);
  };
  return { paths: entries.map(({ path }) => path), find };
}

const everything = { query: 'player.id:43' };
const nothingYet = { to: '2020-01-01T00:00:00Z' };
const rows: readonly [what: string, body: Order, bodies: string[], files: number][] = [
  ['nothing', everything, ['crashed', 'joined'], 3],
  ['entries', { ...everything, kind: 'entry' }, ['crashed', 'joined'], 0],
  ['files', { ...everything, kind: 'file' }, [], 3],
  ['pictures', { query: 'player.id:43 type:image' }, [], 2],
  ['clips', { query: 'player.id:43 type:video' }, [], 0],
  ['a level', { query: 'player.id:43 level:error' }, ['crashed'], 0],
  ['files of a level, which have none', { query: 'player.id:43 level:error', kind: 'file' }, [], 0],
  ['a time before all entries', { ...everything, ...nothingYet }, [], 0],
];
const descriptions = { entry: 'log entries alone', file: 'files alone' };

describe('an archive that is limited to', () => {
  for (const [what, body, bodies, files] of rows)
    it(what, async () => {
      const { paths, find } = await make(body);
      const lines = find('entries.ndjson').split('\n').filter(Boolean);
      // Exports write this shape.
      const found = lines.map(line => (JSON.parse(line) as { body: string }).body);
      assert.deepEqual(found.toSorted(), bodies);
      assert.equal(find('entries.csv').trim().split('\r\n').length, bodies.length + 1);
      assert.equal(paths.filter(path => path.startsWith('files/')).length, files);
      // Compared here.
      const manifest = JSON.parse(find('manifest.json')) as { query: string; kind: unknown };
      assert.deepEqual([manifest.query, manifest.kind], [body.query, body.kind ?? null]);
      const description = body.kind === undefined ? 'log entries and files' : descriptions[body.kind];
      assert.ok(find('index.html').includes(description), description);
    });
});

it('rejects an unknown kind', async () => {
  // Wrong on purpose.
  const body = { query: '', kind: 'picture' } as unknown as Order;
  assert.equal(await viewer.refuse(createEvidence, { params, body }), '400 invalid_field');
});
