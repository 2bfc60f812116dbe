/** Stores belong to one installation: another installation is refused unless a command lets it take them over. */
import assert from 'node:assert/strict';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { makeDirectory, startTestService } from '../support/service.ts';
import { runTapedeck, tapedeck } from '../support/tapedeck.ts';
import { makePicture, mediaEnvironment, uploadFile } from '../support/uploading.ts';

const picture = await makePicture();

async function fill(dataDir: string): Promise<void> {
  await using service = await startTestService({ dataDir, environment: mediaEnvironment });
  await uploadFile(service, picture);
}

/** Fails if the start is refused. */
async function start(dataDir: string): Promise<void> {
  await using _service = await startTestService({ dataDir });
}

const at = (dataDir: string) => ({ TAPEDECK_DATA_DIR: dataDir });
const readMark = async (directory: string) =>
  (await readFile(path.join(directory, 'installation'), 'utf8')).trim();

/** Gives one installation's media to the other, as if both named the same bucket. */
async function moveMedia(dataDir: string, other: string): Promise<void> {
  await rm(path.join(other, 'media'), { recursive: true, force: true });
  await rename(path.join(dataDir, 'media'), path.join(other, 'media'));
}

const refusal = {
  message: /^The folder \S+media belongs to the installation \w{20}, .* run `tapedeck adopt`/,
};

test("a restored copy does not use the original's media, until it takes them over", async () => {
  await using place = await makeDirectory();
  const [original, restored, backup] = ['original', 'restored', 'backup'].map(name =>
    path.join(place.path, name),
  ) as [string, string, string]; // there are three
  await fill(original);
  await tapedeck(['backup', backup], at(original));
  await tapedeck(['restore', backup], at(restored));
  await start(restored); // starts beside the original without further steps
  const [mark, other] = [await readMark(original), await readMark(restored)];
  assert.notEqual(mark, other);
  await moveMedia(original, restored);
  await assert.rejects(start(restored), refusal);
  for (const words of [
    ['retention', 'run'],
    ['verify', '--repair'],
  ])
    assert.match((await runTapedeck(words, at(restored))).complained, /belongs to the installation/);

  const looked = JSON.parse(await tapedeck(['adopt', '--dry-run', '--json'], at(restored)));
  assert.deepEqual(
    looked.stores.map(({ belongedTo, changed }: { belongedTo: string; changed: boolean }) => [
      belongedTo,
      changed,
    ]),
    [
      [other, false],
      [mark, true],
      [other, false],
    ],
  );
  assert.equal(await readMark(path.join(restored, 'media')), mark, 'nothing was changed');
  assert.match(await tapedeck(['adopt'], at(restored)), new RegExp(`belonged to ${mark}, is now this`));
  await start(restored);
  await moveMedia(restored, original);
  await assert.rejects(start(original), refusal);
});

test('unmarked media are accepted if the records know them, and not by a new database', async () => {
  await using place = await makeDirectory();
  await using fresh = await makeDirectory();
  await fill(place.path);
  const mark = path.join(place.path, 'media/installation');
  await rm(mark);
  await moveMedia(place.path, fresh.path);
  await assert.rejects(start(fresh.path), {
    message: /holds data that the database does not know, and no mark/,
  });
  assert.equal((await readdir(path.join(fresh.path, 'media'))).includes('installation'), false);
  await moveMedia(fresh.path, place.path);
  await start(place.path);
  assert.equal(await readMark(path.join(place.path, 'media')), await readMark(place.path));
});

test('a new database does not use the journal and entries of a lost one until adopted', async () => {
  await using place = await makeDirectory();
  await fill(place.path);
  for (const name of await readdir(place.path))
    if (name.startsWith('tapedeck.db')) await rm(path.join(place.path, name));
  await assert.rejects(start(place.path), { message: /^The data directory \S+ belongs to the installation/ });
  await tapedeck(['adopt'], at(place.path));
  await start(place.path);
});
