/** Tests an open file in a real browser: zoom, original size, arrow keys, its folder, and byte ranges. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import {
  makePicture,
  makeSound,
  mediaEnvironment,
  uploadFile,
} from '../../server/tests/support/uploading.ts';
import { type OpenedDashboard, openDashboard } from './openedDashboard.ts';
import { findBroken } from './screenReaderRules.ts';
import { press, readSearch } from './steps.ts';

const filesPath = '/projects/default/files';

let opened: OpenedDashboard;
let page: Page;
/** The requested ranges of the sound. */
const parts: string[] = [];

before(async () => {
  opened = await openDashboard({
    environment: mediaEnvironment,
    prepare: async ({ service }) => {
      const send = async (filename: string, width: number) =>
        uploadFile(service, await makePicture(width, width / 2), { filename, path: 'shots/day' });
      await send('first.png', 2400);
      await send('second.png', 40);
      await uploadFile(service, makeSound({ seconds: 60 }), { filename: 'third.wav', path: 'shots/day' });
      return `${filesPath}?sort=name&order=asc`;
    },
  });
  page = opened.page;
  page.on('response', response => {
    if (response.url().endsWith('.wav')) parts.push(response.headers()['content-range'] ?? 'all of it');
  });
});

after(() => opened?.[Symbol.asyncDispose]());

const dialog = (): Locator => page.getByRole('dialog');
const option = (name: string): Locator =>
  page.getByRole('listbox', { name: 'Files' }).getByRole('option').filter({ hasText: name });
const readWidth = () =>
  dialog()
    .getByRole('img')
    .evaluate(image => image.clientWidth);

test('fits a picture to the window, zooms it, and shows it in its original size', async () => {
  await option('first.png').click();
  await dialog().getByRole('button', { name: 'Original size' }).waitFor();
  const fitting = await readWidth();
  assert.ok(fitting < 1000, `${fitting} pixels`);
  await press(page, 'Zoom in');
  assert.equal(await readWidth(), Math.round(fitting * 1.5));
  await press(page, 'Original size');
  assert.equal(await readWidth(), 2400);
  await dialog().getByLabel('Zoom', { exact: true }).getByText('100 %').waitFor();
  assert.deepEqual(await findBroken(page), []);
  await page.keyboard.press('0');
  await page.waitForFunction(
    width => document.querySelector('[role=dialog] img')?.clientWidth === width,
    fitting,
  );
  await page.keyboard.press('1');
  assert.equal(await readWidth(), 2400);
});

test('moves to the next and previous file by key or button without moving the buttons', async () => {
  const next = dialog().getByRole('button', { name: 'Next file' });
  const place = await next.boundingBox();
  await page.keyboard.press('ArrowRight');
  await dialog().getByRole('heading', { name: 'second.png' }).waitFor();
  assert.deepEqual(await next.boundingBox(), place);
  await press(page, 'Next file');
  await dialog().getByRole('heading', { name: 'third.wav' }).waitFor();
  assert.deepEqual(await next.boundingBox(), place);
  assert.equal(await next.getAttribute('aria-disabled'), 'true');
  await page.keyboard.press('ArrowLeft');
  await dialog().getByRole('heading', { name: 'second.png' }).waitFor();
});

test('requests a sound by ranges', async () => {
  await page.keyboard.press('ArrowRight');
  await dialog().getByRole('heading', { name: 'third.wav' }).waitFor();
  const at = await dialog()
    .locator('audio')
    .evaluate(async sound => {
      // The locator finds only audio.
      const player = sound as HTMLAudioElement;
      if (player.readyState === 0)
        await new Promise(resolve => player.addEventListener('loadedmetadata', resolve));
      player.currentTime = 50;
      await new Promise(resolve => player.addEventListener('seeked', resolve));
      return player.currentTime;
    });
  assert.equal(at, 50);
  assert.ok(parts.length > 0 && parts.every(range => /^bytes \d+-\d+\/480044$/.test(range)), parts.join());
});

test('links an open file to its folder and deletes it with a key', async () => {
  await dialog().getByRole('link', { name: 'Show in folder' }).click();
  await dialog().waitFor({ state: 'detached' });
  assert.deepEqual(readSearch(page), { path: 'shots/day' });
  await option('second.png').click();
  await dialog().getByRole('heading', { name: 'second.png' }).waitFor();
  await page.keyboard.press('Delete');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Move to trash' }).click();
  await option('second.png').waitFor({ state: 'detached' });
  assert.deepEqual(opened.browser.troubles, []);
});
