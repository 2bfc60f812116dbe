/** Tests the list of entries in a real browser: value menus, columns, order, times, density, and long rows. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { moveTo } from './inAppNavigation.ts';
import { logs, openLogPage } from './logPage.ts';
import { press, readSearch } from './steps.ts';

const long = 'word '.repeat(200);

const opened = await openLogPage({
  fill: async write => {
    const startsAt = Date.UTC(2026, 0, 2, 3, 4, 5);
    const names = ['Ada', 'Grace', 'Ada', 'Linus'];
    const items = Array.from({ length: 240 }, (_, index) => ({
      level: 'info',
      message: index === 120 ? long : `Sale ${index}.`,
      resource: 'shop',
      timestamp: startsAt + index * 1000,
      metadata: { player: { name: names[index % 4] }, ...(index % 2 === 0 && { 'a,b': `pair ${index}` }) },
    }));
    await write(items);
  },
  arrange: page => page.context().grantPermissions(['clipboard-read', 'clipboard-write']),
  search: '?range=all',
});
after(() => opened[Symbol.asyncDispose]());
const { browser, visitor, page } = opened;

const list = (): Locator => page.getByRole('listbox', { name: /^Entries, / });
const lines = (): Locator => list().getByRole('option');
const line = (text: string): Locator => lines().filter({ hasText: text });
const panel = (): Locator => page.getByRole('complementary', { name: 'Entry' });
const columns = (): Locator => page.getByRole('group', { name: 'Columns' });
const choose = (name: string): Promise<void> => page.getByRole('menuitem', { name, exact: true }).click();
const query = (): string | undefined => readSearch(page).query;

/** Opens the menu by pointer: hovers the value, then clicks the button that appears. */
async function openMenu(text: string, field: string): Promise<void> {
  await line(text).locator(`[data-field="${field}"]`).hover();
  await page.locator('[data-handle]').click();
  await page.getByRole('menu').waitFor();
}

/** Excludes the player of the active line with the keyboard: the key moves the focus to the item, but not at once. */
async function excludePlayer(): Promise<void> {
  await page.keyboard.press('m');
  await page.locator('[role=menu]:focus-within').getByText('level info').waitFor();
  const steps = [
    { key: 'p', focused: 'player.name' },
    { key: 'ArrowRight', focused: 'Only this' },
    { key: 'ArrowDown', focused: 'Not this' },
  ];
  for (const { key, focused } of steps) {
    await page.keyboard.press(key);
    await page.locator('[role=menuitem]:focus', { hasText: focused }).waitFor();
  }
  await page.keyboard.press('Enter');
}

/** Scrolls like a hand, with pauses for loading. */
async function scrollUntil(text: string): Promise<void> {
  while ((await line(text).count()) === 0) {
    await list().evaluate(scroller => scroller.scrollBy({ top: 300 }));
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(resolve)));
  }
}

async function toggleView(name: string): Promise<void> {
  await press(page, 'View');
  await page.getByRole('menuitemcheckbox', { name }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
}

async function chooseView(name: string): Promise<void> {
  await press(page, 'View');
  await page.getByRole('menuitemradio', { name }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
}

test('offers a menu to copy or filter by a value in a line without opening the entry', async () => {
  await openMenu('Sale 239.', 'player.name');
  await choose('Copy value');
  await page.getByText('Copied').first().waitFor({ state: 'attached' });
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'Linus');
  await openMenu('Sale 239.', 'player.name');
  await choose('Only this');
  await line('Sale 238.').waitFor({ state: 'detached' });
  assert.equal(query(), 'player.name:Linus');
  // Now shown once above the rows, where its menu remains.
  await columns().getByText('All of these: resource=shop player.name=Linus').waitFor();
  assert.equal(await list().locator('[data-field="player.name"], [data-field=resource]').count(), 0);
  await page.keyboard.press('e');
  await page.keyboard.press('ArrowDown');
  await excludePlayer();
  await line('Sale 238.').waitFor();
  await columns().getByText('All of these: resource=shop', { exact: true }).waitFor();
  assert.equal(query(), '-player.name:Linus');
  await openMenu('Sale 238.', 'a,b');
  await choose('Exclude field');
  await line('Sale 238.').waitFor({ state: 'detached' });
  assert.match(query() ?? '', / -a,b:\*$/);
  assert.equal(await panel().count(), 0);
});

test('opens the values of the active line with the keyboard and returns the focus', async () => {
  await moveTo(page, `${logs}?range=all`);
  await line('Sale 239.').waitFor();
  await page.keyboard.press('e');
  await page.keyboard.press('ArrowDown');
  await excludePlayer();
  await line('Sale 239.').waitFor({ state: 'detached' });
  assert.equal(query(), '-player.name:Linus');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'entries');
});

test('offers the same menu at each value of the open entry', async () => {
  await moveTo(page, `${logs}?range=all`);
  await line('Sale 238.').click();
  await panel().getByRole('button', { name: 'Actions for player.name' }).click();
  await choose('Add column');
  await columns().getByRole('button', { name: 'player.name' }).waitFor();
  await panel().getByRole('button', { name: 'Actions for the resource' }).focus();
  await page.keyboard.press('ArrowDown');
  await choose('Not this');
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
  assert.equal(query(), '-resource:shop');
  await press(page, 'Close the entry');
});

test('adds, moves and removes columns of any field and keeps them in the address', async () => {
  await moveTo(page, `${logs}?range=all&columns=player.name`);
  await openMenu('Sale 238.', 'a,b');
  await choose('Add column');
  await columns().getByRole('button', { name: 'a,b' }).waitFor();
  assert.equal(readSearch(page).columns, 'player.name,a%2Cb');
  await page.reload();
  await line('Sale 238.').locator('[data-field="a,b"]').getByText('pair 238').waitFor();
  await columns().getByRole('button', { name: 'a,b' }).press('Enter');
  await choose('Move left');
  const heads = () => columns().getByRole('button').allInnerTexts();
  assert.deepEqual((await heads()).slice(1), ['a,b', 'player.name']);
  await columns()
    .getByRole('button', { name: 'player.name' })
    .dragTo(columns().getByRole('button', { name: 'a,b' }));
  assert.equal(readSearch(page).columns, 'player.name,a%2Cb');
  await columns().getByRole('button', { name: 'a,b' }).click();
  await choose('Remove column');
  await columns().getByRole('button', { name: 'a,b' }).waitFor({ state: 'detached' });
});

test('chooses columns from a list of fields and keeps them in a saved view', async () => {
  await press(page, 'View');
  await choose('Columns…');
  const dialog = page.getByRole('dialog', { name: 'Columns' });
  await dialog.getByRole('button', { name: 'a,b 120' }).waitFor();
  await page.keyboard.type('A,');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Move a,b up' }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  assert.equal(readSearch(page).columns, 'a%2Cb,player.name');
  await press(page, 'Views');
  await choose('Save this search…');
  await page.getByRole('dialog').getByLabel('Name').fill('Pairs');
  await press(page, 'Save view');
  await page.getByText('View saved').waitFor();
  await moveTo(page, logs);
  await press(page, 'Views');
  await choose('Pairs');
  await columns().getByRole('button', { name: 'player.name' }).waitFor();
  const { view: _, ...search } = readSearch(page);
  assert.deepEqual(search, { range: 'all', columns: 'a%2Cb,player.name' });
});

test('reads the list oldest first, page by page, and newest first in Live', async () => {
  await moveTo(page, `${logs}?range=all`);
  await columns().getByRole('button', { name: 'Time' }).click();
  await page.getByRole('listbox', { name: 'Entries, oldest first' }).waitFor();
  await line('Sale 0.').waitFor();
  assert.deepEqual(readSearch(page), { range: 'all', order: 'asc' });
  await list().focus();
  await page.keyboard.press('End');
  await line('Sale 239.').waitFor();
  await page.keyboard.press('Home');
  await line('Sale 0.').waitFor();
  await line('Sale 3.').click();
  await press(page, 'Close the entry');
  await scrollUntil('Sale 239.');
  await press(page, 'Live');
  await page.getByRole('listbox', { name: 'Entries, newest first' }).waitFor();
  await page.getByRole('status').getByText('Following').waitFor();
  await chooseView('Oldest first');
  await page.getByRole('listbox', { name: 'Entries, oldest first' }).waitFor();
  assert.equal(readSearch(page).live, undefined);
  await press(page, 'Export');
  const download = page.waitForEvent('download');
  await choose('JSON lines');
  const stream = await (await download).createReadStream();
  assert.match(Buffer.concat(await stream.toArray()).toString(), /^.*Sale 0\./);
});

test('shows the entries around an open entry, also oldest first', async () => {
  await moveTo(page, `${logs}?range=all&order=asc`);
  await list().focus();
  await page.keyboard.press('End');
  await line('Sale 239.').click();
  await page.reload();
  await list().getByRole('option', { selected: true }).getByText('Sale 239.').waitFor();
  for (const text of ['Sale 237.', 'Sale 238.']) await line(text).waitFor(); // lines may be rendered in turns
  const order = await lines().allInnerTexts();
  const [at, next] = ['Sale 237.', 'Sale 238.'].map(text => order.findIndex(each => each.includes(text)));
  assert(at !== undefined && next === at + 1);
  await press(page, 'Jump to oldest');
  await line('Sale 0.').waitFor();
  await press(page, 'Close the entry');
});

test('remembers UTC and the line density in this browser', async () => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' });
  await page.goto(`${logs}?range=all`);
  await line('Sale 239.').getByText('Jan 2, 12:08:04.000 PM').waitFor();
  await chooseView('UTC');
  await line('Sale 239.').getByText('Jan 2, 3:08:04.000 AM').waitFor();
  await page.getByRole('img', { name: /^240 entries since Jan 2, 3:04:0\d/ }).waitFor();
  await toggleView('Compact lines');
  await page.goto(`${logs}?range=all`);
  await line('Sale 239.').getByText('Jan 2, 3:08:04.000 AM').waitFor();
  assert.equal((await line('Sale 239.').boundingBox())?.height, 24);
  await columns().getByText('Time in UTC').waitFor();
  await chooseView('Local time');
  await toggleView('Compact lines');
});

test('wraps long lines and keeps the reading position', async () => {
  await moveTo(page, `${logs}?range=all`);
  await toggleView('Wrap long lines');
  await scrollUntil('word word');
  assert(((await line('word word').boundingBox())?.height ?? 0) > 60);
  await line('word word').click();
  await page.reload();
  const open = list().getByRole('option', { selected: true });
  await open.waitFor();
  await page.waitForFunction(() => {
    const [option, scroller] = [
      document.querySelector('[role=option][aria-selected=true]'),
      document.querySelector('#entries'),
    ];
    const [box, bounds] = [option?.getBoundingClientRect(), scroller?.getBoundingClientRect()];
    return box && bounds && box.top >= bounds.top && box.bottom <= bounds.bottom;
  });
  await toggleView('Wrap long lines');
  assert.equal((await open.boundingBox())?.height, 30);
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
