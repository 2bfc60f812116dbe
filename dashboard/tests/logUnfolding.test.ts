/** Tests details in list and chart without opening an entry: whole texts, JSON, bars, time zones, differences. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { addToken } from '../../server/tests/support/people.ts';
import { logs, openLogPage } from './logPage.ts';
import { findBroken } from './screenReaderRules.ts';
import { press, readSearch } from './steps.ts';

const frames = Array.from({ length: 8 }, (_, index) => `  at step${index} (main.js:${index}:1)`).join('\n');
const bought = JSON.stringify({ event: 'purchase', player: { id: 7 }, items: [{ sku: 'bread' }], note: '' });
const [minuteMs, hourMs] = [60_000, 3_600_000];

const opened = await openLogPage({
  fill: async (write, now) => {
    const calm = Array.from({ length: 40 }, (_, index) => ({
      level: 'info',
      message: `Sale ${index}`,
      resource: 'shop',
      metadata: { server: 'eu-1' },
      timestamp: now - 90 * minuteMs + index * 1000,
    }));
    const burst = Array.from({ length: 30 }, (_, index) => ({
      level: 'error',
      message: `Map ${index} is missing`,
      resource: 'maps',
      metadata: { server: 'eu-2' },
      timestamp: now - 30 * minuteMs + index * 1000,
    }));
    await write([
      ...calm,
      ...burst,
      { level: 'error', message: `It broke\n${frames}`, resource: 'maps', timestamp: now - 3000 },
      { level: 'info', message: `sold ${bought}`, resource: 'shop', timestamp: now - 2000 },
      { level: 'info', message: 'A single line', resource: 'shop', timestamp: now - 1000 },
    ]);
  },
});
after(() => opened[Symbol.asyncDispose]());
const { owner, service, browser, visitor, page } = opened;

const list = (): Locator => page.getByRole('listbox', { name: 'Entries, newest first' });
const line = (text: string): Locator => list().getByRole('option').filter({ hasText: text });
const panel = (): Locator => page.getByRole('complementary', { name: 'Entry' });
const heightOf = async (text: string) => (await line(text).boundingBox())?.height ?? 0;

test('marks a text of several lines and expands it in place', async () => {
  await line('A single line').waitFor();
  assert.equal(await line('A single line').locator('[data-unfold]').count(), 0);
  const mark = line('It broke').locator('[data-unfold]');
  assert.equal(await mark.innerText(), '+8 lines');
  const before = await heightOf('It broke');
  await mark.click();
  const whole = line('It broke').locator('[data-unfolded]');
  await whole.getByText('5 frames').waitFor();
  assert((await heightOf('It broke')) > before + 60, 'the line has grown');
  assert.equal(await whole.getByText('step7').count(), 0);
  await whole.getByText('5 frames').click();
  await whole.getByText('step7').waitFor();
  assert.deepEqual(readSearch(page), {}, 'the entry stays closed');
  assert.deepEqual(await findBroken(page), []);
  await mark.click();
  await whole.waitFor({ state: 'detached' });
});

test('expands the active line with the right arrow key and collapses it with the left one', async () => {
  await list().focus();
  for (const key of ['j', 'j', 'ArrowRight']) await page.keyboard.press(key);
  const tree = line('sold').locator('[data-unfolded]');
  await tree.getByText('purchase', { exact: true }).waitFor();
  assert.equal(await tree.getByText('bread', { exact: true }).count(), 0);
  await tree.getByText('1 field', { exact: true }).last().click();
  await tree.getByText('bread', { exact: true }).waitFor();
  assert.deepEqual(await findBroken(page), []);
  await page.keyboard.press('ArrowLeft'); // the list still has the focus
  await tree.waitFor({ state: 'detached' });
  assert.deepEqual(readSearch(page), {});
});

test('shows JSON in a text as a tree, and as text again with one press', async () => {
  await line('sold').click();
  const items = panel().getByRole('button', { name: 'items: 1 item' });
  assert.equal(await items.getAttribute('aria-expanded'), 'true');
  assert.equal(await panel().getByText('bread', { exact: true }).count(), 0);
  await panel().getByRole('button', { name: '0: 1 field' }).click();
  await panel().getByText('bread', { exact: true }).waitFor();
  await items.click();
  await panel().getByText('bread', { exact: true }).waitFor({ state: 'detached' });
  assert.deepEqual(await findBroken(page), []);
  await press(page, 'Show as text');
  await panel().locator('pre').getByText(bought).waitFor();
  await press(page, 'Close the entry');
});

test('shows the dataset in each line once there are two', async () => {
  assert.equal(await line('A single line').getByText('game').count(), 0);
  const { token } = await addToken(owner, { kind: 'logs' });
  const headers = { authorization: token, 'content-type': 'application/json' };
  const body = JSON.stringify([{ level: 'info', message: 'From elsewhere' }]);
  assert.equal(
    (await service.fetch('/api/v3/logs?dataset=other', { method: 'POST', headers, body })).status,
    200,
  );
  await press(page, 'Search again');
  await line('From elsewhere').getByText('other').waitFor();
  await line('A single line').getByText('game').waitFor();
});

test('shows the time span, levels and total of a bar', async () => {
  await page.getByRole('img', { name: /^74 entries/ }).waitFor();
  const box = await page.locator('.u-over').boundingBox();
  assert(box);
  const place = 1 - (30 * minuteMs - 15_000) / (24 * hourMs);
  await page.mouse.move(box.x + box.width * place, box.y + box.height / 2);
  await page.getByText('Total').waitFor();
  const said = await page.getByRole('status').filter({ hasText: 'error' }).innerText();
  assert.match(said, /^\w+ \d+, [\d:]+ [AP]M to (?:\w+ \d+, )?[\d:]+ [AP]M: 30 error$/);
  await page.mouse.move(box.x, box.y - 200);
  await page.getByText('Total').waitFor({ state: 'detached' });
});

test('shows times in any time zone and remembers it in this browser', async () => {
  await press(page, 'View');
  await page.getByRole('menuitemradio', { name: 'Another time zone…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Time zone' });
  await dialog.getByLabel('Name').fill('Moon/Crater');
  await dialog.getByRole('button', { name: 'Use this time zone' }).click();
  await dialog.getByText('Unknown time zone. Write one such as Europe/Oslo.').waitFor();
  assert.deepEqual(await findBroken(page), []);
  await dialog.getByLabel('Name').fill('Asia/Kolkata');
  await dialog.getByRole('button', { name: 'Use this time zone' }).click();
  await page.getByText('Time in Asia/Kolkata').waitFor();
  await page.reload();
  await page.getByText('Time in Asia/Kolkata').waitFor();
  const at = await line('A single line').locator('time').getAttribute('datetime');
  const clock = new Date(Date.parse(at ?? '') + 5.5 * hourMs).toISOString().slice(14, 19);
  const shown = await line('A single line').locator('time').innerText();
  assert.match(shown, new RegExp(`:${clock}`));
  await page.getByLabel('Time', { exact: true }).selectOption('Between two times…');
  const span = page.getByRole('dialog', { name: 'Between two times' });
  await span.getByText('In Asia/Kolkata.').waitFor();
  await span.getByLabel('From', { exact: true }).fill(shown); // as copied from the list
  await span.getByLabel('To', { exact: true }).fill('now');
  await span.getByRole('button', { name: 'Search' }).click();
  await span.waitFor({ state: 'detached' });
  const { from = '' } = readSearch(page);
  assert.ok(Math.abs(Date.parse(from) - Date.parse(at ?? '')) < 1, `${from} is ${at}`);
  await page.goto(logs);
});

test('compares a time span with the previous one and links each difference to its entries', async () => {
  await page.goto(`${logs}?range=1h&dataset=game`);
  await page.waitForLoadState('networkidle');
  const sent: string[] = [];
  const note = (request: { url(): string }) => {
    const { pathname } = new URL(request.url());
    if (/\/logs\/(comparison|patterns|values|fields|histogram)$/.test(pathname)) sent.push(pathname);
  };
  page.on('request', note);
  await page.getByRole('tab', { name: 'Compare' }).click();
  const more = page.getByRole('region', { name: 'More often' });
  await more.getByRole('button', { name: /^level error 31, was 0 new$/ }).waitFor();
  await more.getByRole('button', { name: /^pattern Map n is missing 30, was 0 new$/ }).waitFor();
  page.off('request', note);
  const compared = sent.filter(path => /(comparison|patterns)$/.test(path));
  assert.deepEqual(compared.map(path => path.split('/').at(-1)).sort(), [
    'comparison',
    'patterns',
    'patterns',
  ]);
  assert.ok(sent.length <= 5, sent.join('\n'));
  const less = page.getByRole('region', { name: 'Less often' });
  await less.getByRole('button', { name: /^resource shop 2, was 40 5 % as often$/ }).waitFor();
  assert.deepEqual(await findBroken(page), []);
  await page.getByLabel('Compare with').selectOption('Another time…');
  const dialog = page.getByRole('dialog', { name: 'Compare with another time' });
  await dialog.getByLabel('Starts at', { exact: true }).fill('whenever');
  await dialog.getByRole('button', { name: 'Compare' }).click();
  await dialog.getByText(/^Not a time\. Try \d+\/\d+\/\d{4}, /).waitFor();
  assert.deepEqual(await findBroken(page), []);
  await dialog.getByLabel('Starts at', { exact: true }).fill('now-6h');
  await dialog.getByRole('button', { name: 'Compare' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.match(await page.getByLabel('Compare with').locator('option:checked').innerText(), /^From /);
  await more.getByRole('button', { name: /^level error 31, was 0 new$/ }).waitFor();
  await page.getByLabel('Compare with').selectOption('A week before');
  await more.getByRole('button', { name: /^server eu-2 30, was 0 new$/ }).click();
  await line('Map 29 is missing').waitFor();
  assert.deepEqual(readSearch(page), { range: '1h', dataset: 'game', against: 'week', query: 'server:eu-2' });
  await page.goto(`${logs}?range=all&tab=compare`);
  await page.getByRole('heading', { name: 'Nothing to compare with' }).waitFor();
  await page.goto(`${logs}?range=1h&tab=compare&query=nowhere`);
  await page.getByText('No entries match in either time span.').waitFor();
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
