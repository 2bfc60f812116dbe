/** A restore fills a data directory completely or not at all, and leaves alone what it has not written. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { fillDataDirectory, finishRestore } from '../../src/stores/dataDirectory/dataDraft.ts';
import { changeByte, makeBackup } from '../support/backups.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { runTapedeck, tapedeck } from '../support/tapedeck.ts';

const backup = await makeBackup();
after(() => backup[Symbol.asyncDispose]());

const restoreInto = (dataDir: string) =>
  runTapedeck(['restore', backup.folder], { TAPEDECK_DATA_DIR: dataDir });

async function assertRestored(dataDir: string): Promise<void> {
  const verified = JSON.parse(await tapedeck(['verify', '--json'], { TAPEDECK_DATA_DIR: dataDir }));
  assert.deepEqual([verified.files, verified.findings, verified.logs.entries], [1, [], 1]);
  assert.ok((await readdir(dataDir)).every(name => !name.startsWith('.')));
}

/** Writes a file as another program, as soon as the restore has begun. */
async function restoreBesideOthers(dataDir: string): Promise<string> {
  const watcher = watch(dataDir, { persistent: false });
  const written = once(watcher, 'change').then(() => writeFile(path.join(dataDir, 'theirs'), 'theirs'));
  const { exitCode, complained } = await restoreInto(dataDir);
  await written;
  assert.equal(exitCode, 1);
  assert.deepEqual(await readdir(dataDir), ['theirs']);
  assert.equal(await readFile(path.join(dataDir, 'theirs'), 'utf8'), 'theirs');
  return complained;
}

test('concurrent writes of others stay, and are never mixed with restored data', async () => {
  await using place = await makeDirectory();
  assert.match(await restoreBesideOthers(place.path), /holds theirs; restore into an empty one\.\n$/);
  await rm(path.join(place.path, 'theirs'));
  await backup.damage();
  assert.match(await restoreBesideOthers(place.path), /backup is damaged/);
  assert.match((await restoreInto(place.path)).complained, /holds theirs/);
  assert.deepEqual(await readdir(place.path), ['theirs']);
  await rm(path.join(place.path, 'theirs'));
  await backup.mend();
  assert.equal((await restoreInto(place.path)).exitCode, 0);
  await assertRestored(place.path);
});

/** Ways to damage a backup in transit. File names are relative. */
const damages: [string, (at: (name: string) => string) => Promise<unknown>][] = [
  ['the log entries are missing', at => rm(at('logs/0.native.zst'))],
  ['all of the logs are missing', at => rm(at('logs'), { recursive: true })],
  ['the rows are truncated', at => truncate(at('metadata/rows.ndjson'), 300)],
  ['a row was changed', at => changeByte(at('metadata/rows.ndjson'))],
  ['the rows are missing', at => rm(at('metadata/rows.ndjson'))],
  ['the checksum of the rows is missing', at => rm(at('metadata/rows.ndjson.sha256'))],
  ['the secret is empty', at => truncate(at('secret/secret'))],
  ['the secret was changed', at => changeByte(at('secret/secret'))],
  ['a file is missing', async at => rm(at(await findMedium(at('media'))))],
];
for (const [name, damage] of damages) {
  test(`rejects a backup, and fills nothing, when ${name}`, async () => {
    await using place = await makeDirectory();
    const folder = path.join(place.path, 'backup');
    await cp(backup.folder, folder, { recursive: true });
    await damage(inside => path.join(folder, inside));
    const dataDir = path.join(place.path, 'restored');
    const { exitCode, complained } = await runTapedeck(['restore', folder], { TAPEDECK_DATA_DIR: dataDir });
    assert.equal(exitCode, 1);
    assert.match(complained, /^The backup is damaged: .*\.\n$/);
    assert.deepEqual(await readdir(dataDir).catch(() => []), []);
  });
}

async function findMedium(folder: string): Promise<string> {
  const [group = ''] = await readdir(folder);
  const [name = ''] = await readdir(path.join(folder, group));
  return path.join('media', group, name);
}

test('rejects a backup of another version', async () => {
  await using place = await makeDirectory();
  await writeFile(path.join(place.path, 'manifest.json'), '{"format":1,"parts":{}}');
  const dataDir = path.join(place.path, 'restored');
  const { complained } = await runTapedeck(['restore', place.path], { TAPEDECK_DATA_DIR: dataDir });
  assert.match(complained, /was made by another version of Tapedeck; restore it with that one\.\n$/);
});

test('fills the existing directory instead of replacing it, for it may be a mount point', async () => {
  await using place = await makeDirectory();
  const { ino } = await stat(place.path);
  assert.equal((await restoreInto(place.path)).exitCode, 0);
  assert.equal((await stat(place.path)).ino, ino);
  await assertRestored(place.path);
});

test('a power cut while restored parts are moved into place leaves nothing half done', async () => {
  await using place = await makeDirectory();
  assert.equal((await restoreInto(place.path)).exitCode, 0);
  const own = path.join(place.path, '.restoring');
  const names = await readdir(place.path);
  await mkdir(path.join(own, 'draft'), { recursive: true });
  await writeFile(path.join(own, 'complete'), '');
  for (const name of names.filter((_, index) => index % 2 === 0))
    await rename(path.join(place.path, name), path.join(own, 'draft', name));
  await finishRestore(place.path); // as every start does
  await assertRestored(place.path);
  assert.deepEqual((await readdir(place.path)).sort(), names.sort());
});

test('a running restore locks out others, even with its process id; cleans up after a killed one', async () => {
  await using place = await makeDirectory();
  const held = Promise.withResolvers<string>();
  const leave = Promise.withResolvers<void>();
  const first = fillDataDirectory(place.path, async draft => {
    await writeFile(path.join(draft, 'restored'), '');
    held.resolve(draft);
    await leave.promise;
  });
  const draft = await held.promise;
  const refusal = { code: 'unavailable', message: /^Another restore into .* is under way/ };
  await assert.rejects(
    fillDataDirectory(place.path, async () => {}),
    refusal,
  );
  assert.match((await restoreInto(place.path)).complained, refusal.message);
  assert.deepEqual(await readdir(draft), ['restored']);
  const running = { code: 'unavailable', message: /^A restore into .* is under way; wait until it ends\.$/ };
  await assert.rejects(startTestService({ dataDir: place.path }), running);
  leave.resolve();
  await first;
  assert.deepEqual(await readdir(place.path), ['restored']);

  await rm(path.join(place.path, 'restored'));
  await mkdir(path.join(draft, 'media'), { recursive: true });
  const unfinished = /is not finished: run `tapedeck restore` again/;
  await assert.rejects(startTestService({ dataDir: place.path }), { message: unfinished });
  const environment = { TAPEDECK_DATA_DIR: place.path };
  assert.match((await runTapedeck(['token', 'list'], environment)).complained, unfinished);
  assert.deepEqual(await readdir(place.path), ['.restoring'], 'so the restore can be repeated');
  assert.equal((await restoreInto(place.path)).exitCode, 0);
  await assertRestored(place.path);
});
