/** Tests patterns in Logs: listing, sorting, marking new ones, opening and excluding, by pointer and keyboard. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { addPerson } from '../../server/tests/support/people.ts';
import { moveTo } from './inAppNavigation.ts';
import { logs, openLogPage } from './logPage.ts';
import { findMisfits } from './phone.ts';
import { comeIn, press, readSearch } from './steps.ts';

const hourMs = 3_600_000;

const now = Date.now();
const opened = await openLogPage({
  fill: async write => {
    await write([
      ...repeat('tick took 3 ms', 60, { level: 'debug', hours: 40 }),
      ...repeat('tick took 3 ms', 30, { level: 'warn', hours: 5 }),
      ...repeat('Player 10.0.0.1 joined', 20, { level: 'info', hours: 30 }),
      ...repeat('Player 10.0.0.1 joined', 8, { level: 'info', hours: 3 }),
      ...repeat('Nil value in line 7', 2, { level: 'error', hours: 1 }),
    ]);
  },
});
after(() => opened[Symbol.asyncDispose]());
const { service, browser, visitor, page, write } = opened;

type Kind = { level: string; hours: number };

function repeat(message: string, count: number, { level, hours }: Kind): object[] {
  return Array.from({ length: count }, (_, index) => ({
    level,
    message: message.replace(/\d/, digit => `${digit}${index}`),
    timestamp: now - hours * hourMs - index,
  }));
}

const list = (): Locator => page.getByRole('list', { name: 'Patterns' });
const lines = (): Locator => list().locator('> li');
const line = (text: string): Locator => lines().filter({ hasText: text });
const templates = async (): Promise<string[]> =>
  (await list().locator('[data-pattern]').allInnerTexts()).map(text => text.replaceAll('\n', ''));

test('lists patterns in a tab beside the entries, most frequent first', async () => {
  await page.getByRole('tab', { name: 'Patterns' }).click();
  await line('tick took').waitFor();
  assert.deepEqual(readSearch(page), { tab: 'patterns' });
  assert.deepEqual(await templates(), ['tick took n ms', 'Player ip joined', 'Nil value in line n']);
  await page.getByText('3 patterns').waitFor();
});

test('shows the count, share, levels and first occurrence of each pattern', async () => {
  await line('tick took').getByText('30', { exact: true }).waitFor();
  await line('tick took').getByText('75 %').waitFor();
  await line('tick took').getByText('30 warn').waitFor();
  await line('tick took').getByText('2 days ago').or(line('tick took').getByText('1 day ago')).waitFor();
  await line('Nil value').getByText('New').waitFor();
  assert.equal(await line('tick took').getByText('New').count(), 0);
  assert.equal(await line('tick took').locator('var').innerText(), 'n');
  await line('tick took').locator('svg path').first().waitFor({ state: 'attached' });
});

test('sorts by first occurrence and keeps the order in the address', async () => {
  await page.getByLabel('Order of the patterns').selectOption('firstSeen');
  await page.waitForURL(/sort=firstSeen/);
  assert.deepEqual(await templates(), ['Nil value in line n', 'Player ip joined', 'tick took n ms']);
  await page.reload();
  await line('tick took').waitFor();
  assert.equal((await templates())[0], 'Nil value in line n');
});

test('filters by patterns that are new since yesterday', async () => {
  await moveTo(page, `${logs}?tab=patterns&range=7d`);
  await line('tick took').getByText('90', { exact: true }).waitFor();
  await press(page, 'New since yesterday');
  await line('tick took').waitFor({ state: 'detached' });
  assert.deepEqual(await templates(), ['Nil value in line n']);
  assert.deepEqual(readSearch(page), { tab: 'patterns', new: '1' });
  await moveTo(page, `${logs}?tab=patterns&new=1&query=tick`);
  await page.getByRole('heading', { name: 'Nothing new' }).waitFor();
  await press(page, 'Show all patterns');
  await line('tick took').waitFor();
});

test('opens the entries of a pattern with one click', async () => {
  await moveTo(page, `${logs}?tab=patterns`);
  await line('Player').getByRole('button').first().click();
  const entries = page.getByRole('listbox');
  await entries.getByRole('option').filter({ hasText: 'joined' }).first().waitFor();
  await page.getByRole('img', { name: /^8 entries/ }).waitFor();
  assert.match(readSearch(page).query ?? '', /^pattern:[0-9a-f]{16}$/);
  await page.goBack();
  await line('tick took').waitFor();
});

test('opens, walks through and excludes patterns with the keyboard alone', async () => {
  await moveTo(page, logs);
  await page.getByRole('tab', { name: 'Entries' }).focus();
  await page.keyboard.press('ArrowRight');
  await line('tick took').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Patterns');
  await page.keyboard.press('e');
  for (const key of ['j', 'ArrowDown', 'k', 'End']) await page.keyboard.press(key);
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  assert.equal(await focused(), 'Nil value in line n');
  await page.keyboard.press('Home');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await line('tick took').waitFor({ state: 'detached' });
  assert.match(readSearch(page).query ?? '', /^-pattern:[0-9a-f]{16}$/);
  await line('Player').getByRole('button').first().press('Enter');
  await page.getByRole('img', { name: /^8 entries/ }).waitFor();
});

test('lists the hundred most frequent patterns and shows the total', async () => {
  const words = Array.from({ length: 120 }, (_, index) =>
    [...String(index)].map(digit => 'abcdefghij'[Number(digit)]).join(''),
  );
  await write(words.flatMap(word => repeat(`${word} ${word}`, 1, { level: 'info', hours: 2 })));
  await page.goto(`${logs}?tab=patterns`);
  await page
    .getByText('Showing the 100 most frequent of 123 patterns. Refine the search to see others.')
    .waitFor();
  assert.equal(await lines().count(), 100);
  await line('tick took')
    .getByText(/^19 %$/)
    .waitFor();
});

test('groups patterns that differ in words into one line and shows names as their path', async () => {
  const timestamp = now - hourMs;
  const names = ['Olga', 'Ben', 'Anna', 'Carla', 'Dmitri', 'Elif'];
  await write([
    ...names.map(name => ({ level: 'info', message: `Kicked ${name} for spam today`, timestamp })),
    ...names.map(name => ({
      level: 'warn',
      message: `Warned ${name} of a ban`,
      metadata: { player: { name } },
      timestamp,
    })),
  ]);
  await page.goto(`${logs}?tab=patterns&query=spam+OR+ban`);
  await line('Kicked').getByText('6 patterns merged').waitFor();
  assert.deepEqual(
    (await templates()).toSorted(),
    ['Kicked … for spam today', 'Warned player.name of a ban'].toSorted(),
  );
  assert.equal(await line('Warned').getByText('merged').count(), 0);
  await line('Kicked').getByRole('button').first().click();
  await page.getByRole('img', { name: /^6 entries/ }).waitFor();
  assert.match(readSearch(page).query ?? '', /pattern:\([0-9a-f,]{101}\)$/);
});

test('shows to every role, once, that older entries are being prepared', async () => {
  const preparing = { percent: 40, entriesWithoutPattern: 1200, obstacle: null };
  for (const role of ['viewer', 'admin'] as const) {
    const { page: theirs } = await browser.openPage();
    await theirs.route('**/readyz', async route => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), preparing } });
    });
    await comeIn(theirs, await addPerson(service, { roles: { default: role } }), `${logs}?tab=patterns`);
    await theirs.getByText(/Preparing older (entries|logs)/).waitFor();
    await theirs.getByText('1,200').waitFor();
    await theirs.context().close();
  }
});

test('fits on a phone and in dark mode without errors', async () => {
  assert.deepEqual(await findMisfits(page, `${logs}?tab=patterns`), []);
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
