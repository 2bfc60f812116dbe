/** Tests the Logs page while the user types: results of the last valid query, and keys that work as announced. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { logs, openLogPage } from './logPage.ts';
import { findBroken } from './screenReaderRules.ts';
import { readSearch } from './steps.ts';

const opened = await openLogPage({
  fill: write =>
    write([
      { level: 'info', message: 'Connection made', metadata: { player: { name: 'Anna' }, ms: 140 } },
      { level: 'warn', message: 'Slow tick', metadata: { ms: 90 } },
    ]),
});
after(() => opened[Symbol.asyncDispose]());
const { visitor, page } = opened;

const box = (): Locator => page.getByRole('combobox', { name: 'Search the logs' });
const suggestion = (name: RegExp): Locator => page.getByRole('option', { name });
const line = (text: string): Locator =>
  page.getByRole('listbox', { name: 'Entries, newest first' }).getByRole('option').filter({ hasText: text });

async function type(text: string, ...keys: string[]): Promise<void> {
  await page.keyboard.type(text);
  for (const key of keys) await page.keyboard.press(key);
}

/** Starts with an empty, focused box and no search. */
async function begin(): Promise<void> {
  await page.goto(logs);
  await line('Slow tick').waitFor();
  await page.keyboard.press('/');
}

test('keeps the last results, dimmed, while the query is invalid', async () => {
  await begin();
  await type('ms:>100', 'Enter');
  await line('Slow tick').waitFor({ state: 'detached' });
  const dimmed = page.locator('.outdated').filter({ has: page.getByRole('listbox', { name: /^Entries/ }) });
  assert.equal(await dimmed.count(), 0);
  await type(' (', 'Enter');
  await dimmed.getByRole('option').filter({ hasText: 'Connection made' }).waitFor();
  assert.deepEqual(await findBroken(page), []);
  await page.evaluate(() => history.pushState({}, '', `${location.pathname}?query=level%3Aloud`));
  await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
  await page.getByText('Write one of the levels').waitFor();
  await dimmed.getByRole('option').filter({ hasText: 'Connection made' }).waitFor();
  assert.deepEqual(visitor.takeRefusals(), [], 'nothing was asked of the service');
  await page.goto(`${logs}?query=nowhere`);
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
  await page.keyboard.press('/');
  await type(' (', 'Enter');
  await page.getByRole('heading', { name: 'The query has a mistake' }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Nothing found' }).count(), 0);
});

test('describes what the keys do in the line below the suggestions', async () => {
  await begin();
  await type('player.na');
  await suggestion(/player\.name/).waitFor();
  const promise = (text: string) => page.getByText(`↑ ↓ to choose, ${text}, Esc to close`);
  await promise('Tab to insert the first, Enter to search').waitFor();
  await page.keyboard.press('ArrowDown');
  await promise('Tab or Enter to insert').waitFor();
  await page.keyboard.press('Enter');
  assert.equal(await box().inputValue(), 'player.name:');
  await begin();
  await type('ayer');
  await promise('Enter to search').waitFor();
  await page.keyboard.press('Enter');
  assert.deepEqual(readSearch(page), { query: 'ayer' });
});

test('keeps the text when Tab completes nothing and Enter follows', async () => {
  await begin();
  await type('nothing begins like this', 'Tab', 'Enter');
  await page.getByRole('dialog', { name: 'How to search' }).waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await box().inputValue(), 'nothing begins like this');
  await page.getByRole('button', { name: 'Clear search' }).click();
  assert.equal(await box().inputValue(), '');
});
