/** Tests the keyboard focus in tables in a real browser: it stays where the user works when rows disappear. */
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addToken } from '../../server/tests/support/people.ts';
import { type OpenedDashboard, openDashboard } from './openedDashboard.ts';

let opened: OpenedDashboard;
let page: Page;

before(async () => {
  opened = await openDashboard({
    prepare: async owner => {
      for (const name of ['first', 'second', 'third']) await addToken(owner, { kind: 'logs', name });
      return '/projects/default/tokens';
    },
  });
  page = opened.page;
});

after(() => opened?.[Symbol.asyncDispose]());

const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name });

async function revoke(name: string): Promise<void> {
  await rowOf(name).getByRole('button', { name: 'Revoke' }).press('Enter');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke token' }).press('Enter');
  await rowOf(name).waitFor({ state: 'detached' });
}

async function waitForFocus(row: string): Promise<void> {
  await page.waitForFunction(
    text =>
      document.activeElement?.textContent === 'Revoke' &&
      document.activeElement.closest('tr')?.textContent?.includes(text),
    row,
  );
}

test('a deletion leaves the focus at the same button of the next row', async () => {
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').press('Enter');
  await revoke('second');
  await waitForFocus('third');
});

test('in the last row, the focus goes to the row before', async () => {
  await revoke('third');
  await waitForFocus('first');
});

test('after the last row, the focus stays on the page', async () => {
  await revoke('first');
  await page.getByRole('heading', { name: 'No tokens yet' }).waitFor();
  await page.waitForFunction(() => document.activeElement?.closest('main') !== null);
});
