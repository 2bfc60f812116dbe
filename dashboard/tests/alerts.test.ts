/** Tests the way from a search to a rule: testing a channel, dragging the threshold, and counting past alerts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listRules } from '@tapedeck/contract/rules';
import type { Locator } from 'playwright-core';
import { startReceiver } from '../../server/tests/support/receiver.ts';
import { openProject } from './homeProjects.ts';
import { openDashboard } from './openedDashboard.ts';
import { go, press, readSearch } from './steps.ts';

const hourMs = 3_600_000;

let send: (items: readonly object[]) => Promise<void>;
const receiver = await startReceiver();
after(() => receiver[Symbol.asyncDispose]());
const dashboard = await openDashboard({
  environment: { TAPEDECK_OUTGOING_PRIVATE: 'true' },
  prepare: async owner => {
    ({ send } = await openProject(owner, 'default'));
    const at = owner.service.clock.now() - 30 * hourMs;
    await write(Array.from({ length: 8 }, (_, index) => ({ message: `Nil value ${index}`, timestamp: at })));
    return '/projects/default';
  },
});
after(() => dashboard[Symbol.asyncDispose]());
const { browser, owner, visitor, page } = dashboard;

function write(entries: readonly object[]): Promise<void> {
  return send(entries.map(entry => ({ level: 'error', ...entry })));
}

const bell = (words: string | RegExp): Locator =>
  page.getByRole('complementary').getByRole('button', { name: words });
const line = (): Locator => page.getByRole('slider', { name: 'Threshold' });

test('proposes three rules from the stored data while nothing fires', async () => {
  await bell('Alerts: none firing').click();
  await page.getByRole('menu').getByText('No rules yet.').waitFor();
  await page.getByRole('menuitem', { name: 'All rules' }).click();
  await page.getByRole('heading', { name: 'No rules yet' }).waitFor();
  const proposals = page.getByRole('list', { name: 'Suggested rules' });
  await proposals.getByText('8 errors in the last seven days.').waitFor();
  await proposals.getByText('1 new message in the last seven days.').waitFor();
  await proposals.getByRole('link', { name: 'A server went silent' }).click();
  await page.getByText('No servers are reporting.').waitFor();
  assert.deepEqual(readSearch(page), { want: 'quiet', name: 'A server went silent' });
});

test('creates a webhook and shows its secret once', async () => {
  await go(page, 'Alerts', 'Project');
  await page.getByRole('link', { name: 'Channels' }).click();
  await page.getByRole('heading', { name: 'No channels yet' }).waitFor();
  await press(page, 'New channel');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Webhook', { exact: true }).click();
  await dialog.getByLabel('Name').fill('Pager');
  await dialog.getByLabel('Address').fill(receiver.url);
  await dialog.getByLabel('a file is uploaded').check();
  await press(page, 'Create channel');
  assert.match(await dialog.getByLabel('New secret').innerText(), /^whsec_/);
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog', { name: 'Close without the secret?' }).waitFor();
  await press(page, 'Close without it');
  await dialog.waitFor({ state: 'detached' });
  const card = page.getByRole('listitem', { name: 'Pager' });
  await card.getByText('Not used by any rule yet; also when a file is uploaded.').waitFor();
  assert.doesNotMatch(await card.innerText(), /secret-part/);
});

test("shows the receiver's response to a test", async () => {
  receiver.plan({ status: 418, body: 'short and stout' });
  await press(page, 'Test Pager');
  await page.getByText('Failed (418)').waitFor();
  await page.getByText('short and stout').waitFor();
  await press(page, 'Test Pager');
  await page.getByText('Delivered (200)').waitFor();
});

test('starts a rule from the search with “Alert me about this”', async () => {
  await page.goto('/projects/default/logs?query=level:error&dataset=game&range=7d');
  await page.getByRole('link', { name: 'Alert me about this' }).click();
  await page.getByRole('heading', { name: 'New rule' }).waitFor();
  assert.equal(await page.getByRole('combobox', { name: 'Entries that match' }).inputValue(), 'level:error');
  assert.equal(await page.getByLabel('Dataset').inputValue(), 'game');
  assert.equal(await page.getByLabel('Pager').isChecked(), true, 'the only channel is told');
  await page.getByText('Would not have fired in the last week.').waitFor();
});

test('moves the threshold with the keyboard and shows how often the rule would have fired', async () => {
  await line().focus();
  assert.equal(await line().getAttribute('aria-valuetext'), '10 or more entries');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.equal(await line().getAttribute('aria-valuetext'), '8 or more entries');
  await page.getByText('Would have fired 1 time in the last week').waitFor();
  assert.equal(await page.getByLabel('This many or more').inputValue(), '8');
  await page.keyboard.press('Home');
  assert.equal(await line().getAttribute('aria-valuenow'), '1');
});

test('drags the threshold without rescaling the chart', async () => {
  const box = await line().boundingBox();
  assert(box);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 40, { steps: 5 });
  await page.mouse.move(x, y - 80, { steps: 5 });
  const [dragged, top] = [await readLine('now'), await readLine('max')];
  await page.mouse.up();
  assert(dragged > 3 && dragged < top, `${dragged} of ${top}`);
  await page.getByText(`${dragged} or more entries that match`).waitFor();
});

const readLine = async (what: 'now' | 'max'): Promise<number> =>
  Number(await line().getAttribute(`aria-value${what}`));

test('creates the rule with the suggested name', async () => {
  await page.getByLabel('This many or more').fill('5');
  await page.getByRole('spinbutton', { name: 'Within' }).fill('10');
  await page.getByLabel('Unit of time').selectOption('seconds');
  await press(page, 'Create rule');
  await page.getByRole('heading', { name: 'Many errors' }).waitFor();
  await page
    .getByText('5 or more entries that match level:error in the dataset game in 10 seconds')
    .waitFor();
  await page.getByText('It has not fired yet.').waitFor();
  const { rules } = await owner.call(listRules, { params: { project: 'default' } });
  assert.deepEqual(
    rules.map(({ name, condition, windowSeconds }) => ({ name, condition, windowSeconds })),
    [{ name: 'Many errors', condition: { op: '>=', value: 5 }, windowSeconds: 10 }],
  );
});

test('no request was refused and the browser reported no errors', () => {
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
