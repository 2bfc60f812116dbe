/** Tests uploading the same files again in a real browser: stored ones are skipped, different ones are not. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { listFiles } from '@tapedeck/contract/files';
import type { Locator, Page } from 'playwright-core';
import { withToken } from '../../server/tests/support/client.ts';
import { makeSound, mediaEnvironment, mediaToken } from '../../server/tests/support/uploading.ts';
import { type OpenedDashboard, openDashboard } from './openedDashboard.ts';
import { findBroken } from './screenReaderRules.ts';
import { press } from './steps.ts';

const filesPath = '/projects/default/files';
const pieceWise = makeSound({ seconds: 4_300, tone: 1 }); // 34 MB: more than the limit for the browser's own digest

let opened: OpenedDashboard;
let page: Page;
let place: string;
/** Uploads begun. */
let sent = 0;

before(async () => {
  place = await mkdtemp(path.join(tmpdir(), 'tapedeck-duplicates-'));
  const environment = { ...mediaEnvironment, TAPEDECK_FILE_SIZE_MAX: '40MiB' };
  opened = await openDashboard({ environment, prepare: async () => filesPath });
  page = opened.page;
  page.on('request', request => {
    if (request.method() === 'POST' && /\/files$|\/resumable$/.test(request.url())) sent++;
  });
});

after(async () => {
  await opened?.[Symbol.asyncDispose]();
  await rm(place, { recursive: true });
});

const tray = (): Locator => page.getByRole('region', { name: 'Uploads' });
const line = (name: string): Locator => tray().getByRole('listitem').filter({ hasText: name });

/** `tone` makes files of the same size differ. */
type Sound = readonly [name: string, tone: number];

/** Resolves, once all uploads ended, to the number of files sent. */
async function choose(sounds: readonly Sound[], told: string): Promise<number> {
  const before = sent;
  const files = sounds.map(([name, tone]) => ({ name, mimeType: 'audio/wav', buffer: makeSound({ tone }) }));
  await page.locator('main input[type=file]').setInputFiles(files);
  await tray().getByText(told, { exact: true }).waitFor();
  return sent - before;
}

async function listNames(): Promise<string[]> {
  const { data } = await withToken(opened.service, mediaToken).call(listFiles);
  return data.map(({ filename }) => filename).toSorted();
}

test('skips files that are chosen again and uploads those that differ', async () => {
  assert.equal(
    await choose(
      [
        ['a.wav', 1],
        ['b.wav', 2],
        ['c.wav', 3],
      ],
      '3 files uploaded',
    ),
    3,
  );
  await press(page, 'Clear');
  const again: Sound[] = [
    ['a.wav', 1],
    ['b.wav', 9],
    ['c.wav', 3],
    ['d.wav', 1],
  ];
  assert.equal(await choose(again, '2 files uploaded'), 2);
  await tray().getByText('2 of 4 files were already here, skipped').waitFor();
  await line('a.wav').getByText('Already here, skipped').waitFor();
  assert.deepEqual(await listNames(), ['a.wav', 'b.wav', 'b.wav', 'c.wav', 'd.wav']);
  assert.deepEqual(await findBroken(page), []);
});

test('links a skipped file to the stored one, and uploads it anyway when requested', async () => {
  await line('a.wav').getByRole('link').click();
  await page.getByRole('dialog', { name: 'a.wav' }).waitFor();
  await page.keyboard.press('Escape');
  await press(page, 'Upload a.wav anyway');
  await tray().getByText('1 of 4 files was already here, skipped').waitFor();
  await press(page, 'Upload anyway');
  await tray().getByText('4 files uploaded', { exact: true }).waitFor();
  assert.deepEqual(await listNames(), ['a.wav', 'a.wav', 'b.wav', 'b.wav', 'c.wav', 'c.wav', 'd.wav']);
  await press(page, 'Clear');
});

test('considers the open folder and the trash when looking for duplicates', async () => {
  await page.goto(`${filesPath}?path=inner`);
  assert.equal(await choose([['a.wav', 1]], '1 file uploaded'), 1);
  await press(page, 'Clear');
  assert.equal(await choose([['a.wav', 1]], '1 file skipped'), 0);
  await press(page, 'Clear');
  await page.getByRole('listbox', { name: 'Files' }).getByRole('option').first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Move to trash' }).click();
  await page.waitForURL(url => !url.searchParams.has('file'));
  assert.equal(await choose([['a.wav', 1]], '1 file uploaded'), 1);
  await press(page, 'Clear');
});

test('uploads files when the service cannot be asked about duplicates', async () => {
  await page.route('**/files/matches', route => route.fulfill({ status: 500, json: {} }));
  assert.equal(await choose([['a.wav', 1]], '1 file uploaded'), 1);
  await page.unroute('**/files/matches');
  await press(page, 'Clear');
});

test('skips a large file that is chosen again', async () => {
  const file = path.join(place, 'large.wav');
  await writeFile(file, pieceWise);
  for (const told of ['1 file uploaded', '1 file skipped']) {
    await page.locator('main input[type=file]').setInputFiles(file);
    await tray().getByText(told, { exact: true }).waitFor();
    await press(page, 'Clear');
  }
});
