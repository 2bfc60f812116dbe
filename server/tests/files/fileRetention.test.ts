/** Retention rules: which files they delete and when, which are exempt, and how the sweeper and the command line apply them. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openBlobStore, openDiskReserve } from '@tapedeck/blob-stores';
import { deleteProject, updateProject } from '@tapedeck/contract/projects';
import { removeExpiredFiles } from '@tapedeck/domain/files/expiry';
import { openPublicFiles } from '@tapedeck/domain/files/publicFiles';
import { alwaysAvailable } from '@tapedeck/domain/operations/storeHealth';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { runTapedeck, tapedeck } from '../support/tapedeck.ts';
import {
  listTraces,
  makePicture,
  makeSound,
  mediaEnvironment,
  pathOf,
  readUsage,
  uploadFile,
} from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const environment = { TAPEDECK_DATA_DIR: service.dataDir };
const picture = await makePicture();
const sound = makeSound();
const day = 86_400_000;

type Outcome = {
  dryRun: boolean;
  now: string;
  projects: { project: string; files: number; bytes: number }[];
};
async function runRetention(...words: string[]): Promise<Outcome> {
  return JSON.parse(await tapedeck(['retention', 'run', '--json', ...words], environment)) as Outcome;
}
const inDays = (days: number) => new Date(Date.now() + days * day).toISOString();

const listNames = async (token: string): Promise<string> => {
  const response = await service.fetch('/api/v3/file?limit=100', { headers: { authorization: token } });
  const { data } = (await response.json()) as { data: { filename: string }[] };
  return data
    .map(({ filename }) => filename)
    .sort()
    .join(' ');
};

test('--dry-run counts without deleting, --now sets the time, and deleted files leave their URLs', async () => {
  await addProject(owner, 'plain');
  const { token } = await addToken(owner, { project: 'plain' });
  const { url } = await uploadFile(service, picture, { filename: 'due' }, { token });
  await uploadFile(service, picture, { filename: 'exempt', retentionExempt: 'true' }, { token });
  await uploadFile(service, sound, { filename: 'sound' }, { token });
  await tapedeck(['project', 'set', 'plain', '--retain', 'image=30d,audio=none'], environment);
  assert.deepEqual((await runRetention()).projects, []);
  assert.deepEqual((await runRetention('--now', inDays(29))).projects, []);
  const due = [{ project: 'plain', files: 1, bytes: picture.length }];
  const dry = await runRetention('--dry-run', '--now', inDays(31));
  assert.deepEqual([dry.dryRun, dry.projects], [true, due]);
  assert.equal(await listNames(token), 'due exempt sound');
  assert.deepEqual((await runRetention('--now', inDays(31))).projects, due);
  assert.deepEqual((await runRetention('--now', inDays(31))).projects, []);
  assert.equal(await listNames(token), 'exempt sound');
  const { blobs } = await listTraces(service);
  assert.equal(blobs.filter(at => at.includes('/plain/')).length, 2);
  assert.deepEqual(await readUsage(service, 'plain'), { files: 2, bytes: picture.length + sound.length });
  // Another process deleted it; this one notices within a second.
  for (let turn = 0; turn < 40 && (await service.fetch(pathOf(url))).status !== 404; turn += 1)
    await wait(25);
  assert.equal((await service.fetch(pathOf(url))).status, 404);
});

test('rejects text that is not an instant', async () => {
  const { exitCode, complained } = await runTapedeck(['retention', 'run', '--now', 'tomorrow'], environment);
  assert.notEqual(exitCode, 0);
  assert.match(complained, /--now/);
});

describe('rules by folder take precedence, the longest first', () => {
  const files: [string, string, Buffer][] = [
    ['root', '', picture],
    ['clip', 'clips', picture],
    ['clip-sound', 'clips', sound],
    ['deep', 'clips/keep/deep', picture],
    ['short', 'clips/short', picture],
    ['near', 'clipsx', picture],
    ['umlaut', '\u00fcber/100%_', picture],
    ['umlaut-near', '\u00fcber/100x_', picture],
  ];
  const rows: [string, object, number, string][] = [
    ['no rules', {}, 10_000, 'clip clip-sound deep near root short umlaut umlaut-near'],
    ['by type', { image: 1 }, 2, 'clip-sound'],
    [
      'a folder kept forever',
      { image: 1, folders: [{ path: 'clips', days: null }] },
      2,
      'clip clip-sound deep short',
    ],
    ['only a folder', { folders: [{ path: 'clips', days: 1 }] }, 2, 'near root umlaut umlaut-near'],
    [
      'nested folders',
      {
        image: 5,
        folders: [
          { path: 'clips', days: 3 },
          { path: 'clips/keep', days: null },
          { path: 'clips/short', days: 1 },
        ],
      },
      2,
      'clip clip-sound deep near root umlaut umlaut-near',
    ],
    [
      'later, by the rule of the parent',
      {
        image: 5,
        folders: [
          { path: 'clips', days: 3 },
          { path: 'clips/keep', days: null },
          { path: 'clips/short', days: 1 },
        ],
      },
      4,
      'deep near root umlaut umlaut-near',
    ],
    [
      'a folder longer than its type',
      { image: 1, folders: [{ path: 'clips', days: 5 }] },
      2,
      'clip clip-sound deep short',
    ],
    [
      'odd characters are literal',
      { folders: [{ path: '\u00fcber/100%_', days: 1 }] },
      2,
      'clip clip-sound deep near root short umlaut-near',
    ],
  ];
  for (const [index, [title, rules, days, left]] of rows.entries()) {
    test(title, async () => {
      const project = await addProject(owner, `rules${index}`);
      const { token } = await addToken(owner, { project });
      for (const [filename, path, bytes] of files)
        await uploadFile(service, bytes, { filename, path }, { token });
      const retention = { image: null, video: null, audio: null, folders: [], ...rules };
      await owner.call(updateProject, { params: { project }, body: { retention } });
      const { projects } = await runRetention('--now', inDays(days));
      assert.equal(await listNames(token), left);
      const removed = projects.find(each => each.project === project)?.files ?? 0;
      assert.equal(removed, files.length - left.split(' ').length);
      await owner.call(deleteProject, { params: { project } });
    });
  }
});

test('two concurrent runs delete each file once', async () => {
  const project = await addProject(owner, 'twice');
  const { token } = await addToken(owner, { project });
  for (let index = 0; index < 12; index += 1) await uploadFile(service, picture, {}, { token });
  const retention = { image: 1, video: null, audio: null, folders: [] };
  await owner.call(updateProject, { params: { project }, body: { retention } });
  const store = await service.openStore();
  await using blobs = await openBlobStore({ kind: 'disk', directory: `${service.dataDir}/media` }, Date.now);
  const reserve = await openDiskReserve(service.dataDir);
  const deps = {
    store,
    files: store.files,
    blobs,
    reserve,
    clock: service.clock,
    publicFiles: openPublicFiles(store.files, alwaysAvailable),
  };
  const { signal } = new AbortController();
  const run = { now: Date.now() + 2 * day, dryRun: false, signal };
  const runs = await Promise.all([removeExpiredFiles(deps, run), removeExpiredFiles(deps, run)]);
  const removed = runs.flat().filter(each => each.project === project);
  assert.equal(
    removed.reduce((sum, { files }) => sum + files, 0),
    12,
  );
  assert.deepEqual(await readUsage(service, project), { files: 0, bytes: 0 });
});
