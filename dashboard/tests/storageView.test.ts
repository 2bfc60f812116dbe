/** Tests the storage view in a real browser: bytes by type and folder, as areas and tables, and a folder's ZIP. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, test } from 'node:test';
import {
  makePicture,
  makeSound,
  mediaEnvironment,
  uploadFile,
} from '../../server/tests/support/uploading.ts';
import { openDashboard } from './openedDashboard.ts';
import { findMisfits } from './phone.ts';
import { findBroken } from './screenReaderRules.ts';
import { press, readSearch } from './steps.ts';

const filesPath = '/projects/default/files';
const sound = (seconds: number) => makeSound({ seconds });
const opened = await openDashboard({
  environment: mediaEnvironment,
  prepare: async ({ service }) => {
    await uploadFile(service, sound(20), { filename: 'long.wav', path: 'old talks' });
    await uploadFile(service, sound(10), { filename: 'short.wav', path: 'old talks/day 1' });
    await uploadFile(service, sound(2), { filename: 'short.wav', path: 'old talks too' });
    await uploadFile(service, await makePicture(40, 30), { filename: 'same.png', path: 'shots' });
    await uploadFile(service, await makePicture(40, 31), { filename: 'same.png', path: 'shots' });
    await uploadFile(service, await makePicture(40, 32), { filename: 'outside.png' });
    return filesPath;
  },
});
after(() => opened[Symbol.asyncDispose]());
const { page } = opened;
const rows = async (table: string) => {
  const found = page.getByRole('table', { name: table }).getByRole('row');
  await found.nth(1).waitFor();
  const texts = await found.evaluateAll(all =>
    all.map(row =>
      [...row.children].map(cell => cell.textContent?.trim().replace(/^(Type|Folder|Files)/, '') ?? ''),
    ),
  );
  return texts.slice(1).map(([name, files]) => [name, files]);
};
const areas = (title: string) => page.getByRole('list', { name: `${title}, as areas` }).getByRole('listitem');

test('shows types and folders with exact counts, as areas and as tables', async () => {
  await press(page, 'Storage');
  assert.deepEqual(await rows('By type'), [
    ['Images', '3'],
    ['Audio', '3'],
  ]);
  assert.deepEqual(await rows('By folder'), [
    ['old talks', '2'],
    ['old talks too', '1'],
    ['shots', '2'],
    ['Files outside folders', '1'],
  ]);
  assert.equal(await areas('By folder').count(), 4);
  assert.match((await areas('By folder').first().textContent()) ?? '', /^old talks2 files, /);
  const widths = await areas('By folder').evaluateAll(all =>
    all.map(tile => tile.clientWidth * tile.clientHeight),
  );
  assert.ok(widths[0]! > widths[1]! * 5, 'areas are as bytes are');
  assert.deepEqual(await findBroken(page), []);
  assert.equal(readSearch(page).view, 'storage');
});

test('leaves room for the table beside the areas on a large screen', async () => {
  const { width, height } = page.viewportSize() ?? { width: 1280, height: 860 };
  await page.setViewportSize({ width: 1920, height: 1080 });
  const area = await page.getByRole('list', { name: 'By type, as areas' }).boundingBox();
  assert.ok(area && area.width > 1_000 && area.height > 200 && area.height < 340, JSON.stringify(area));
  await page.setViewportSize({ width, height });
});

test('lists the subfolders of a folder and the files directly in it', async () => {
  await page.getByRole('link', { name: 'Look inside old talks', exact: true }).click();
  await page.getByRole('table', { name: 'By folder' }).getByText('day 1').first().waitFor();
  assert.deepEqual(await rows('By folder'), [
    ['Directly in this folder', '1'],
    ['day 1', '1'],
  ]);
  assert.equal(readSearch(page).path, 'old talks');
});

test('opens the files of an area by keyboard, and downloads a folder with blanks as a ZIP', async () => {
  await page.goto(`${filesPath}?view=storage`);
  await areas('By folder').first().getByRole('link').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('listbox', { name: 'Files' }).getByText('long.wav').first().waitFor();
  assert.equal(readSearch(page).path, 'old talks');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'ZIP of 2 files' }).click();
  const names = execFileSync('unzip', ['-Z1', await (await download).path()], { encoding: 'utf8' });
  assert.deepEqual(names.trim().split('\n').sort(), [
    'manifest.json',
    'old talks/day 1/short.wav',
    'old talks/long.wav',
  ]);
});

test('gives two files with the same name different names in a ZIP', async () => {
  await page.goto(`${filesPath}?path=shots&type=image`);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'ZIP of 2 files' }).click();
  const names = execFileSync('unzip', ['-Z1', await (await download).path()], { encoding: 'utf8' });
  assert.deepEqual(names.trim().split('\n').sort(), [
    'manifest.json',
    'shots/same (2).png',
    'shots/same.png',
  ]);
});

test('opens the files of a type, and fits on a phone', async () => {
  await page.goto(`${filesPath}?view=storage`);
  await areas('By type')
    .getByRole('link', { name: /^Images/ })
    .click();
  await page.getByRole('listbox', { name: 'Files' }).getByText('outside.png').first().waitFor();
  assert.equal(readSearch(page).type, 'image');
  assert.deepEqual(await findMisfits(page, `${filesPath}?view=storage`), []);
});
