/** Tests finding files in a real browser: with the log query language, sorted, and by folder. */
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

before(async () => {
  opened = await openDashboard({
    environment: mediaEnvironment,
    prepare: async ({ service }) => {
      const picture = await makePicture(40, 30);
      const send = (filename: string, path: string, metadata = '{}') =>
        uploadFile(service, picture, { filename, path, metadata });
      await send('crash one.png', 'clips/2026/may', '{"player":{"id":43,"name":"Ada"}}');
      await send('crash two.png', 'clips/2026', '{"player":{"id":44,"name":"Anne"}}');
      await send('base.png', 'clips', '{"player":{"id":43,"name":"Ada"}}');
      await send('lone.png', '');
      await uploadFile(service, makeSound({ seconds: 9 }), { filename: 'long.wav', path: 'sounds' });
      await uploadFile(service, makeSound({ seconds: 2 }), { filename: 'short.wav', path: 'sounds' });
      return filesPath;
    },
  });
  page = opened.page;
});

after(() => opened?.[Symbol.asyncDispose]());

const files = (): Locator => page.getByRole('listbox', { name: 'Files' }).getByRole('option');
const file = (name: string): Locator => files().filter({ hasText: name });
const box = (): Locator => page.getByRole('combobox', { name: 'Search the files' });
const folders = (): Locator => page.getByRole('navigation', { name: 'Folders' });
const suggestion = (name: string): Locator =>
  page
    .getByRole('listbox', { name: 'Suggestions' })
    .getByRole('option', { name: new RegExp(`^${name}(?: |$)`) });

/** Waits until exactly these files are shown, in this order. */
async function waitForNames(...names: string[]): Promise<void> {
  const shown = page.getByRole('status').filter({ hasText: /^\d+ files?$/ });
  await shown.getByText(names.length === 1 ? '1 file' : `${names.length} files`, { exact: true }).waitFor();
  await page.waitForFunction(wanted => {
    const titles = [...document.querySelectorAll('[role=option] [title*="."]')];
    return JSON.stringify(titles.map(each => each.getAttribute('title'))) === JSON.stringify(wanted);
  }, names);
}

async function ask(query: string): Promise<void> {
  await box().fill(query);
  await box().press('Enter');
}

for (const [query, names] of [
  ['name:*crash*', ['crash two.png', 'crash one.png']],
  ['player.id:43 -name:*crash*', ['base.png']],
  ['-path:*', ['lone.png']],
  ['duration:>5', ['long.wav']],
  ['ada', ['base.png', 'crash one.png']],
] as const) {
  test(`${query} finds ${names.join(', ')}, also after a reload`, async () => {
    await ask(query);
    await waitForNames(...names);
    assert.deepEqual(readSearch(page), { query });
    await page.reload();
    await waitForNames(...names);
    assert.equal(await box().inputValue(), query);
  });
}

test('shows a query error at its place and keeps the last results', async () => {
  await ask('(name:*crash* OR');
  await page.getByRole('alert').waitFor();
  assert.equal(await box().getAttribute('aria-invalid'), 'true');
  assert.equal(await page.locator('[data-kind=error]').count(), 1);
  assert.equal(await files().count(), 2);
  assert.deepEqual(await findBroken(page), []);
});

test('completes fields, metadata paths and values', async () => {
  await box().fill('');
  await box().pressSequentially('pla');
  await suggestion('player.id:').waitFor();
  await suggestion('player.name:').click();
  await box().pressSequentially('An');
  await suggestion('Anne').waitFor();
  assert.deepEqual(await findBroken(page), []);
  await suggestion('Anne').click();
  await waitForNames('crash two.png');
  await box().fill('path:cl');
  await suggestion('clips').waitFor();
  await box().fill('type:');
  await suggestion('video').waitFor();
  await box().fill('size:');
  await suggestion('>=').waitFor();
  await box().fill('size:>0.05KB'); // users think in units, the language in bytes
  await suggestion('50').click();
  await page.waitForURL(url => url.searchParams.get('query')?.trim() === 'size:>50');
  await box().fill('size:>0.0625KiB');
  await suggestion('64').waitFor();
  await press(page, 'Clear search');
  await file('lone.png').waitFor();
});

test('sorts by name, size and duration', async () => {
  await page.goto(filesPath);
  await page.getByLabel('Sort by').selectOption('name');
  await waitForNames('base.png', 'crash one.png', 'crash two.png', 'lone.png', 'long.wav', 'short.wav');
  assert.deepEqual(readSearch(page), { sort: 'name', order: 'asc' });
  await page.getByLabel('Type').selectOption('audio');
  await page.getByLabel('Sort by').selectOption('duration');
  await waitForNames('long.wav', 'short.wav');
  await page.getByRole('button', { name: 'Descending' }).click();
  await waitForNames('short.wav', 'long.wav');
  await page.getByLabel('Sort by').selectOption('size');
  await waitForNames('long.wav', 'short.wav');
  await page.reload();
  await waitForNames('long.wav', 'short.wav');
});

test('shows folders as a tree with exact counts, a way back up, and history entries', async () => {
  await page.goto(filesPath);
  await folders()
    .getByRole('link', { name: /^clips , 3 files, \d/ })
    .waitFor();
  await folders().getByRole('button', { name: 'Open clips' }).click();
  await folders()
    .getByRole('link', { name: /^2026 , 2 files/ })
    .click();
  await waitForNames('crash two.png', 'crash one.png');
  assert.deepEqual(readSearch(page), { path: 'clips/2026' });
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' });
  await crumbs.getByRole('link', { name: 'clips' }).click();
  await waitForNames('base.png', 'crash two.png', 'crash one.png');
  await page.goBack();
  await waitForNames('crash two.png', 'crash one.png');
  assert.deepEqual(await findBroken(page), []);
  await page.goto(`${filesPath}?path=clips/2026/may`);
  await folders().getByRole('link', { name: /^may/, exact: false }).waitFor();
  assert.equal(
    await folders()
      .locator('[aria-current=page]')
      .innerText()
      .then(text => text.split('\n')[0]),
    'may',
  );
});

test('accepts an address in the former format', async () => {
  await page.goto(`${filesPath}?q=crash&metadata.player.id=44`);
  await waitForNames('crash two.png');
  assert.equal(await box().inputValue(), 'name:*crash* player.id:44');
});

test('no request was refused and the browser reported no errors', () => {
  assert.deepEqual(opened.visitor.takeRefusals(), []);
  assert.deepEqual(opened.browser.troubles, []);
});
