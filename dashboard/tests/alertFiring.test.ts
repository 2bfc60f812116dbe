/** Tests a firing rule: the bell's count, history, notifications, muting, and the end of the alert. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createChannel } from '@tapedeck/contract/channels';
import { createRule } from '@tapedeck/contract/rules';
import type { Locator } from 'playwright-core';
import { startReceiver } from '../../server/tests/support/receiver.ts';
import { openProject } from './homeProjects.ts';
import { openDashboard } from './openedDashboard.ts';
import { press, readSearch } from './steps.ts';

const windowSeconds = 20;
const told = { timeout: 60_000 }; // a rule fires within 20 s, and pages refresh every 15 s

let send: (items: readonly object[]) => Promise<void>;
const receiver = await startReceiver();
after(() => receiver[Symbol.asyncDispose]());
const dashboard = await openDashboard({
  environment: { TAPEDECK_OUTGOING_PRIVATE: 'true' },
  prepare: async owner => {
    ({ send } = await openProject(owner, 'default'));
    const params = { project: 'default' };
    const target = { name: 'Pager', kind: 'webhook', target: receiver.url } as const;
    const { channel } = await owner.call(createChannel, { params, body: target });
    const question = { query: 'level:error', dataset: 'game', windowSeconds } as const;
    const condition = { op: '>=', value: 5 } as const;
    const channels = [channel.id];
    const body = { name: 'Many errors', kind: 'count', condition, ...question } as const;
    const { rule } = await owner.call(createRule, { params, body: { ...body, channels } });
    return `/projects/default/alerts/${rule.id}`;
  },
});
after(() => dashboard[Symbol.asyncDispose]());
const { browser, visitor, page } = dashboard;

const write = (entries: readonly object[]) => send(entries.map(entry => ({ level: 'error', ...entry })));

const bell = (words: string | RegExp): Locator =>
  page.getByRole('complementary').getByRole('button', { name: words });

test('shows a firing rule in the bell and on its page, and notifies the channel', async () => {
  await page.getByText('It has not fired yet.').waitFor();
  await write(Array.from({ length: 6 }, (_, index) => ({ message: `Nil value ${index}` })));
  await receiver.wait(1, told.timeout);
  await page.reload();
  await bell('Alerts: 1 rule is firing').click();
  await page.getByRole('menuitem', { name: /^Many errors 6 entries, / }).click();
  const history = page.locator('section').filter({ has: page.getByRole('heading', { name: 'History' }) });
  await history.getByText('Fired').waitFor(told);
  await history.getByText('6 entries').waitFor();
  await history.getByText('Resolved').waitFor(told);
  await bell('Alerts: none firing').click(told);
  await page.getByRole('menu').getByText('No rule is firing. 1 rule is on.').waitFor();
  await page.keyboard.press('Escape');
  await history.getByRole('link', { name: 'Show the entries' }).last().click();
  await page.getByRole('option').filter({ hasText: 'Nil value 5' }).waitFor();
  const { query, dataset, from, to } = readSearch(page);
  assert.deepEqual([query, dataset], ['level:error', 'game']);
  assert.equal(Date.parse(to ?? '') - Date.parse(from ?? ''), 2000 * windowSeconds);
  await page.goBack();
});

test('lists deliveries with their responses and repeats one by hand', async () => {
  await page.getByRole('list', { name: 'Deliveries' }).getByText('Rule fired to Pager').waitFor();
  await page.getByRole('link', { name: 'Alerts', exact: true }).first().click();
  await page.getByRole('link', { name: 'Deliveries' }).click();
  const list = page.getByRole('list', { name: 'Deliveries' });
  const fired = list.getByRole('listitem').filter({ hasText: 'Rule fired to Pager' });
  await fired.getByText('Many errors').waitFor();
  await fired.locator('summary').click();
  await fired.getByRole('list', { name: 'Attempts' }).getByText('Status 200').waitFor();
  await fired.getByText('taken', { exact: true }).waitFor();
  const before = receiver.received.length;
  await fired.getByRole('button', { name: /^Send again: Rule fired to Pager/ }).click();
  const received = await receiver.wait(before + 1, told.timeout);
  const [first] = received.filter(({ body }) => body.includes('rule.fired'));
  assert.equal(received.at(-1)?.headers['webhook-id'], first?.headers['webhook-id']);
  await page.waitForFunction(
    () => document.querySelectorAll('[aria-label=Deliveries] > li').length === 3,
    null,
    told,
  );
  await page.getByLabel('Channel').selectOption('Pager');
  await page.waitForURL(/channel=/);
});

test('mutes a rule for an hour, until Monday or until a chosen time, and unmutes it', async () => {
  await page.getByRole('link', { name: 'Rules', exact: true }).click();
  const row = page.getByRole('row', { name: 'Many errors' });
  const choose = async (deed: string) => {
    await press(page, 'Actions for Many errors');
    await page.getByRole('menuitem', { name: deed }).click();
  };
  await choose('Mute for an hour');
  await row.getByText('muted until').waitFor();
  await choose('Unmute');
  await row.getByText('muted until').waitFor({ state: 'detached' });
  await choose('Mute until Monday');
  await row.getByText(/muted until .* 8:00 AM/).waitFor();
  await choose('Mute until…');
  await page.getByLabel('Until').fill('2020-01-01T00:00');
  await press(page, 'Mute');
  await page.getByText('This time has passed. Choose a later one.').waitFor();
  await page.getByLabel('Until').fill('2090-01-01T12:30');
  await press(page, 'Mute');
  await row.getByText('muted until Jan 1, 2090, 12:30 PM').waitFor();
});

test('switches a rule off and on, and asks before deleting it', async () => {
  const row = page.getByRole('row', { name: 'Many errors' });
  const choose = async (deed: string) => {
    await press(page, 'Actions for Many errors');
    await page.getByRole('menuitem', { name: deed, exact: true }).click();
  };
  await choose('Turn off');
  await row.getByText('Off', { exact: true }).waitFor();
  await choose('Turn on');
  await row.getByText('OK', { exact: true }).waitFor();
  await choose('Delete');
  await page.getByRole('alertdialog', { name: 'Delete Many errors?' }).waitFor();
  await press(page, 'Delete rule');
  await page.getByRole('heading', { name: 'No rules yet' }).waitFor();
});

test('no request was refused and the browser reported no errors', () => {
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
