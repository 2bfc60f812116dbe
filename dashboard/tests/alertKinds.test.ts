/** Tests rules of every kind, and the links that open each with the right values. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listRules } from '@tapedeck/contract/rules';
import { openDashboard } from './openedDashboard.ts';
import { makeDoorChannel, makeTakenRule, sendDoorEntries } from './patternEntries.ts';
import { press, readSearch } from './steps.ts';

const params = { project: 'default' };
const alerts = '/projects/default/alerts';

let rule: string;
const dashboard = await openDashboard({
  prepare: async owner => {
    await sendDoorEntries(owner);
    await makeDoorChannel(owner);
    rule = await makeTakenRule(owner);
    return alerts;
  },
});
after(() => dashboard[Symbol.asyncDispose]());
const { browser, owner, visitor, page } = dashboard;

const want = (label: string) => page.getByRole('radio', { name: label });
const choose = (label: string) => page.getByText(label, { exact: true }).click();

test('creates a rule about a rise, for each value of a field', async () => {
  await page.getByRole('link', { name: 'New rule' }).click();
  await choose('Suddenly more');
  await page.getByLabel('At least').fill('3');
  await page.getByLabel('Times the previous window').fill('2.5');
  await page.getByRole('spinbutton', { name: 'Within' }).fill('1');
  await page.getByLabel('Unit of time').selectOption('hours');
  await page.getByLabel('For each').fill('resource');
  await page.getByText('Would have fired 3 times in the last week').waitFor();
  await page.getByLabel('Name').fill('Doors wild');
  await page.getByLabel('#doors').check();
  await press(page, 'Create rule');
  await page.getByRole('heading', { name: 'Doors wild' }).waitFor();
  const { rules } = await owner.call(listRules, { params });
  const made = rules.find(({ name }) => name === 'Doors wild');
  assert.deepEqual(
    [made?.kind, made?.condition, made?.by],
    ['change', { value: 3, factor: 2.5 }, 'resource'],
  );
  assert.deepEqual([made?.windowSeconds, made?.channels.length], [3600, 1]);
});

test('opens a rule about silence in the editor as it was saved, and changes it', async () => {
  await page.goto(`${alerts}/${rule}`);
  await page.getByText('no entry in 24 hours').or(page.getByText('no entry in 1 day')).waitFor();
  await page.getByRole('link', { name: 'Edit' }).click();
  assert.equal(await want('Too few').isChecked(), true);
  assert.equal(await page.getByLabel('Fewer than').inputValue(), '1');
  await page.getByLabel('Fewer than').fill('4');
  await press(page, 'Save');
  await page.getByText('fewer than 4 entries in').waitFor();
});

test('previews what rules about patterns and quotas look at', async () => {
  await page.goto(`${alerts}/new?want=new&query=door`);
  await page.getByText('Would have fired 1 time in the last week. Latest patterns:').waitFor();
  await choose('Storage almost full');
  await page.getByText('This project has no quota').waitFor();
  await page.getByLabel('Percent of a quota used').fill('90');
  await press(page, 'Create rule');
  await page.getByRole('heading', { name: 'Storage almost full' }).waitFor();
  await page.getByText('90 % of a quota in use').waitFor();
});

test('opens a rule about new and returning issues from the issues', async () => {
  await page.goto('/projects/default/issues');
  await page.getByRole('link', { name: 'Alert me about new ones' }).click();
  await page.waitForURL(/want=issue/);
  assert.equal(await want('Issues').isChecked(), true);
  await page.getByText(/Would (not )?have fired/).waitFor();
  await press(page, 'Create rule');
  await page.getByRole('heading', { name: 'New or returning issues' }).waitFor();
  await page.getByText('a new or returning issue among errors').waitFor();
  const { rules } = await owner.call(listRules, { params });
  assert.equal(rules.find(({ name }) => name === 'New or returning issues')?.kind, 'issue');
});

test('opens the rule editor from patterns, live sessions and quotas', async () => {
  await page.goto('/projects/default/logs?tab=patterns&dataset=game');
  await page.getByRole('link', { name: 'Alert me about Door <n> opened' }).click();
  await page.getByRole('heading', { name: 'New rule' }).waitFor();
  const { query, dataset, name } = readSearch(page);
  assert.match(query ?? '', /^pattern:[0-9a-f]{16}$/);
  assert.deepEqual([dataset, name], ['game', 'Door <n> opened']);
  await page.goBack();
  await page.getByRole('link', { name: 'Alert me about new ones' }).click();
  await page.waitForURL(/want=new/);
  await page.goto('/projects/default/sessions');
  await page.getByRole('link', { name: 'Alert me when one goes silent' }).click();
  await page.waitForURL(/want=quiet/);
  await page.goto('/projects/default/settings');
  await page.getByRole('link', { name: 'Alert me before they are used up' }).click();
  await page.waitForURL(/want=storage/);
});

test('no request was refused and the browser reported no errors', () => {
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
