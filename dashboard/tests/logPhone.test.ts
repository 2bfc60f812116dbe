/** Tests the logs page on a phone: the first entry is in the upper half, and filters are behind a button. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { addToken } from '../../server/tests/support/people.ts';
import { logs, openLogPage } from './logPage.ts';
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
const { browser, owner, service, visitor, page } = opened;

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

test('cuts long names and right-to-left text at their ends', async () => {
  const { token } = await addToken(owner, { kind: 'logs' });
  const items = ['דלת', 'Door'].map(word => ({ level: 'warn', message: `${word} z ${'y '.repeat(300)}` }));
  const request = { method: 'POST', headers: { authorization: token }, body: JSON.stringify(items) };
  assert.equal((await service.fetch(`/api/v3/logs?dataset=${'d'.repeat(64)}`, request)).status, 200);
  await page.goto(`${logs}?range=all&query=z`);
  for (const word of ['דלת', 'Door']) {
    const row = page.getByRole('option').filter({ hasText: word });
    const places = await row.evaluate(element => {
      const body = element.querySelector('bdi:not([data-field])');
      const texts = body && document.createTreeWalker(body, NodeFilter.SHOW_TEXT).nextNode();
      if (!texts) return null;
      const range = document.createRange();
      range.setStart(texts, 0);
      range.setEnd(texts, 1);
      const [letter, all] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
      return { letter: [letter.left, letter.right], row: [all.left, all.right] };
    });
    assert(places, word);
    const [[left = 0, right = 0], [rowLeft = 0, rowRight = 0]] = [places.letter, places.row];
    assert(left >= rowLeft && right <= rowRight, `${word} is cut off: ${JSON.stringify(places)}`);
  }
});
