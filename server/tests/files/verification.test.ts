/** `tapedeck verify` compares rows with bytes in both directions, hashes included; it repairs only when told to and sets orphans aside. */
import assert from 'node:assert/strict';
import { copyFile, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { openBlobStore, openDiskReserve } from '@tapedeck/blob-stores';
import { readBlobSweep, sweepBlobs } from '@tapedeck/domain/files/blobSweep';
import { purgeQuarantine } from '@tapedeck/domain/files/orphans';
import { openPublicFiles } from '@tapedeck/domain/files/publicFiles';
import { finishRemovals } from '@tapedeck/domain/files/removal';
import type { Finding } from '@tapedeck/domain/files/verification';
import { keepInstallationId } from '@tapedeck/domain/operations/installation';
import { alwaysAvailable } from '@tapedeck/domain/operations/storeHealth';
import { changeDatabase, startTestService, type TestService } from '../support/service.ts';
import { runTapedeck } from '../support/tapedeck.ts';
import {
  makePicture,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readUsage,
  uploadFile,
} from '../support/uploading.ts';

const hourMs = 3_600_000;
const { signal } = new AbortController();

async function verify(service: TestService, ...words: string[]) {
  const environment = { TAPEDECK_DATA_DIR: service.dataDir };
  const { exitCode, printed, complained } = await runTapedeck(['verify', '--json', ...words], environment);
  assert.equal(complained, '');
  const { findings, files } = JSON.parse(printed) as { findings: Finding[]; files: number };
  return {
    exitCode,
    files,
    findings: findings.map(({ problem, repaired }) => `${problem}${repaired ? ' repaired' : ''}`),
  };
}

const list = async (service: TestService): Promise<string[]> => {
  const media = path.join(service.dataDir, 'media');
  return (await readdir(media, { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile() && entry.name !== 'installation')
    .map(entry => path.join(entry.parentPath, entry.name));
};
const find = async (service: TestService, id: string) => (await list(service)).find(at => at.includes(id))!;

async function openDeps(service: TestService, blobs: Awaited<ReturnType<typeof openBlobStore>>) {
  const { files } = await service.openStore();
  const reserve = await openDiskReserve(service.dataDir);
  const store = await service.openStore();
  const installationId = await keepInstallationId({ store });
  const { clock } = service;
  clock.advance(25 * hourMs); // the service swept when it started
  return {
    files,
    blobs,
    reserve,
    clock,
    store,
    installationId,
    publicFiles: openPublicFiles(files, alwaysAvailable),
  };
}
const openBlobs = (service: TestService) =>
  openBlobStore({ kind: 'disk', directory: path.join(service.dataDir, 'media') }, () => service.clock.now());

test('exits with 0 when all is well, also with variants', async () => {
  await using service = await startTestService({ environment: mediaEnvironment });
  const { url } = await uploadFile(service, await makePicture(400, 400));
  await service.fetch(`${pathOf(url)}?w=320`);
  assert.deepEqual(await verify(service), { exitCode: 0, files: 1, findings: [] });
});

test('finds missing, changed and surplus bytes, and changes them only with --repair', async () => {
  await using service = await startTestService({ environment: mediaEnvironment });
  const uploads = [];
  for (let index = 0; index < 4; index += 1)
    uploads.push(await uploadFile(service, await makePicture(10 + index, 10)));
  const [missing, flipped, cut, sound] = uploads.map(({ id }) => id);
  const places = await Promise.all([missing, flipped, cut, sound].map(id => find(service, id!)));
  await rm(places[0]!);
  const bytes = await readFile(places[1]!);
  bytes[40]! ^= 1;
  await writeFile(places[1]!, bytes);
  await writeFile(places[2]!, (await readFile(places[2]!)).subarray(0, 30));
  const orphan = places[3]!.replace(sound!, 'orphan00000000000000');
  await copyFile(places[3]!, orphan);
  const outsider = path.join(path.dirname(orphan), 'notes.txt');
  await writeFile(outsider, 'mine');

  const expected = ['damaged', 'damaged', 'foreign', 'missing', 'orphan'];
  for (let round = 0; round < 2; round += 1) {
    const { exitCode, findings } = await verify(service);
    assert.deepEqual([exitCode, findings.sort()], [1, expected]);
  }
  const { findings } = await verify(service, '--repair');
  assert.deepEqual(findings.sort(), [
    'damaged repaired',
    'damaged repaired',
    'foreign',
    'missing repaired',
    'orphan repaired',
  ]);
  await rm(outsider);
  assert.deepEqual(await verify(service), { exitCode: 0, files: 1, findings: [] });
  assert.equal((await readUsage(service)).files, 1);
  const quarantined = (await list(service)).filter(at => at.includes('quarantine'));
  assert.equal(quarantined.length, 3, 'no bytes are deleted');
  const kept = await service.fetch(`/api/v3/file/${sound}`, { headers: { authorization: mediaToken } });
  assert.equal(kept.status, 200);
});

test('says which folders and counts differ from the files, and rebuilds them while the service runs', async () => {
  await using service = await startTestService({ environment: mediaEnvironment });
  const { id } = await uploadFile(service, await makePicture(), { path: 'clips' });
  const stray = `SELECT project, 'gone', position, type FROM files WHERE id = '${id}'`;
  await changeDatabase(service, `INSERT INTO file_folders (project, folder, position, type) ${stray}`);
  await changeDatabase(service, "DELETE FROM file_folders WHERE folder = 'clips'");
  await changeDatabase(service, "UPDATE file_counts SET files = -1 WHERE folder = ''");
  await changeDatabase(service, 'UPDATE file_usage SET files = 5');
  await changeDatabase(service, 'UPDATE file_days SET files = 2');
  await changeDatabase(
    service,
    `INSERT INTO file_metadata (project, entry, position) VALUES ('default', 'gone', 7)`,
  );

  const environment = { TAPEDECK_DATA_DIR: service.dataDir };
  const read = async (...words: string[]) => {
    const { exitCode, printed } = await runTapedeck(['verify', ...words], environment);
    const lines = printed.split('\n').filter(line => /^(folder|project|count|metadata): /.test(line));
    return {
      exitCode,
      lines: lines.map(line => line.replace(/\d{4}-\d\d-\d\d/, 'DAY').replace(/\d+ bytes/g, 'N bytes')),
    };
  };
  const lines = [
    'folder: default/gone lists 1 file that is not in it',
    'folder: default/clips does not list 1 file that is in it',
    'project: default has wrong counts',
    'count: default, usage is 5 files and N bytes, but should be 1 file and N bytes',
    'count: default, uploads of DAY are 2 files and N bytes, but should be 1 file and N bytes',
    'metadata: default, searches find 1 file by metadata that it does not have',
  ];
  assert.deepEqual(await read(), { exitCode: 1, lines });
  assert.deepEqual(await read('--repair'), { exitCode: 0, lines: lines.map(line => `${line} (repaired)`) });
  assert.deepEqual(await read(), { exitCode: 0, lines: [] });
  const headers = { authorization: mediaToken, 'content-type': 'application/json' };
  const body = JSON.stringify({ path: 'gone' });
  const moved = await service.fetch(`/api/v3/file/${id}`, { method: 'PATCH', headers, body });
  assert.equal(moved.status, 200);
});

test('restores bytes that are in quarantine by mistake', async () => {
  await using service = await startTestService({ environment: mediaEnvironment });
  const { url } = await uploadFile(service, await makePicture());
  await using blobs = await openBlobs(service);
  for await (const { place } of blobs.list()) assert.ok(await blobs.quarantine(place, Date.now()));
  assert.deepEqual((await verify(service)).findings, ['missing']);
  assert.deepEqual((await verify(service, '--repair')).findings, ['missing repaired']);
  assert.equal((await service.fetch(pathOf(url))).status, 200);
});

test('sets orphans aside after an hour, and deletes them a week later', async () => {
  await using service = await startTestService({ environment: mediaEnvironment });
  const { id } = await uploadFile(service, await makePicture());
  const place = await find(service, id);
  const orphan = place.replace(id, 'orphan00000000000000');
  await copyFile(place, orphan);
  await using blobs = await openBlobs(service);
  const deps = await openDeps(service, blobs);
  const setTime = (at: number) => utimes(orphan, new Date(at), new Date(at));
  await setTime(service.clock.now());
  await sweepBlobs(deps, signal);
  assert.equal((await readBlobSweep(deps))?.due, 0, 'it may be an upload in progress');
  service.clock.advance(25 * hourMs);
  await setTime(service.clock.now() - 2 * hourMs);
  await sweepBlobs(deps, signal);
  assert.equal((await readBlobSweep(deps))?.setAside, 1);
  assert.equal((await list(service)).filter(at => at.includes('quarantine')).length, 1);
  assert.equal(await purgeQuarantine(deps, signal), 0);
  service.clock.advance(8 * 24 * hourMs);
  assert.equal(await purgeQuarantine(deps, signal), 1);
  assert.deepEqual((await list(service)).length, 1);
});

test('the next sweep finishes an interrupted removal', async () => {
  await using service = await startTestService({ environment: mediaEnvironment });
  const { id } = await uploadFile(service, await makePicture());
  await using blobs = await openBlobs(service);
  const deps = await openDeps(service, blobs);
  const file = (await deps.files.find('default', id))!;
  assert.equal(await deps.files.remove(file, Date.now()), true);
  assert.equal((await list(service)).length, 1, 'the process ended here');
  service.clock.advance(2 * hourMs);
  await sweepBlobs(deps, signal);
  assert.equal((await readBlobSweep(deps))?.due, 0, 'they are not orphans');
  assert.equal(await finishRemovals(deps, signal), 1);
  assert.deepEqual(await list(service), []);
  assert.deepEqual(await deps.files.listRemovals({ after: null, limit: 10 }), []);
});
