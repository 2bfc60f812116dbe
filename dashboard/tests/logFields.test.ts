/** Tests the fields beside the entries: all that occur, their values, including and excluding them, by pointer and keyboard. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { moveTo } from './inAppNavigation.ts';
import { logs, openLogPage } from './logPage.ts';
import { comeIn, press, readSearch } from './steps.ts';

const minuteMs = 60_000;
const chatty = 400; // more than the first page loads, each with its own key

const opened = await openLogPage({
  fill: async (write, now) => {
    await write(
      Array.from({ length: 40 }, (_, index) => ({
        level: index % 4 === 0 ? 'error' : 'info',
        message: `Door ${index} opened`,
        resource: 'doors',
        metadata: {
          map: index < 10 ? 'desert' : 'harbour',
          ms: index,
          player: { name: `Ada ${index % 20}` },
        },
        timestamp: now - (600 + index) * minuteMs,
      })),
    );
    await write(
      Array.from({ length: chatty }, (_, index) => ({
        level: 'debug',
        message: 'loop',
        resource: 'chatty',
        metadata: { [`i${index}`]: index },
        timestamp: now - (chatty - index) * 1000,
      })),
    );
  },
});
after(() => opened[Symbol.asyncDispose]());
const { browser, owner, visitor, page, write } = opened;

const column = (): Locator => page.getByRole('region', { name: 'Fields' });
const field = (name: string): Locator =>
  column().getByRole('heading', { level: 3 }).getByRole('button', { name, exact: true });
const values = (name: string): Locator => column().getByRole('list', { name: `Values of ${name}` });
const total = (count: number): Promise<void> =>
  page.getByRole('img', { name: new RegExp(`^${count} entr`) }).waitFor();

test('lists every field of the time range, levels and resources first', async () => {
  await field('ms').waitFor();
  const names = await column().getByRole('heading', { level: 3 }).allInnerTexts();
  assert.deepEqual(
    names.slice(0, 5).map(text => text.split('\n')[0]),
    ['level', 'resource', 'map', 'ms', 'player.name'],
  );
  await values('level').getByRole('button', { name: 'debug 400' }).waitFor();
  await values('resource').getByRole('button', { name: 'doors 40' }).waitFor();
});

test('finds a field among hundreds by its name', async () => {
  await column()
    .getByRole('button', { name: /more fields$/ })
    .waitFor();
  await column().getByLabel('Find a field').fill('I39');
  await field('i399').waitFor();
  assert.equal(await column().getByRole('heading', { level: 3 }).count(), 11);
  await column().getByLabel('Find a field').fill('nowhere');
  await column().getByText('No matching fields.').waitFor();
  await column().getByLabel('Find a field').fill('');
  await column()
    .getByRole('button', { name: /more fields$/ })
    .click();
  await field('i0').waitFor();
});

test('counts fields in the entries found and omits those that do not occur', async () => {
  await moveTo(page, `${logs}?query=map%3Adesert`);
  await column()
    .getByTitle(/^\W*ms\W*: in 10 entries$/)
    .waitFor();
  await column().getByLabel('Find a field').fill('i39');
  await column().getByText('No matching fields.').waitFor();
  await moveTo(page, logs);
  await column()
    .getByTitle(/^\W*ms\W*: in 40 entries$/)
    .waitFor();
});

test('filters by a value, replaces it with another, and adds one with Ctrl', async () => {
  await field('map').click();
  await values('map').getByRole('button', { name: 'desert 10' }).click();
  await total(10);
  assert.deepEqual(readSearch(page), { query: 'map:desert' });
  await values('map').getByRole('button', { name: 'harbour 30' }).click();
  await total(30);
  await values('map')
    .getByRole('button', { name: 'desert 10' })
    .click({ modifiers: ['Control'] });
  await total(40);
  assert.deepEqual(readSearch(page), { query: 'map:(harbour,desert)' });
});

test('excludes a value and includes it again with the same button', async () => {
  await moveTo(page, `${logs}?query=resource:doors`);
  await total(40);
  await values('map').getByRole('button', { name: 'Not desert' }).click();
  await total(30);
  assert.equal(readSearch(page).query, 'resource:doors -map:desert');
  const excluded = values('map').getByRole('button', { name: 'Not desert', pressed: true });
  await excluded.click();
  await total(40);
});

test('remembers which fields are open', async () => {
  await field('resource').click();
  await values('resource').waitFor({ state: 'detached' });
  await page.reload();
  await values('map').waitFor();
  assert.equal(await values('resource').count(), 0);
  await field('resource').click();
  await values('resource').waitFor();
});

test('loads more values, and those with a prefix', async () => {
  await field('player.name').click();
  await values('player.name').getByRole('button', { name: 'Ada 0 2', exact: true }).waitFor();
  assert.equal(await values('player.name').getByRole('listitem').count(), 8);
  await press(page, 'More values of player.name');
  await values('player.name').getByRole('button', { name: 'Ada 19 2' }).waitFor();
  await column().getByLabel('Filter values of player.name').fill('ada 1');
  await values('player.name').getByRole('button', { name: 'Ada 0 2' }).waitFor({ state: 'detached' });
  assert.equal(await values('player.name').getByRole('listitem').count(), 11);
  await press(page, 'Fewer values of player.name');
  await values('player.name').getByRole('button', { name: 'Ada 0 2', exact: true }).waitFor();
  await field('player.name').click();
});

test('filters, excludes and collapses the column with the keyboard alone', async () => {
  await moveTo(page, logs);
  // Until they load, Tab goes to the next field.
  await values('map')
    .getByRole('button', { name: /^harbour/ })
    .waitFor();
  await field('map').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await total(30);
  assert.equal(readSearch(page).query, 'map:harbour');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await total(410);
  assert.equal(readSearch(page).query, '-map:harbour');
  await page.keyboard.press('f');
  await page.getByRole('button', { name: 'Show fields' }).waitFor();
  await page.keyboard.press('f');
  await column().waitFor();
});

test('collapses the fields to a rail in a narrow window and remembers opening them', async () => {
  const narrow = await browser.openPage();
  await narrow.page.setViewportSize({ width: 1100, height: 800 });
  await comeIn(narrow.page, owner, logs);
  const rail = narrow.page.getByRole('button', { name: 'Show fields' });
  await rail.click();
  await narrow.page.getByRole('region', { name: 'Fields' }).waitFor();
  await narrow.page.reload();
  await narrow.page.getByRole('button', { name: 'Hide fields' }).click();
  await rail.waitFor();
  await narrow.page.context().close();
});

test('opens the fields in a sheet on a phone', async () => {
  const phone = await browser.openPage();
  await phone.page.setViewportSize({ width: 390, height: 844 });
  await comeIn(phone.page, owner, logs);
  await press(phone.page, 'Fields');
  const sheet = phone.page.getByRole('dialog', { name: 'Fields' });
  await sheet.getByRole('button', { name: 'doors 40' }).click();
  await sheet.getByRole('button', { name: 'Close' }).click();
  await phone.page.getByRole('img', { name: /^40 entries/ }).waitFor();
  await phone.page.context().close();
});

test('searches while fields and values are loading', async () => {
  const held = Promise.withResolvers<void>();
  const slow = await browser.openPage();
  await slow.page.route(/logs\/(fields|values)\?/, async route => {
    await held.promise;
    await route.continue();
  });
  await comeIn(slow.page, owner, logs);
  await slow.page.getByLabel('Search the logs').fill('resource:doors');
  await slow.page.keyboard.press('Enter');
  await slow.page.getByRole('img', { name: /^40 entries/ }).waitFor();
  assert.equal(await slow.page.getByRole('button', { name: 'doors 40' }).count(), 0);
  held.resolve();
  await slow.page.getByRole('button', { name: 'doors 40' }).waitFor();
  await slow.page.context().close();
});

test('shows and counts a new field at once while following', async () => {
  await page.goto(`${logs}?live=1`);
  await page.getByRole('status').getByText('Following').waitFor();
  await column().getByLabel('Find a field').fill('fresh');
  await column().getByText('No matching fields.').waitFor();
  await write([{ level: 'info', message: 'A new field', resource: 'doors', metadata: { fresh: 'yes' } }]);
  await field('fresh').waitFor();
  await total(441);
});

test('omits the resource field when no entry has a resource', async () => {
  await write([{ level: 'info', message: 'Nobody sent this', metadata: { origin: 'none' } }]);
  await page.goto(`${logs}?query=origin%3Anone`);
  await values('origin').getByRole('button', { name: 'none 1' }).waitFor();
  await values('level').getByRole('button', { name: 'info 1' }).waitFor();
  await field('resource').waitFor({ state: 'detached' }); // until then, it may be from the whole range
});

test('no request was refused and the browser reported no errors', () => {
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
