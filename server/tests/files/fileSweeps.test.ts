/** Sweeps that go wrong: stopped midway, or blocked by bytes that cannot be removed. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFile, mkdir, rm, rmdir, utimes } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, describe, it, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openS3Blobs, s3Timeouts } from '@tapedeck/blob-stores';
import { startFaultyProxy } from '@tapedeck/blob-stores/faulty-proxy';
import { makeSweeper, type SweepDeps, type Sweeper } from '@tapedeck/domain/files/sweeping';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import { startTestService } from '../support/service.ts';
import { openPlaces } from '../support/sweepStores.ts';

const dayMs = 86_400_000;
const places = openPlaces();
after(() => places[Symbol.asyncDispose]());
const openPlace = places.open;

describe('a sweep with an aborted signal', () => {
  const rows = [
    ['of expired files', 'none'],
    ['of files of a deleted project', 'delete the project'],
  ] as const;
  for (const [title, change] of rows) {
    it(`${title} stops between two of them`, async () => {
      await using place = await openPlace(3, change);
      if (change === 'none') place.clock.advance(2 * dayMs);
      const stopping = new AbortController();
      const publicFiles = { forget: () => stopping.abort() };
      await makeSweeper({ ...place.deps, publicFiles }).sweepOften(stopping.signal);
      assert.equal((await place.listBlobs()).length, 2);
      await makeSweeper(place.deps).sweepOften(new AbortController().signal);
      assert.equal((await place.listBlobs()).length, 0, 'and the next one continues');
    });
  }

  const sweeps = [
    'finishDeletions',
    'sweepOften',
    'sweepDaily',
  ] as const satisfies readonly (keyof Sweeper)[];
  for (const sweep of sweeps) {
    it(`aborted before it began does nothing: ${sweep}`, async () => {
      await using place = await openPlace(3);
      const { deps, uploaded, clock } = place;
      await deps.files.remove(uploaded[0]!, clock.now());
      const [blob = ''] = await place.listBlobs();
      const orphan = blob.replace(/[^/]{20}\.png$/, 'orphan00000000000000.png');
      await copyFile(blob, orphan);
      await utimes(orphan, 1, 1);
      clock.advance(2 * dayMs);
      await makeSweeper(deps)[sweep](AbortSignal.abort());
      assert.equal((await place.listBlobs()).filter(at => !at.includes('quarantine')).length, 4);
    });
  }
});

test('bytes that cannot be removed block nothing else, and are removed once possible', async () => {
  await using place = await openPlace(4);
  const { deps, uploaded, clock, listBlobs } = place;
  const [stuck, waiting] = uploaded as [StoredFile, StoredFile]; // four were uploaded
  const at = (await listBlobs()).find(blob => blob.includes(stuck.id))!;
  await rm(at);
  await mkdir(path.join(at, 'planted'), { recursive: true });
  for (const file of [stuck, waiting]) assert.ok(await deps.files.remove(file, clock.now()));
  clock.advance(2 * dayMs); // the others are due
  {
    await using service = await startTestService({ dataDir: place.dataDir, clock });
    const isDone = async () => (await listBlobs()).length === 0;
    for (let turn = 0; turn < 600 && !(await isDone()); turn += 1) await wait(25);
    assert.deepEqual(await listBlobs(), []);
    const warnings = () => service.logged.filter(line => line.includes('Once the bytes of a deleted file'));
    for (let turn = 0; turn < 600 && warnings().length === 0; turn += 1) await wait(25);
    assert.equal(warnings().length, 1);
  }
  const listWaiting = async () => (await deps.files.listRemovals({ after: null, limit: 10 })).length;
  assert.equal(await listWaiting(), 1);
  await rmdir(path.join(at, 'planted'));
  await rmdir(at);
  await makeSweeper(deps).finishDeletions(new AbortController().signal);
  assert.equal(await listWaiting(), 0);
});

const offeredS3 = { bucket: 'b', region: 'r', accessKeyId: 'k', secretAccessKey: 's', forcePathStyle: true };

describe('bytes on an S3 that fails to remove them', () => {
  const sweep = (deps: SweepDeps) => makeSweeper(deps).finishDeletions(new AbortController().signal);

  it('are requested one by one while it rejects a single one, and the others are removed', async () => {
    await using place = await openPlace(3);
    const { files } = place.deps;
    for (const file of place.uploaded) assert.ok(await files.remove(file, place.clock.now()));
    const refused = place.uploaded[0]!.id;
    await using server = http.createServer(({ url = '' }, response) => {
      const isList = url.includes('list-type=2');
      const status = url.includes(refused) ? 403 : isList || /^\/b\/?$/.test(url) ? 200 : 404;
      response.writeHead(status).end(isList ? '<ListBucketResult></ListBucketResult>' : '');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on TCP
    await using blobs = openS3Blobs({ ...offeredS3, endpoint: `http://127.0.0.1:${port}` });
    await assert.rejects(sweep({ ...place.deps, blobs }), /Once the bytes of a deleted file/);
    const left = await files.listRemovals({ after: null, limit: 10 });
    assert.deepEqual(
      left.map(({ file }) => file.id),
      [refused],
    );
  });

  it('are left for the next run after the first failure when it is down', async () => {
    await using place = await openPlace(3);
    for (const file of place.uploaded) assert.ok(await place.deps.files.remove(file, place.clock.now()));
    await using away = await startFaultyProxy('http://127.0.0.1:9');
    away.plan('HEAD', [], 'cut before the answer');
    await using blobs = openS3Blobs({ ...offeredS3, endpoint: away.endpoint });
    await assert.rejects(sweep({ ...place.deps, blobs }), { code: 'blobs_unavailable' });
    assert.equal(away.seen.length, s3Timeouts.attemptsMax + 1, 'one removal, and one check');
  });
});

for (const [title, change] of [
  ['expired files', 'none'],
  ['files of a deleted project', 'delete the project'],
] as const) {
  test(`${title} disappear while S3 is down, and their bytes are removed later`, async () => {
    await using place = await openPlace(3, change);
    if (change === 'none') place.clock.advance(2 * dayMs);
    await using away = await startFaultyProxy('http://127.0.0.1:9');
    away.plan('HEAD', [], 'cut before the answer');
    await using blobs = openS3Blobs({ ...offeredS3, endpoint: away.endpoint });
    await makeSweeper({ ...place.deps, blobs }).sweepOften(new AbortController().signal);
    const found = await Promise.all(
      place.uploaded.map(({ project, id }) => place.deps.files.find(project, id)),
    );
    assert.deepEqual(found, [null, null, null]);
    assert.equal((await place.deps.files.listRemovals({ after: null, limit: 10 })).length, 3);
    assert.equal(away.seen.length, s3Timeouts.attemptsMax + 1, 'one removal, and one check');
  });
}

test('foreign or obstructing files do not keep orphans from being set aside and deleted', async () => {
  await using place = await openPlace(2);
  const { deps, uploaded, clock } = place;
  const { signal } = new AbortController();
  const blobs = await place.listBlobs();
  const [first = '', second = ''] = uploaded.map(({ id }) => blobs.find(blob => blob.includes(id)));
  const name = (at: string, id: string) => path.join(path.dirname(at), `${id}.png`);
  const [stuck, orphan] = [name(first, '0'.repeat(20)), name(second, '1'.repeat(20))];
  const aside = (at: string) => at.replace('/media/files/', '/media/quarantine/');
  for (const at of [stuck, orphan]) {
    await copyFile(first, at);
    await utimes(at, 1, 1);
  }
  await mkdir(path.join(aside(stuck), 'planted'), { recursive: true });
  const foreign = path.join(place.dataDir, 'media/quarantine/0-notes.txt');
  await copyFile(first, foreign);
  await utimes(foreign, 1, 1);
  const sweep = () => makeSweeper(deps).sweepDaily(signal);
  clock.advance(2 * dayMs); // the service swept while it ran
  await assert.rejects(sweep(), /Once bytes without a record could not be set aside/);
  const listed = async () => (await place.listBlobs()).filter(at => !blobs.includes(at)).sort();
  assert.deepEqual(await listed(), [stuck, foreign, aside(orphan)].sort());
  clock.advance(8 * dayMs);
  await assert.rejects(sweep());
  assert.deepEqual(await listed(), [stuck, foreign].sort());
});
