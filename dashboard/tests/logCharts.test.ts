/** Tests charts above the results: any field or statistic, choosing, reading, zooming and filtering, by pointer and keyboard. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { moveTo } from './inAppNavigation.ts';
import { logs, openLogPage } from './logPage.ts';
import { findMisfits } from './phone.ts';
import { press, readSearch } from './steps.ts';

const minuteMs = 60_000;

const opened = await openLogPage({
  fill: async (write, now) => {
    const items = Array.from({ length: 120 }, (_, index) => ({
      level: index % 10 === 0 ? 'error' : 'info',
      message: `Door ${index}`,
      resource: ['doors', 'world', 'doors', 'chat'][index % 4],
      metadata: { map: index % 3 === 0 ? 'desert' : 'harbour', ms: 100 },
      timestamp: now - (index * 10 + 5) * minuteMs,
    }));
    await write(items);
  },
});
after(() => opened[Symbol.asyncDispose]());
const { browser, visitor, page } = opened;

const chart = (name: string): Locator => page.getByRole('region', { name, exact: true });
const legend = (): Locator => page.getByRole('list', { name: 'Legend' });

/** Sums the screen reader table by column. */
async function readTable(name: string): Promise<Record<string, number>> {
  const rows = await page.getByRole('table', { name }).evaluate(table =>
    // The role says it is a table.
    [...(table as HTMLTableElement).rows].map(({ cells }) => [...cells].map(cell => cell.textContent ?? '')),
  );
  const [names = [], ...lines] = rows;
  const sums = names.slice(1).map((column, index) => {
    const told = lines.flatMap(line => (line[index + 1] === 'none' ? [] : [Number(line[index + 1])]));
    return [column, told.reduce((sum, value) => sum + value, 0)] as const;
  });
  return Object.fromEntries(sums);
}

test('draws entries by resource with one press, with a table of the same numbers', async () => {
  await press(page, 'Chart');
  await legend().getByRole('button', { name: 'doors 60' }).waitFor();
  await page.getByRole('img', { name: /^Entries by resource since .*: doors, / }).waitFor();
  assert.deepEqual(await readTable('Entries by resource'), { doors: 60, world: 30, chat: 30 });
  assert.deepEqual(readSearch(page), { chart: 'count', by: 'resource' });
});

test('groups by any field and combines the remaining values', async () => {
  await page.getByLabel('Group by').selectOption('map');
  await legend().getByRole('button', { name: 'harbour 80' }).waitFor();
  await page.getByLabel('Group by').selectOption('resource');
  await moveTo(page, `${logs}?chart=count&by=ms&query=map:desert`);
  await legend().getByRole('button', { name: '100 40' }).waitFor();
  await moveTo(page, `${logs}?chart=count&by=resource&top=3`);
  await legend().getByRole('button', { name: 'world 30' }).waitFor();
});

test('draws a statistic of a number field and keeps it in the address', async () => {
  await moveTo(page, logs);
  await press(page, 'Chart');
  await page.getByLabel('Statistic').selectOption('p95');
  await page.getByRole('img', { name: /^p95 of ms by resource since/ }).waitFor();
  await page.getByLabel('Group by').selectOption('level');
  await page.getByRole('img', { name: /^p95 of ms by level since .*: info, error/ }).waitFor();
  assert.deepEqual(readSearch(page), { chart: 'p95', of: 'ms', by: 'level' });
  const fields = await page.getByLabel('Field').getByRole('option').allInnerTexts();
  assert.deepEqual(fields, ['a field', 'ms']);
  await page.reload();
  const { error = 0 } = await readTable('p95 of ms by level');
  assert.equal(error % 100, 0);
  assert(error > 0);
});

test('filters by or excludes a value from the legend', async () => {
  await moveTo(page, `${logs}?chart=count&by=resource`);
  await legend().getByRole('button', { name: 'Not resource doors' }).click();
  await legend()
    .getByRole('button', { name: /^doors/ })
    .waitFor({ state: 'detached' });
  assert.equal(readSearch(page).query, '-resource:doors');
  await legend().getByRole('button', { name: 'world 30' }).click();
  await legend().getByRole('button', { name: 'chat 30' }).waitFor({ state: 'detached' });
  assert.match(readSearch(page).query ?? '', /resource:world/);
});

test('selects a time range by dragging over the chart and with the keyboard', async () => {
  await moveTo(page, `${logs}?chart=count&by=resource`);
  const over = chart('Entries by resource').locator('.u-over');
  const box = await over.boundingBox();
  assert(box);
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.5, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.75, y, { steps: 4 });
  await page.mouse.up();
  await page.getByRole('button', { name: /^Remove filter time/ }).waitFor();
  const { from = '', to = '', chart: drawn } = readSearch(page);
  assert(Math.abs(Date.parse(to) - Date.parse(from) - 6 * 60 * minuteMs) < 30 * minuteMs);
  assert.equal(drawn, 'count');
  await page.goBack();
  await page.getByRole('button', { name: /^Remove filter time/ }).waitFor({ state: 'detached' });
  await page.getByRole('slider').focus();
  for (const key of ['ArrowLeft', 'Shift+PageDown', 'Shift+ArrowLeft', 'Enter'])
    await page.keyboard.press(key);
  await page.getByRole('button', { name: /^Remove filter time/ }).waitFor();
});

test('draws the chart of a field beside the entries and returns to the levels with the cross', async () => {
  await moveTo(page, logs);
  await press(page, 'Chart of level');
  await page.getByRole('img', { name: /^Entries by level since/ }).waitFor();
  await press(page, 'Back to levels over time');
  await page.getByRole('img', { name: /^120 entries since/ }).waitFor();
  assert.deepEqual(readSearch(page), {});
});

test('selects and leaves a chart with the keyboard alone', async () => {
  await page.getByRole('button', { name: 'Chart', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Statistic').focus();
  await page.keyboard.type('Sum');
  await page.getByRole('img', { name: /^Sum of ms by resource since/ }).waitFor();
  assert.deepEqual(await readTable('Sum of ms by resource'), { doors: 6000, world: 3000, chat: 3000 });
});

test('fits on a phone and in dark mode without errors', async () => {
  assert.deepEqual(await findMisfits(page, `${logs}?chart=p95&of=ms&by=resource`), []);
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
