/** Tests the logs page on a phone: the first entry is in the upper half, and filters are behind a button. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openLogPage } from './logPage.ts';
import { press } from './steps.ts';

const phone = { width: 390, height: 844 };

const opened = await openLogPage({
  fill: async write => {
    const items = Array.from({ length: 50 }, (_, index) => ({
      level: 'info',
      message: `Door ${index} opened`,
      resource: 'doors',
    }));
    await write(items);
  },
  arrange: page => page.setViewportSize(phone),
});
after(() => opened[Symbol.asyncDispose]());
const { browser, visitor, page } = opened;

test('shows the first entry in the upper half of the screen', async () => {
  const first = page.getByRole('option').filter({ hasText: 'Door 49' });
  await first.waitFor();
  await page.getByRole('img', { name: /^50 entries/ }).waitFor();
  const box = await first.boundingBox();
  assert(box && box.y <= phone.height / 2, `it begins at ${box?.y} px`);
});

test('reaches fields and levels with one press', async () => {
  await press(page, 'Fields');
  const sheet = page.getByRole('dialog', { name: 'Fields' });
  await sheet.getByRole('button', { name: 'doors 50' }).click();
  await press(page, 'Close');
  await page.getByRole('button', { name: 'error', exact: true }).click();
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
