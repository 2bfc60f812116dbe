/** Tests errors as issues in a real browser: grouped, resolved, returned, ignored, and the links to their entries. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { addPerson } from '../../server/tests/support/people.ts';
import { openLogPage } from './logPage.ts';
import { findMisfits } from './phone.ts';
import { findBroken } from './screenReaderRules.ts';
import { comeIn, press, readSearch } from './steps.ts';

const issues = '/projects/default/issues';
const failed = (number: number, player: string) => ({
  level: 'error',
  message: `Transfer ${number} failed`,
  resource: 'bank',
  metadata: { player: { id: player } },
});

const opened = await openLogPage({
  fill: write =>
    write([
      failed(1, 'a'),
      failed(2, 'a'),
      failed(3, 'b'),
      { level: 'error', message: 'Cannot load the map', resource: 'maps' },
      { level: 'warn', message: 'The disk is slow', resource: 'disks' },
      { level: 'info', message: 'All is well', resource: 'bank' },
    ]),
});
after(() => opened[Symbol.asyncDispose]());
const { service, browser, visitor, page, write } = opened;

const lines = (): Locator => page.getByRole('main').getByRole('listitem');
const line = (text: string): Locator => lines().filter({ hasText: text });
const show = (state: string): Promise<void> =>
  page.getByRole('group', { name: 'State' }).getByRole('button', { name: state }).click();

test('groups equal errors into one issue with the affected players', async () => {
  await page.goto(issues);
  await line('failed').getByText('3 times').waitFor();
  await line('failed').getByText('2 players').waitFor();
  assert.equal(await lines().count(), 2);
  assert.deepEqual(await findBroken(page), []);
  await press(page, 'With warnings');
  await line('The disk is slow').waitFor();
  assert.deepEqual(readSearch(page), { warnings: '1' });
  await press(page, 'With warnings');
  await line('The disk is slow').waitFor({ state: 'detached' });
});

test('filters and sorts issues', async () => {
  await page.getByLabel('Order').selectOption('Newest');
  const find = page.getByLabel('Find an issue');
  await find.fill('load MAP');
  await line('failed').waitFor({ state: 'detached' });
  assert.deepEqual(readSearch(page), { sort: 'firstSeen', text: 'load MAP' });
  await find.fill('xylophone');
  await page.getByText('No issue here contains these words.').waitFor();
  await find.fill('');
  await line('failed').waitFor();
});

test('hides a resolved issue and reopens it when it occurs again', async () => {
  await line('failed')
    .getByRole('button', { name: /^Resolve/ })
    .click();
  await line('failed').waitFor({ state: 'detached' });
  await show('Resolved');
  await line('failed')
    .getByText(/^Resolved/)
    .waitFor();
  service.clock.advance(1_000);
  await write([failed(4, 'c')]);
  await page.goto(issues);
  await line('failed').getByText('Came back').waitFor();
  await line('failed').getByText('3 players').waitFor();
});

test('hides an ignored issue until it is opened again', async () => {
  await line('Cannot load the map')
    .getByRole('button', { name: /^Ignore/ })
    .click();
  await line('Cannot load the map').waitFor({ state: 'detached' });
  await show('Ignored');
  await line('Cannot load the map')
    .getByRole('button', { name: /^Open again/ })
    .click();
  await page.getByText('No ignored issues').waitFor();
  await show('Open');
  await line('Cannot load the map').waitFor();
});

test('applies one decision to all issues that match the search', async () => {
  const broken = ['Cannot reach the shop', 'Cannot reach the bank', 'Cannot reach the jail'];
  await write(broken.map(message => ({ level: 'error', message, resource: 'doors' })));
  await page.goto(issues);
  const find = page.getByLabel('Find an issue');
  await find.fill('cannot reach');
  await press(page, 'Resolve all 3');
  await page.getByText('No issue here contains these words.').waitFor();
  await show('Resolved');
  await line('Cannot reach the jail').waitFor();
  assert.deepEqual(await findBroken(page), []);
  await press(page, 'Open all 3 again');
  await page.getByText('No issue here contains these words.').waitFor();
  await show('Open');
  await find.fill('');
  await line('Cannot reach the shop').waitFor();
});

test('undoes a decision with the button offered beside it', async () => {
  await line('Cannot reach the shop')
    .getByRole('button', { name: /^Ignore/ })
    .click();
  await line('Cannot reach the shop').waitFor({ state: 'detached' });
  await page.getByRole('status').getByText('Issue ignored').waitFor();
  await press(page, 'Undo');
  await line('Cannot reach the shop').waitFor();
  const find = page.getByLabel('Find an issue');
  await find.fill('cannot reach');
  await press(page, 'Resolve all 3');
  await page.getByRole('status').getByText('3 issues resolved').waitFor();
  await press(page, 'Undo');
  await line('Cannot reach the jail').waitFor();
  await find.fill('');
});

test('links an issue to its entries, where it can be resolved', async () => {
  await line('failed').getByRole('link', { name: 'failed' }).first().click();
  await page.getByRole('img', { name: /^4 entries/ }).waitFor();
  assert.match(readSearch(page).query ?? '', /^pattern:[0-9a-f]{16}$/);
  const strip = page.getByRole('region', { name: 'Issue', exact: true });
  await strip.getByText('3 players').waitFor();
  await strip.getByRole('button', { name: 'Resolve' }).click();
  await strip.getByText('Resolved issue').waitFor();
  await press(page, 'Undo');
  await strip.getByText('Open issue').waitFor();
  assert.deepEqual(await findBroken(page), []);
});

test('offers no decisions to a viewer, and fits on a phone', async () => {
  const viewer = await addPerson(service, { roles: { default: 'viewer' } });
  const phone = await browser.openPage();
  await phone.page.setViewportSize({ width: 390, height: 844 });
  await comeIn(phone.page, viewer, issues);
  const its = phone.page.getByRole('main').getByRole('listitem').filter({ hasText: 'failed' });
  await its.waitFor();
  assert.equal(await its.getByRole('button').count(), 0);
  assert.equal(await its.getByRole('link').count(), 1);
  assert.deepEqual(await findMisfits(phone.page, issues), []);
});

test('no request was refused and the browser reported no errors', () => {
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
