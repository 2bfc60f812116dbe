/** Files come back from a backup with their bytes, and what was wrong with them is not brought back. */
import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { changeByte } from './backups.ts';
import { addPerson } from './people.ts';
import { makeDirectory, startTestService } from './service.ts';
import { runTapedeck, tapedeck } from './tapedeck.ts';
import {
  makePicture,
  makeSound,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readRecord,
  readUsage,
  uploadFile,
} from './uploading.ts';

const findBlob = async (folder: string, id: string): Promise<string> => {
  const names = await readdir(folder, { recursive: true });
  return path.join(folder, names.find(name => name.includes(id))!);
};

test('backup and restore bring every file back, byte for byte', async () => {
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
  assert.deepEqual(saved.parts.media, { files_saved: 1, bytes_saved: sound.length, files_left_out: 2 });

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
  const gone = await restored.fetch(`/api/v3/file/${lost!.id}`, { headers: { authorization: mediaToken } });
  assert.equal(gone.status, 404);
  assert.deepEqual(await readUsage(restored), { files: 1, bytes: sound.length });
});

test('a backup whose bytes were changed is refused, and leaves the data directory empty', async () => {
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
