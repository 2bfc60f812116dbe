/** The room of logs on a phone: the first entry stands in the upper half, and what narrows it down behind a button. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openLogRoom } from './logRoom.ts';
import { press } from './steps.ts';

const phone = { width: 390, height: 844 };

const room = await openLogRoom({
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
after(() => room[Symbol.asyncDispose]());
const { browser, visitor, page } = room;

test('the first entry stands in the upper half of the screen, all of it', async () => {
  const first = page.getByRole('option').filter({ hasText: 'Door 49' });
  await first.waitFor();
  await page.getByRole('img', { name: /^50 entries/ }).waitFor();
  const box = await first.boundingBox();
  assert(box && box.y + box.height <= phone.height / 2, `it ends at ${box && box.y + box.height} px`);
});

test('what narrows the search stays one press away', async () => {
  await press(page, 'Fields');
  const sheet = page.getByRole('dialog', { name: 'Fields' });
  await sheet.getByRole('button', { name: 'doors 50' }).click();
  await press(page, 'Close');
  await page.getByRole('button', { name: 'error', exact: true }).click();
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
