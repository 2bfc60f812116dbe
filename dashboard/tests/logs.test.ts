/** Tests the logs page in a real browser: search, filter, zoom, read, follow, save, export. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { addPerson } from '../../server/tests/support/people.ts';
import { logs, openLogPage } from './logPage.ts';
import { findMisfits } from './phone.ts';
import { comeIn, press, readSearch } from './steps.ts';

const minuteMs = 60_000;

const opened = await openLogPage({
  fill: async (write, now) => {
    await write(
      Array.from({ length: 400 }, (_, index) => ({
        level: index % 2 === 0 ? 'info' : 'debug',
        message: `Chunk ${index} loaded`,
        resource: 'world',
        timestamp: now - (index + 10) * minuteMs,
      })),
    );
    const doors = [
      { level: 'warn', message: 'The door creaks', metadata: { map: 'harbour', player: { name: 'Ada' } } },
      { level: 'error', message: 'The door is stuck\nat hinge 3', metadata: { map: 'harbour' } },
      { level: 'error', message: 'A window broke', metadata: { map: 'desert' } },
    ];
    await write(
      doors.map((entry, index) => ({ ...entry, resource: 'doors', timestamp: now - (4 - index) * minuteMs })),
    );
  },
});
after(() => opened[Symbol.asyncDispose]());
const { service, browser, visitor, page, write } = opened;

/** Options of selects are not rows. */
const list = (): Locator => page.getByRole('listbox', { name: 'Entries, newest first' });
const lines = (): Locator => list().getByRole('option');
const line = (text: string): Locator => lines().filter({ hasText: text });
const panel = (): Locator => page.getByRole('complementary', { name: 'Entry' });
const chart = (label: RegExp): Locator => page.getByRole('img', { name: label });

test('lists entries newest first, counts them over time, and renders only visible ones', async () => {
  await lines().first().waitFor();
  assert.match(await lines().first().innerText(), /A window broke/);
  await chart(/^403 entries since .*: 200 debug, 200 info, 1 warn, 2 error\.$/).waitFor();
  assert((await lines().count()) < 100);
});

test('jumps to the oldest entry with End and the newest with Home', async () => {
  await list().focus();
  await page.keyboard.press('End');
  await line('Chunk 399 loaded').waitFor();
  await page.keyboard.press('Home');
  await line('A window broke').waitFor();
});

test('shows the only dataset in no line, and links to it from the open entry', async () => {
  assert.equal(await line('A window broke').getByText('game').count(), 0);
  await line('A window broke').click();
  await panel().getByRole('button', { name: 'Only the dataset game' }).click();
  assert.equal(readSearch(page).dataset, 'game');
  await press(page, 'Close the entry');
  await line('A window broke').waitFor();
  await page.getByLabel('Dataset').selectOption('');
  await line('A window broke').waitFor();
});

test('loads older entries on moving to the end', async () => {
  await list().focus();
  const last = line('Chunk 399 loaded');
  while ((await last.count()) === 0) {
    const height = await list().evaluate(({ scrollHeight }) => scrollHeight);
    await page.keyboard.press('End');
    await page.waitForFunction(before => {
      const scroller = document.querySelector('[role=listbox]');
      return (scroller?.scrollHeight ?? 0) > before || scroller?.textContent?.includes('Chunk 399 loaded');
    }, height);
  }
  await page.keyboard.press('Home');
  await line('A window broke').waitFor();
});

test('filters by words and keeps them in the address after a reload', async () => {
  await page.keyboard.press('/');
  await page.keyboard.type('"the door"');
  await page.keyboard.press('Enter');
  await line('Chunk').first().waitFor({ state: 'detached' });
  await chart(/^2 entries/).waitFor();
  assert.deepEqual(readSearch(page), { query: '"the door"' });
  await page.reload();
  await line('The door creaks').waitFor();
  assert.equal(await page.getByLabel('Search the logs').inputValue(), '"the door"');
  assert.equal(await lines().count(), 2);
});

test('adds and removes a level filter', async () => {
  const errors = page.getByRole('button', { name: 'error', exact: true });
  await errors.click();
  await line('The door creaks').waitFor({ state: 'detached' });
  assert.deepEqual(readSearch(page), { query: '"the door" level:error' });
  await errors.click();
  await line('The door creaks').waitFor();
  await page.getByLabel('Search the logs').fill('');
  await page.keyboard.press('Enter');
  await line('Chunk 0 loaded').waitFor();
  assert.deepEqual(readSearch(page), {});
});

test('counts values of resource and metadata and filters by them', async () => {
  const doors = page.getByRole('button', { name: 'doors 3' });
  await doors.click();
  await chart(/^3 entries/).waitFor();
  await page.getByRole('button', { name: 'world 400' }).waitFor();
  await page.getByRole('button', { name: 'map', exact: true }).click();
  await page.getByRole('button', { name: 'harbour 2' }).click();
  await chart(/^2 entries/).waitFor();
  assert.deepEqual(readSearch(page), { query: 'resource:doors map:harbour' });
  await page.getByRole('button', { name: 'harbour 2' }).click();
  await page.getByRole('button', { name: 'doors 3' }).click();
  await chart(/^403 entries/).waitFor();
});

test('moves through lines and opens them by key; the panel shows the entry and its context', async () => {
  await list().focus();
  for (const key of ['Home', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await panel().getByText('The door is stuck at hinge 3').first().waitFor();
  await panel().getByRole('button', { name: 'The door creaks' }).waitFor();
  await panel().getByRole('button', { name: 'A window broke' }).waitFor();
  await page.keyboard.press('j');
  await panel().getByText('player.name', { exact: true }).waitFor();
  const { entry } = readSearch(page);
  assert.match(entry ?? '', /^[0-9a-f]{32}$/);
  await page.reload();
  await panel().getByText('Ada', { exact: true }).waitFor();
  await panel().getByRole('button', { name: 'Only entries with this player.name' }).click();
  await chart(/^1 entry since/).waitFor();
  await press(page, 'Close the entry');
  assert.deepEqual(readSearch(page), { query: 'player.name:Ada' });
  await page.goto(logs);
  await chart(/^403 entries/).waitFor();
});

test('selects a time range by dragging over the chart and removes it', async () => {
  const box = await page.locator('.u-over').boundingBox();
  assert(box);
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.9, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.95, y, { steps: 4 });
  await page.mouse.up();
  await page.getByRole('button', { name: /^Remove filter time/ }).waitFor();
  const { from = '', to = '' } = readSearch(page);
  const spanMs = Date.parse(to) - Date.parse(from);
  assert(Math.abs(spanMs - 0.05 * 24 * 60 * minuteMs) < 10 * minuteMs, `${spanMs} ms`);
  await line('A window broke').waitFor({ state: 'detached' });
  await page.goBack();
  await line('A window broke').waitFor();
});

test('shows new entries live, and holds them back while paused', async () => {
  await press(page, 'Live');
  await page.getByRole('status').getByText('Following').waitFor();
  await write([{ level: 'info', message: 'Fresh from the wire', resource: 'wire' }]);
  await line('Fresh from the wire').waitFor();
  await page.getByRole('button', { name: 'wire 1' }).waitFor();
  await list().evaluate(scroller => scroller.scrollTo({ top: 900 }));
  await write([{ level: 'info', message: 'Above what is read' }]);
  await page.waitForFunction(() => (document.querySelector('[role=listbox]')?.scrollTop ?? 0) === 930);
  await list().evaluate(scroller => scroller.scrollTo({ top: 0 }));
  await press(page, 'Pause');
  await write([{ level: 'info', message: 'While nobody looks' }]);
  await page.getByText('Paused, 1 new').waitFor();
  assert.equal(await line('While nobody looks').count(), 0);
  await press(page, 'Resume');
  await line('While nobody looks').waitFor();
  assert.equal(await line('Fresh from the wire').count(), 1, 'what was followed and found shows once');
  await press(page, 'Live');
});

test('saves a search as a view, opens it and replaces it', async () => {
  await page.goto(`${logs}?level=error&range=7d`);
  await press(page, 'Views');
  await page.getByRole('menuitem', { name: 'Save this search…' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Errors of the week');
  await press(page, 'Save view');
  await page.getByText('View saved').waitFor();
  await page.goto(logs);
  await press(page, 'Views');
  await page.getByRole('menuitem', { name: 'Errors of the week' }).click();
  await chart(/^2 entries/).waitFor();
  const { view, ...search } = readSearch(page);
  assert.match(view ?? '', /^\w{20}$/);
  assert.deepEqual(search, { query: 'level:error', range: '7d' });
  await page.getByRole('button', { name: 'Errors of the week' }).waitFor();
});

test('exports every match as a file', async () => {
  await press(page, 'Export');
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'CSV' }).click();
  const stream = await (await download).createReadStream();
  const text = Buffer.concat(await stream.toArray()).toString();
  assert.match(text, /^timestamp,level,resource/);
  assert.match(text, /The door is stuck/);
  assert.doesNotMatch(text, /creaks/);
});

test('lets a viewer use views but not save them', async () => {
  const viewer = await addPerson(service, { roles: { default: 'viewer' } });
  const { page: theirs } = await browser.openPage();
  await comeIn(theirs, viewer, logs);
  await press(theirs, 'Views');
  await theirs.getByRole('menuitem', { name: 'Errors of the week' }).waitFor();
  assert.equal(await theirs.getByRole('menuitem', { name: 'Save this search…' }).count(), 0);
  await theirs.context().close();
});

test('fits on a phone and in dark mode, names every control, and logs no errors', async () => {
  assert.deepEqual(await findMisfits(page, `${logs}?level=error`), []);
  await line('A window broke').click();
  await page.getByRole('dialog', { name: 'Entry' }).getByText('desert', { exact: true }).waitFor();
  await press(page, 'Close the entry');
  assert.deepEqual(await findMisfits(page, '/projects/default/log-views'), []);
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
