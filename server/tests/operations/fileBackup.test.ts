/** A restore returns files with their bytes, and leaves out damaged ones. */
import assert from 'node:assert/strict';
import { cp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { changeByte } from '../support/backups.ts';
import { addPerson } from '../support/people.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { runTapedeck, tapedeck } from '../support/tapedeck.ts';
import {
  makePicture,
  makeSound,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readRecord,
  readUsage,
  uploadFile,
} from '../support/uploading.ts';

const findBlob = async (folder: string, id: string): Promise<string> => {
  const names = await readdir(folder, { recursive: true });
  return path.join(folder, names.find(name => name.includes(id))!);
};

test('backup and restore return every file, byte for byte', async () => {
  await using service = await startTestService({ environment: mediaEnvironment });
  await using place = await makeDirectory();
  await addPerson(service, { isOwner: true });
  const contents = [await makePicture(), makeSound({ seconds: 300 }), await makePicture(9, 9)];
  const sound = contents[1]!;
  const uploads = [];
  for (const bytes of contents)
    uploads.push(await uploadFile(service, bytes, { path: 'a/b', metadata: '{"k":1}' }));
  const [lost, kept, damaged] = uploads;
  await service.fetch(`${pathOf(lost!.url)}?w=320`);
  await rm(await findBlob(path.join(service.dataDir, 'media'), lost!.id));
  await writeFile(await findBlob(path.join(service.dataDir, 'media'), damaged!.id), 'damaged');

  const folder = path.join(place.path, 'backup');
  const from = { TAPEDECK_DATA_DIR: service.dataDir };
  const saved = JSON.parse(await tapedeck(['backup', folder, '--json'], from)) as {
    parts: { media: object };
  };
  assert.deepEqual(saved.parts.media, {
    files_saved: 1,
    bytes_saved: sound.length,
    files_there_before: 0,
    files_left_out: 2,
  });

  const dataDir = path.join(place.path, 'restored');
  await tapedeck(['restore', folder], { TAPEDECK_DATA_DIR: dataDir });
  assert.deepEqual(
    JSON.parse(await tapedeck(['verify', '--json'], { TAPEDECK_DATA_DIR: dataDir })).findings,
    [],
  );
  await using restored = await startTestService({ environment: mediaEnvironment, dataDir });
  const record = await readRecord(restored, kept!.id);
  assert.deepEqual([record.path, record.metadata], ['a/b', { k: 1 }]);
  const read = await restored.fetch(pathOf(kept!.url));
  assert.deepEqual(Buffer.from(await read.arrayBuffer()), sound);
  const notFound = await restored.fetch(`/api/v3/file/${lost!.id}`, {
    headers: { authorization: mediaToken },
  });
  assert.equal(notFound.status, 404);
  assert.deepEqual(await readUsage(restored), { files: 1, bytes: sound.length });
});

test('rejects a backup with changed bytes, and leaves the data directory empty', async () => {
  await using service = await startTestService({ environment: mediaEnvironment });
  await using place = await makeDirectory();
  const { id } = await uploadFile(service, await makePicture());
  const folder = path.join(place.path, 'backup');
  await tapedeck(['backup', folder], { TAPEDECK_DATA_DIR: service.dataDir });
  await changeByte(await findBlob(path.join(folder, 'media'), id));
  const dataDir = path.join(place.path, 'restored');
  const { exitCode, complained } = await runTapedeck(['restore', folder], { TAPEDECK_DATA_DIR: dataDir });
  assert.equal(exitCode, 1);
  assert.match(complained, /backup is damaged/);
  assert.deepEqual(await readdir(dataDir), []);
});

test('the next backup to the same folder writes only new files, and removes deleted ones', async () => {
  await using service = await startTestService({ environment: mediaEnvironment });
  await using place = await makeDirectory();
  const folder = path.join(place.path, 'backup');
  const from = { TAPEDECK_DATA_DIR: service.dataDir };
  const save = async () => {
    const { parts } = JSON.parse(await tapedeck(['backup', folder, '--json'], from));
    const { files_saved, files_there_before } = parts.media;
    return [files_saved, files_there_before];
  };
  const uploads = [];
  for (let width = 4; width < 8; width += 1)
    uploads.push(await uploadFile(service, await makePicture(width)));
  assert.deepEqual(await save(), [4, 0]);
  const kept = await findBlob(path.join(folder, 'media'), uploads[1]!.id);
  const { mtimeMs } = await stat(kept);

  const deleted = uploads[0]!;
  await service.fetch(`/api/v3/file/${deleted.id}`, {
    method: 'DELETE',
    headers: { authorization: mediaToken },
  });
  uploads.push(await uploadFile(service, await makePicture(20)));
  // What a killed backup leaves, before and after writing its manifest.
  await writeFile(`${kept}.draft`, 'half');
  await cp(path.join(folder, 'metadata'), path.join(folder, 'metadata-2'), { recursive: true });
  assert.deepEqual(await save(), [1, 3]);
  assert.equal((await stat(kept)).mtimeMs, mtimeMs);
  const names = await readdir(folder, { recursive: true });
  assert.deepEqual(
    names.filter(name => name.includes(deleted.id) || name.endsWith('.draft') || name === 'metadata'),
    [],
  );
  assert.deepEqual(await save(), [0, 4]);

  const dataDir = path.join(place.path, 'restored');
  await tapedeck(['restore', folder], { TAPEDECK_DATA_DIR: dataDir });
  const { files, findings } = JSON.parse(
    await tapedeck(['verify', '--json'], { TAPEDECK_DATA_DIR: dataDir }),
  );
  assert.deepEqual([files, findings], [4, []]);

  await rm(await findBlob(path.join(folder, 'media'), uploads[2]!.id));
  const missing = await runTapedeck(['restore', folder], {
    TAPEDECK_DATA_DIR: path.join(place.path, 'again'),
  });
  assert.match(missing.complained, /^The backup is damaged: .* holds 3 files .* where 4 of/);
  assert.deepEqual(await save(), [1, 3]);

  await using other = await startTestService();
  const foreign = await runTapedeck(['backup', folder], { TAPEDECK_DATA_DIR: other.dataDir });
  assert.match(foreign.complained, /holds a backup of another installation; name another folder\.\n$/);
  const taken = await runTapedeck(['backup', place.path], from);
  assert.match(
    taken.complained,
    /needs a missing or empty folder, or one with an earlier backup of this installation; .* holds /,
  );
});
