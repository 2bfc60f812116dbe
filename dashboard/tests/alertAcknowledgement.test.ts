/** Tests an acknowledged alert, its severity, and the entries behind it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createRule } from '@tapedeck/contract/rules';
import { openProject } from './homeProjects.ts';
import { openDashboard } from './openedDashboard.ts';

const told = { timeout: 60_000 }; // a rule fires within 20 s, and pages refresh every 15 s
const alerts = '/projects/default/alerts';
const params = { project: 'default' };

let send: (items: readonly object[]) => Promise<void>;
const dashboard = await openDashboard({
  prepare: async owner => {
    ({ send } = await openProject(owner, 'default'));
    const body = {
      name: 'Fire',
      kind: 'count',
      severity: 'critical',
      query: '"roof"',
      condition: { op: '>=', value: 1 },
      windowSeconds: 3_600,
    } as const;
    const { rule } = await owner.call(createRule, { params, body });
    return `${alerts}/${rule.id}`;
  },
});
after(() => dashboard[Symbol.asyncDispose]());
const { owner, page } = dashboard;

test('shows beside the severity that a rule has no channel', async () => {
  await page.getByText('This rule notifies no channel').waitFor();
  await page.getByText('Critical').waitFor();
});

test('acknowledges an alert and shows by whom on the page, in history, bell and list', async () => {
  await send([{ level: 'error', message: 'the roof burns' }]);
  const isOnIt = `${owner.email} is on it`;
  await page.getByRole('button', { name: 'I’m on it: Fire' }).click(told);
  const firing = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Firing now' }) });
  await firing.getByText(isOnIt).waitFor();
  assert.equal(await page.getByRole('button', { name: 'I’m on it: Fire' }).count(), 0);
  const history = page.locator('section').filter({ has: page.getByRole('heading', { name: 'History' }) });
  await history.getByText(`Acknowledged by ${owner.email}`).waitFor(told);
  await history.getByRole('list', { name: 'Entries' }).getByText('the roof burns').waitFor();
  await page.getByRole('complementary').getByRole('button', { name: 'Alerts: 1 rule is firing' }).click();
  await page.getByRole('menu').getByText(isOnIt).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Alerts', exact: true }).first().click();
  const row = page.getByRole('row', { name: 'Fire' });
  await row.getByText('Critical').waitFor();
  await row.getByText(isOnIt).waitFor();
});
