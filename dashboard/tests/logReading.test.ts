/** Tests logs that are hard to show, in a real browser: none at all, very long ones, distant matches, cut-off addresses. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { moveTo } from './inAppNavigation.ts';
import { logs, openLogPage } from './logPage.ts';
import { findMisfits } from './phone.ts';
import { press, readSearch } from './steps.ts';

const twoYearsAgo = Date.now() - 730 * 86_400_000;
const longName = `shops_${'with_a_long_name_'.repeat(12)}`;

const opened = await openLogPage();
after(() => opened[Symbol.asyncDispose]());
const { browser, visitor, page, write } = opened;

const list = (): Locator => page.getByRole('listbox', { name: 'Entries, newest first' });
const line = (text: string): Locator => list().getByRole('option').filter({ hasText: text });
const panel = (): Locator => page.getByRole('complementary', { name: 'Entry' });

const awkward = [
  { level: 'info', message: 'Bread sold', resource: longName, metadata: { note: 'y'.repeat(9000) } },
  { level: 'warn', message: `${'hay '.repeat(900)}needle ${'hay '.repeat(900)}`, resource: 'barn' },
  { level: 'error', message: 'x'.repeat(30_000), resource: 'barn' },
  { level: 'info', message: '' },
  {
    level: 'warn',
    message: 'Reads \u202Eexe.gnp, see https://example.org/help.',
    resource: 'r'.repeat(300),
    metadata: { '': 'no name', shot: 'https://example.org/shot.png', odd: 'javascript:alert(1)' },
    timestamp: twoYearsAgo,
  },
];

test('links to the list of tools while there are no entries', async () => {
  await page.getByRole('heading', { name: 'No entries yet' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Connect a tool' }).click();
  await page.getByRole('combobox', { name: 'Find a tool' }).waitFor();
});

test('keeps counts beside the list with a very long value', async () => {
  await write(awkward);
  await page.goto(logs);
  const [count, entries] = [page.getByRole('button', { name: 'barn 2' }), list()];
  await count.waitFor();
  const [counted, listed] = [await count.boundingBox(), await entries.boundingBox()];
  assert(counted && listed && counted.x + counted.width <= listed.x, 'the count stands below the list');
  await line('No text').waitFor();
});

test('scrolls to and highlights a match far into a text', async () => {
  await page.keyboard.press('/');
  await page.keyboard.type('NEEDLE');
  await page.keyboard.press('Enter');
  const [match, lines] = [list().locator('mark'), list()];
  await match.waitFor();
  const [marked, listed] = [await match.boundingBox(), await lines.boundingBox()];
  assert(marked && listed && marked.x + marked.width < listed.x + listed.width, 'the match is cut off');
  await line('needle').click();
  await panel().locator('pre mark').getByText('needle').waitFor();
});

test('closes a menu, then the entry, with Escape', async () => {
  await press(page, 'Views');
  await page.getByRole('menuitem', { name: 'Save this search…' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await panel().getByRole('button', { name: 'Copy link' }).focus();
  await page.keyboard.press('Escape');
  await panel().waitFor({ state: 'detached' });
  assert.deepEqual(readSearch(page), { query: 'NEEDLE' });
});

test('clears a search without results with one press', async () => {
  await page.goto(`${logs}?q=nowhere&level=error&range=1h`);
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
  await page.getByText('No matches in all time either.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Search all time' }).count(), 0);
  await press(page, 'Clear the search');
  await line('Bread sold').waitFor();
  assert.deepEqual(readSearch(page), { range: '1h' });
});

test('shows what can be read of a truncated address', async () => {
  await page.goto(`${logs}?q=bread&from=2026-11-22T&to=soon&page=3`);
  await line('Bread sold').waitFor();
  assert.deepEqual(readSearch(page), { query: 'bread' });
  await page.getByRole('button', { name: `${longName} 1` }).waitFor();
});

test('shows, links and copies an old entry with hostile text', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${logs}?range=all&q=exe.gnp`);
  const year = String(new Date(twoYearsAgo).getFullYear());
  await page.getByText(`1 entry since`).filter({ hasText: year }).waitFor();
  const name = (await line('exe.gnp').innerText()).replaceAll(/\s+/g, ' ');
  assert.match(name, new RegExp(`^\\w+ \\d+, ${year}, [\\d:.]+\\s[AP]M warn r+ Reads`));
  const [message, listed] = [
    await line('exe.gnp').getByText('Reads').boundingBox(),
    await list().boundingBox(),
  ];
  assert(
    message && listed && message.x < listed.x + listed.width * 0.7,
    'a long name pushes the message out',
  );
  await line('exe.gnp').click();
  await panel().getByText('(no name)').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Only entries with this', exact: true }).count(), 0);
  await page.setViewportSize({ width: 1280, height: 600 });
  const overflow = await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight);
  assert(overflow <= 0, `the page scrolls by ${overflow} pixels beside the list`);
  const links = panel().getByRole('link');
  const addresses = await links.evaluateAll(all =>
    all.map(each => `${each.getAttribute('href')} ${each.getAttribute('rel')}`),
  );
  const rel = 'noopener noreferrer';
  assert.deepEqual(addresses, [`https://example.org/help ${rel}`, `https://example.org/shot.png ${rel}`]);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await press(page, 'Copy the value of shot');
  await panel().getByText('Copied').first().waitFor({ state: 'attached' });
  assert.equal(await copied(), 'https://example.org/shot.png');
  await press(page, 'Close the entry');
});

test('rejects a time range that ends before it begins with a message', async () => {
  await moveTo(page, logs);
  await page.getByLabel('Time', { exact: true }).selectOption('Between two times…');
  const dialog = page.getByRole('dialog');
  for (const label of ['From', 'To']) {
    assert.match(
      await dialog.getByLabel(label, { exact: true }).inputValue(),
      /^\d\d\/\d\d\/\d{4}, \d{1,2}:\d\d:\d\d [AP]M$/,
    );
  }
  const search = () => dialog.getByRole('button', { name: 'Search' }).click();
  await dialog.getByLabel('From', { exact: true }).fill('2026-11-22T10:00:00Z');
  await dialog.getByLabel('To', { exact: true }).fill('2026-11-22 09:00:00Z');
  await search();
  await dialog.getByText('This is before From').waitFor();
  await dialog.getByLabel('To', { exact: true }).fill('soon');
  await search();
  await dialog.getByText(/^Not a time\. Try \d+\/\d+\/\d{4}, /).waitFor();
  await dialog.getByLabel('From', { exact: true }).fill('now-90m');
  await dialog.getByLabel('To', { exact: true }).fill('now');
  await search();
  await dialog.waitFor({ state: 'detached' });
  const { from = '', to = '' } = readSearch(page);
  assert(Math.abs(Date.parse(to) - Date.parse(from) - 90 * 60_000) < 1000, `${from} to ${to}`);
});

test('reaches the list and selects a time range with keys, and explains them', async () => {
  await moveTo(page, logs);
  await line('Bread sold').waitFor();
  await page.keyboard.press('e');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'entries');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).getByText('close the entry').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('img', { name: /entries since/ }).waitFor();
  await page.getByRole('slider', { name: /^Time/ }).focus();
  for (const key of ['ArrowLeft', 'Shift+ArrowLeft', 'Enter']) await page.keyboard.press(key);
  await page.getByRole('button', { name: /^Remove filter time/ }).waitFor();
  const { from = '', to = '' } = readSearch(page);
  assert(Math.abs(Date.parse(to) - Date.parse(from) - (2 * 86_400_000) / 80) < 120_000);
});

test('fits the height of lines to the width of the window', async () => {
  await moveTo(page, logs);
  await line('Bread sold').waitFor();
  const heightOf = async () => (await line('Bread sold').boundingBox())?.height;
  assert.equal(await heightOf(), 30);
  await page.setViewportSize({ width: 420, height: 900 });
  await page.waitForFunction(() => document.querySelector('[role=option][id]')?.clientHeight === 53);
  assert.equal(await heightOf(), 54);
});

test('fits on a phone, including the values to filter by', async () => {
  assert.deepEqual(await findMisfits(page, logs), []);
  await press(page, 'Fields');
  await page.getByRole('button', { name: 'barn 2' }).waitFor();
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert(overflow <= 0, `${overflow} pixels wider than the phone`);
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
