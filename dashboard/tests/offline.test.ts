/** Tests that the dashboard reports a missing network, response, clipboard, permission or deleted object, and keeps working. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLogView, deleteLogView } from '@tapedeck/contract/logViews';
import { removeMember } from '@tapedeck/contract/users';
import type { Page } from 'playwright-core';
import { addPerson, addToken, type Person } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { buildDashboard } from './build.ts';
import { findBroken } from './screenReaderRules.ts';
import { comeIn, go, press, waitForPage } from './steps.ts';

const unreachable = 'The service cannot be reached; check the connection and try again.';

let service: TestService;
let browser: TestBrowser;
let page: Page;
let owner: Person;
const params = { project: 'default' };

before(async () => {
  await buildDashboard();
  service = await startTestService();
  browser = await startBrowser(service.url);
  owner = await addPerson(service, { isOwner: true });
  const { token } = await addToken(owner, { kind: 'logs' });
  const response = await service.fetch('/api/v3/logs', {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify([{ level: 'info', message: 'Before the storm' }]),
  });
  assert.equal(response.status, 200);
  page = (await browser.openPage()).page;
  await comeIn(page, owner, '/projects/default/logs');
  await page.getByText('Before the storm').waitFor();
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

test('explains a search without a network and repeats it once connected', async () => {
  await page.context().setOffline(true);
  await page.getByLabel('Search the logs').fill('storm');
  await page.keyboard.press('Enter');
  await page.getByText(unreachable).first().waitFor();
  await page.getByText('Counting…').first().waitFor({ state: 'detached' });
  await page.context().setOffline(false);
  await page.locator('mark').first().waitFor();
  await page.getByText(unreachable).waitFor({ state: 'detached' });
});

test('explains that a page cannot be loaded offline and loads it once connected', async () => {
  await page.context().setOffline(true);
  await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Datasets' }).click();
  await page.getByRole('heading', { name: 'No connection' }).waitFor();
  await page.getByText(unreachable).waitFor();
  await page.context().setOffline(false);
  await press(page, 'Try again');
  await page.getByRole('heading', { name: 'Datasets', level: 1 }).waitFor();
  await go(page, 'Logs');
  await page.getByText('Before the storm').waitFor();
});

test('shows that the engine is slow and links to other pages', async () => {
  const held = Promise.withResolvers<void>();
  const isOfLogs = ({ pathname }: URL) => /^\/api\/.*\/logs(\/|$)/.test(pathname);
  await page.route(isOfLogs, async route => {
    await held.promise;
    await route.continue().catch(() => {}); // the test left the page meanwhile
  });
  await page.goto('/projects/default/logs?query=level:info&range=7d');
  await page.getByText('Counting…').first().waitFor();
  assert.equal(await page.getByText('Nothing found').count(), 0);
  await go(page, 'Datasets');
  await page.goBack();
  await page.getByText('Counting…').first().waitFor();
  held.resolve();
  await page.getByText('Before the storm').waitFor();
  await page.unroute(isOfLogs);
});

test('copies without clipboard permission, and shows the text when that fails too', async () => {
  await page.getByText('Before the storm').click();
  await page.evaluate(() => {
    const refuse = () => Promise.reject(new DOMException('Write permission denied.', 'NotAllowedError'));
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: refuse }, configurable: true });
    document.addEventListener('copy', () => {
      document.title = `Copied ${getSelection()?.toString()}`;
    });
  });
  const copy = page.getByRole('button', { name: 'Copy link', exact: true });
  await copy.click();
  await page.getByRole('status').filter({ hasText: 'Copied' }).first().waitFor();
  assert.match(await page.title(), /^Copied http.*entry=/);
  assert.ok(await copy.evaluate(button => button === document.activeElement));
  await page.evaluate(() => {
    document.execCommand = () => false;
  });
  await copy.click();
  const shown = page.getByRole('dialog', { name: 'Copy the text' });
  const text = shown.getByRole('textbox', { name: 'Text to copy' });
  assert.match(await text.inputValue(), /^http.*entry=/);
  const selected = () =>
    text.evaluate((area: HTMLTextAreaElement) => area.selectionEnd - area.selectionStart);
  assert.equal(await selected(), (await text.inputValue()).length);
  assert.deepEqual(await findBroken(page), []);
  await page.keyboard.press('Escape');
  await shown.waitFor({ state: 'detached' });
  assert.ok(await copy.isVisible(), 'the entry stays open');
  await copy.click();
  await page.keyboard.press('Control+c');
  await shown.waitFor({ state: 'detached' });
  await page.getByRole('status').filter({ hasText: 'Copied' }).first().waitFor();
});

test('shows a value from a menu that cannot be copied, in front of the open entry', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Actions for the dataset' }).click();
  await page.getByRole('menuitem', { name: 'Copy value' }).click();
  const shown = page.getByRole('dialog', { name: 'Copy the text' });
  assert.equal(await shown.getByRole('textbox').inputValue(), 'default');
  await press(page, 'Close');
  await shown.waitFor({ state: 'detached' });
  assert.ok(await page.getByRole('button', { name: 'Copy link', exact: true }).isVisible());
  await page.setViewportSize({ width: 1280, height: 860 });
});

test('reports that something has been deleted elsewhere', async () => {
  const { view } = await owner.call(createLogView, { params, body: { name: 'Storms', query: '' } });
  await page.goto('/projects/default/log-views');
  const opened = page.getByRole('button', { name: 'Rename Storms' });
  await opened.waitFor();
  await owner.call(deleteLogView, { params: { ...params, view: view.id } });
  await opened.click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Gales');
  await press(page, 'Rename');
  await page.getByRole('alert').getByText('There is no such view; it may have been removed.').waitFor();
});

test('closes the page of a removed member with a sentence at the next change', async () => {
  const { view } = await owner.call(createLogView, { params, body: { name: 'Calm', query: '' } });
  const member = await addPerson(service, { roles: { default: 'member' } });
  const { page: shown } = await browser.openPage();
  await comeIn(shown, member, '/projects/default/log-views');
  await shown.getByRole('button', { name: 'Delete Calm' }).click();
  await owner.call(removeMember, { params: { ...params, user: member.id } });
  await press(shown, 'Delete view');
  await shown.getByText('It may have been deleted, or you no longer have access').waitFor();
  assert.equal(await shown.getByRole('alertdialog').count(), 0);
  await shown.reload();
  await waitForPage(shown);
  assert.equal(await shown.getByText('Calm').count(), 0, 'nothing of the project is shown any longer');
  await owner.call(deleteLogView, { params: { ...params, view: view.id } });
});
