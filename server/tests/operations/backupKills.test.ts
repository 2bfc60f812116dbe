/** Killed first backups: the next backup continues them, and a restore returns everything the backup lists. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { addPerson } from '../support/people.ts';
import { makeDirectory, startQuietService } from '../support/service.ts';
import { bundledCli, cleanEnvironment, runTapedeck, tapedeck } from '../support/tapedeck.ts';
import {
  makePicture,
  mediaEnvironment,
  mediaToken,
  type Uploaded,
  uploadFile,
} from '../support/uploading.ts';

await using opened = new AsyncDisposableStack();
const place = opened.use(await makeDirectory());
const service = opened.use(await startQuietService({ environment: mediaEnvironment }));
const running = opened.move();
after(() => running.disposeAsync());
const from = { TAPEDECK_DATA_DIR: service.dataDir };
const uploads = new Map<string, Buffer>();
const filesMin = 40;

async function upload(width: number): Promise<Uploaded> {
  const bytes = Buffer.concat([await makePicture(width), Buffer.alloc(20_000, width)]);
  const uploaded = await uploadFile(service, bytes);
  uploads.set(uploaded.id, bytes);
  return uploaded;
}

before(async () => {
  await addPerson(service, { isOwner: true });
  for (let index = 0; index < filesMin; index += 1) await upload(4 + index);
});

const listFiles = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []))
    .filter(entry => entry.isFile())
    .map(({ name, parentPath }) => path.relative(folder, path.join(parentPath, name)));

const triesMax = 10;

/** Kills a backup once its folder matches, and returns the folder. A backup that finished first is followed by another one. */
async function killBackup(moment: string, isReached: (names: string[]) => boolean): Promise<string> {
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const folder = path.join(place.path, `${moment} ${tries}`);
    await killOnce(folder, isReached);
    if ((await listFiles(folder)).includes('unfinished.json')) return folder;
  }
  throw new Error(`${triesMax} backups finished before they were killed.`);
}

async function killOnce(folder: string, isReached: (names: string[]) => boolean): Promise<void> {
  const child = spawn(process.execPath, [bundledCli, 'backup', folder], {
    env: { ...cleanEnvironment(), ...from },
    stdio: 'ignore',
  });
  const end = once(child, 'close');
  for (;;) {
    const names = await listFiles(folder);
    if (child.exitCode !== null || isReached(names)) break;
    await (names.length === 0 ? wait(2) : turn()); // the command is slow to load, but each later step is short
  }
  child.kill('SIGKILL');
  await end;
}

type Saved = { media: { files_saved: number; files_there_before: number; files_left_out: number } };

async function save(folder: string): Promise<Saved['media']> {
  // The command itself writes this.
  return (JSON.parse(await tapedeck(['backup', folder, '--json'], from)) as { parts: Saved }).parts.media;
}

/** Resolves to the number of restored files, after checking that each has its uploaded bytes. */
async function restore(folder: string, name: string): Promise<number> {
  const dataDir = path.join(place.path, name);
  const environment = { TAPEDECK_DATA_DIR: dataDir };
  await tapedeck(['restore', folder], environment);
  const { files, findings } = JSON.parse(await tapedeck(['verify', '--json'], environment));
  assert.deepEqual(findings, []); // verify compares hashes
  for (const file of await listFiles(path.join(dataDir, 'media'))) {
    const id = [...uploads.keys()].find(known => file.includes(known));
    if (id !== undefined)
      assert.deepEqual(await readFile(path.join(dataDir, 'media', file)), uploads.get(id));
  }
  return files;
}

const isMedia = (name: string) => name.startsWith('media/') && !name.endsWith('.draft');
const moments: [string, (names: string[]) => boolean][] = [
  ['begun', names => names.includes('unfinished.json')],
  ['with rows', names => names.some(name => name.startsWith('metadata/'))],
  ['with its first file', names => names.some(isMedia)],
  ['with half of the files', names => names.filter(isMedia).length >= filesMin / 2],
  ['with log entries', names => names.some(name => name.startsWith('logs/'))],
];

describe('a killed first backup', () => {
  for (const [moment, isReached] of moments) {
    it(moment, async () => {
      const folder = await killBackup(moment, isReached);
      const early = await runTapedeck(['restore', folder], {
        TAPEDECK_DATA_DIR: path.join(place.path, `early ${moment}`),
      });
      assert.match(early.complained, /is not finished: run `tapedeck backup` again/);
      const there = (await listFiles(folder)).filter(isMedia).length;
      const { files_saved, files_there_before } = await save(folder);
      assert.deepEqual([files_saved, files_there_before], [uploads.size - there, there]);
      assert.equal(await restore(folder, `restored ${moment}`), uploads.size);
      const left = await listFiles(folder);
      assert.deepEqual(
        left.filter(name => /unfinished|draft$/.test(name)),
        [],
      );
      assert.deepEqual((await save(folder)).files_saved, 0);
    });
  }
});

for (const name of ['unfinished.json', 'unfinished.json.draft']) {
  test(`a backup resumes where a power cut left only an empty ${name}`, async () => {
    const folder = path.join(place.path, `only ${name}`);
    await mkdir(folder);
    await writeFile(path.join(folder, name), '');
    assert.equal((await save(folder)).files_saved, uploads.size);
  });
}

test('another tool’s unfinished backup, and other files, are left alone', async () => {
  await using other = await startQuietService();
  const folder = await killBackup('foreign', names => names.includes('unfinished.json'));
  const refused = await runTapedeck(['backup', folder], { TAPEDECK_DATA_DIR: other.dataDir });
  assert.match(refused.complained, /needs a missing or empty folder/);
});

test('while files are added and removed, reports as many as a restore returns', async () => {
  const folder = path.join(place.path, 'busy');
  let width = 60;
  /** Runs until stopped, and does each kind at least once. */
  const changeFiles = async (stop: AbortSignal) => {
    for (const until = width + 3; !stop.aborted || width < until; width += 1) {
      const { id } = await upload(width);
      const deleted = width % 3 === 0 ? [...uploads.keys()][0]! : width % 3 === 1 ? id : null;
      if (deleted === null) continue;
      await service.fetch(`/api/v3/file/${deleted}`, {
        method: 'DELETE',
        headers: { authorization: mediaToken },
      });
    }
  };
  for (let round = 0; round < 3; round += 1) {
    const saved = new AbortController();
    const changing = changeFiles(saved.signal);
    const { files_saved, files_there_before, files_left_out } = await save(folder);
    saved.abort();
    await changing;
    const restored = await restore(folder, `busy ${round}`);
    assert.deepEqual([files_saved + files_there_before, files_left_out], [restored, 0]);
    const text = await tapedeck(['restore', folder], {
      TAPEDECK_DATA_DIR: path.join(place.path, `said ${round}`),
    });
    assert.ok(text.includes(` ${restored} files`), text);
  }
});
