/** Tests upload links in a real browser: their creator sees what arrived. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { formOf, makePicture, mediaEnvironment } from '../../server/tests/support/uploading.ts';
import { openDashboard } from './openedDashboard.ts';
import { findBroken } from './screenReaderRules.ts';
import { press, readSearch } from './steps.ts';

const opened = await openDashboard({
  environment: mediaEnvironment,
  prepare: async () => '/projects/default/files?path=gifts',
});
after(() => opened[Symbol.asyncDispose]());
const { page, service } = opened;

test('lists the files that arrived through a link and leads to them', async () => {
  await press(page, 'Upload link');
  await page.getByRole('dialog').getByLabel('Uploads').fill('2');
  await press(page, 'Create link');
  const command = await page.getByRole('dialog').locator('pre').innerText();
  await press(page, 'Copy link');
  await press(page, 'Done');
  const made = page.getByRole('list', { name: 'Your upload links' }).getByRole('listitem');
  await press(page, 'Upload link');
  await made.first().getByText('No uploads yet').waitFor();
  const link = /http\S+/.exec(command)?.[0] ?? '';
  const form = formOf(await makePicture(5, 5), {}, 'Gift.png');
  const sent = await service.fetch(new URL(link).pathname, { method: 'POST', body: form });
  assert.equal(sent.status, 200);
  await page.reload();
  await press(page, 'Upload link');
  await made
    .first()
    .getByText(/up to 2 uploads/)
    .waitFor();
  await made.first().getByText('gifts').waitFor();
  assert.deepEqual(await findBroken(page), []);
  await made
    .first()
    .getByRole('link', { name: /^1 file, / })
    .click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('listbox', { name: 'Files' }).getByText('Gift.png').first().waitFor();
  assert.match(readSearch(page).query ?? '', /^uploadLink:\w{20}$/);
});
