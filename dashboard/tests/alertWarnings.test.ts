/** Tests warnings about rules that notify no one or fire very often, and about targets that are no webhook of their service. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listChannels } from '@tapedeck/contract/channels';
import { listRules } from '@tapedeck/contract/rules';
import { openProject } from './homeProjects.ts';
import { openDashboard } from './openedDashboard.ts';
import { press } from './steps.ts';

const patience = { timeout: 60_000 }; // for a busy machine
const alerts = '/projects/default/alerts';
const params = { project: 'default' };

let send: (items: readonly object[]) => Promise<void>;
const dashboard = await openDashboard({
  prepare: async owner => {
    ({ send } = await openProject(owner, 'default'));
    return `${alerts}/new?query=tick&value=1`;
  },
});
after(() => dashboard[Symbol.asyncDispose]());
const { owner, page } = dashboard;

test('warns in the editor about a rule without a channel or that would have fired very often', async () => {
  await send(
    Array.from({ length: 1_200 }, (_, index) => ({
      level: 'info',
      message: 'tick',
      timestamp: Date.now() - 120_000 * (index + 1),
    })),
  );
  await page.getByText('This rule notifies no channel').waitFor();
  await page.getByRole('spinbutton', { name: 'Within' }).fill('1');
  await page.getByLabel('This many or more').fill('1');
  await page.getByText(/It would have fired 1,\d\d\d times in the last week/).waitFor(patience);
  await press(page, 'Use 2 instead');
  assert.equal(await page.getByLabel('This many or more').inputValue(), '2');
  await page.getByText('Would not have fired in the last week.').waitFor(patience);
  await page.getByLabel('Severity', { exact: true }).selectOption('Info');
});

test('warns about an address that is not a Discord webhook but accepts it', async () => {
  await press(page, 'Add a channel');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Relay');
  const target = dialog.getByLabel('Webhook URL');
  await target.fill('https://example.com/not-discord');
  await dialog.getByText('This is not a Discord webhook URL').waitFor();
  await target.fill('https://discord.com/api/webhooks/1/secret');
  await dialog.getByText('This is not a Discord webhook URL').waitFor({ state: 'detached' });
  await target.fill('https://example.com/not-discord');
  await dialog.getByText('This is not a Discord webhook URL').waitFor();
  await dialog.getByRole('group', { name: 'Send alerts of severity' }).getByLabel('info').uncheck();
  await target.fill('https://discord.com/api/webhooks/1/secret');
  await dialog.getByText('This is not a Discord webhook URL').waitFor({ state: 'detached' });
  // Typed and sent at once: the first press only warns.
  await target.selectText();
  await target.evaluate((input: HTMLInputElement) => {
    document.execCommand('insertText', false, 'https://example.com/not-discord');
    setTimeout(() => input.form?.requestSubmit());
  });
  await dialog.getByText('This is not a Discord webhook URL').waitFor();
  assert.deepEqual((await owner.call(listChannels, { params })).channels, []);
  await press(page, 'Create channel');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('This rule notifies no channel').waitFor({ state: 'detached' });
  await press(page, 'Create rule');
  await page.getByText('No channel of this rule takes alerts of severity info').waitFor();
  const { rules } = await owner.call(listRules, { params });
  assert.deepEqual(rules.map(({ severity }) => severity).toSorted(), ['info']);
  await page.goto(`${dashboard.service.url}${alerts}/channels`);
  const card = page.getByRole('listitem', { name: 'Relay' });
  await card.getByText('This is not a Discord webhook URL').waitFor();
  await card.getByText('only alerts of severity warning or critical').waitFor();
});
