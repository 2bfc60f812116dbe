/** Tests editing rules: errors appear at their fields, and typed text stays. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openDashboard } from './openedDashboard.ts';
import { makeTakenRule, sendDoorEntries } from './patternEntries.ts';
import { press } from './steps.ts';

const alerts = '/projects/default/alerts';

const dashboard = await openDashboard({
  prepare: async owner => {
    await sendDoorEntries(owner);
    await makeTakenRule(owner);
    return `${alerts}/new`;
  },
});
after(() => dashboard[Symbol.asyncDispose]());
const { browser, visitor, page } = dashboard;

const box = () => page.getByRole('combobox', { name: 'Entries that match' });
/** Submits and waits until the service refuses. */
const makeInVain = async () => {
  const refused = page.waitForResponse(response => response.status() >= 400);
  await press(page, 'Create rule');
  await refused;
};
const alertOf = (text: string) => page.getByRole('alert').filter({ hasText: text });

test('completes fields and values in the search box and marks errors', async () => {
  await box().pressSequentially('lev');
  await page.getByRole('option', { name: 'level:' }).waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('option', { name: /^warn/ }).click();
  assert.equal((await box().inputValue()).trim(), 'level:warn');
  await page.getByText('10 or more entries that match level:warn in 5 minutes').waitFor();
  await box().fill('(level:warn OR');
  await makeInVain();
  await page.locator('[data-kind=error]').first().waitFor({ state: 'attached' });
  assert.deepEqual(visitor.takeRefusals(), ['400 POST /api/manage/projects/default/rules']);
  await box().fill('level:warn');
});

test('shows errors beside a taken name and an invalid number', async () => {
  await page.getByLabel('Name').fill('Taken');
  await makeInVain();
  await page.locator('[aria-invalid=true][placeholder^=Many]').waitFor();
  await page.getByLabel('This many or more').fill('0');
  await makeInVain();
  await alertOf('value must be at least 1').waitFor();
  assert.equal(await page.getByLabel('This many or more').getAttribute('aria-invalid'), 'true');
  await page.getByRole('spinbutton', { name: 'Within' }).fill('5000');
  await page.getByLabel('This many or more').fill('3');
  await makeInVain();
  await alertOf('windowSeconds').waitFor();
  assert.equal(visitor.takeRefusals().length, 3);
});

test('adds a channel in a dialog without losing what was typed', async () => {
  await page.getByText('No channels yet.').waitFor();
  await press(page, 'Add a channel');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('#doors');
  await dialog.getByLabel('Webhook URL').fill('https://discord.com/api/webhooks/1/secret');
  await press(page, 'Create channel');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await page.getByLabel('#doors').isChecked(), true);
  assert.equal(await page.getByLabel('Name').inputValue(), 'Taken');
});

test('asks before discarding changes', async () => {
  await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Logs' }).click();
  await page.getByRole('alertdialog', { name: 'Leave without saving?' }).waitFor();
  await press(page, 'Cancel');
  assert.equal(await page.getByLabel('Name').inputValue(), 'Taken');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await press(page, 'Leave');
  await page.getByRole('row', { name: 'Taken' }).waitFor();
});

test('no request was refused and the browser reported no errors', () => {
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
