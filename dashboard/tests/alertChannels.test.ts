/** Tests channels: a new secret, switching on again, and paging through deliveries and history. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createChannel, listChannels, updateChannel } from '@tapedeck/contract/channels';
import { createRule } from '@tapedeck/contract/rules';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import type { Locator } from 'playwright-core';
import { leaveDeliveries } from '../../server/tests/support/outboxRows.ts';
import { startReceiver } from '../../server/tests/support/receiver.ts';
import { openDashboard } from './openedDashboard.ts';
import { press } from './steps.ts';

const pageLength = 25; // for deliveries; history has fewer
const more = 7; // on the second page
const params = { project: 'default' };
const rooms = '/projects/default/alerts';

let rule = '';
let secret = '';
const receiver = await startReceiver();
after(() => receiver[Symbol.asyncDispose]());
const dashboard = await openDashboard({
  environment: { TAPEDECK_OUTGOING_PRIVATE: 'true' },
  prepare: async owner => {
    const target = { name: 'Pager', kind: 'webhook', target: receiver.url } as const;
    const made = await owner.call(createChannel, { params, body: target });
    const { id } = made.channel;
    secret = made.secret ?? '';
    await owner.call(updateChannel, { params: { ...params, channel: id }, body: { enabled: false } });
    const condition = { op: '>=', value: 1 } as const;
    const asked = { name: 'Doors', kind: 'count', query: 'never', condition } as const;
    ({ id: rule } = (await owner.call(createRule, { params, body: { ...asked, channels: [id] } })).rule);
    const left = Array.from(
      { length: pageLength + more },
      () => ({ channel: id, type: 'file.created' }) as const,
    );
    await leaveDeliveries(owner.service, ...left);
    await recordChanges(await owner.service.openStore(), pageLength + more);
    return `${rooms}/channels`;
  },
});
after(() => dashboard[Symbol.asyncDispose]());
const { browser, owner, visitor, page } = dashboard;

/** Records that many rules have fired. */
async function recordChanges(store: MetadataStore, count: number): Promise<void> {
  const changes = Array.from({ length: count }, (_, index) => ({
    id: `change${String(index).padStart(14, '0')}`,
    rule,
    project: 'default',
    kind: 'fired' as const,
    at: Date.now() - (count - index) * 60_000,
    value: '',
    count: index,
    isMuted: false,
    actor: null,
    entries: [],
  }));
  await store.write(({ watches }) => watches.record(changes));
}

const card = (): Locator => page.getByRole('listitem', { name: 'Pager' });

test('shows that a channel is off, and sends what waited once it is on again', async () => {
  await card().getByText('Turned off: nothing is sent. Switched off by hand.').waitFor();
  assert.equal(receiver.received.length, 0);
  await press(page, 'Turn on again: Pager');
  await card().getByText('Turned off').waitFor({ state: 'detached' });
  const [channel] = (await owner.call(listChannels, { params })).channels;
  assert.deepEqual([channel!.enabled, channel!.offReason], [true, null]);
  await receiver.wait(pageLength + more);
});

test('shows a new secret once and signs with the old and the new one', async () => {
  await press(page, 'Actions for Pager');
  await page.getByRole('menuitem', { name: 'New secret' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Requests are signed with both secrets for one day').waitFor();
  await press(page, 'Create a new secret');
  const shown = await dialog.getByLabel('New secret').innerText();
  assert.match(shown, /^whsec_/);
  assert.notEqual(shown, secret);
  await page.keyboard.press('Escape');
  await press(page, 'Close without it');
  await dialog.waitFor({ state: 'detached' });
  const before = receiver.received.length;
  await press(page, 'Test Pager');
  await page.getByText('Delivered (200)').waitFor();
  const { headers } = (await receiver.wait(before + 1)).at(-1)!;
  assert.equal(String(headers['webhook-signature']).split(' ').length, 2);
});

test('pages through all deliveries and those of one channel', async () => {
  await page.getByRole('link', { name: 'Deliveries' }).click();
  const lines = page.getByRole('list', { name: 'Deliveries' }).locator(':scope > li');
  for (const search of ['', 'Pager']) {
    if (search !== '') await page.getByLabel('Channel').selectOption({ label: search });
    await lines.nth(pageLength - 1).waitFor();
    assert.equal(await lines.count(), pageLength);
    await press(page, 'Show older');
    await lines.nth(pageLength + more - 1).waitFor();
    assert.equal(await lines.count(), pageLength + more);
    await page.getByRole('button', { name: 'Show older' }).waitFor({ state: 'detached' });
  }
});

test('pages through the history of a rule', async () => {
  await page.goto(`${rooms}/${rule}`);
  const history = page.locator('section').filter({ has: page.getByRole('heading', { name: 'History' }) });
  const lines = history.locator('ol > li');
  await lines.first().waitFor();
  const first = await lines.count();
  assert.ok(first < pageLength + more);
  await history.getByRole('button', { name: 'Show older' }).click();
  await lines.nth(first).waitFor();
  for (const older = history.getByRole('button', { name: 'Show older' }); await older.isVisible(); )
    await older.click();
  await lines.nth(pageLength + more - 1).waitFor();
  assert.equal(await lines.count(), pageLength + more);
});

test('no request was refused and the browser reported no errors', () => {
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
