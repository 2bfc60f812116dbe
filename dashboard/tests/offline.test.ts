/** Without a network the dashboard says so, and goes on by itself when there is one again. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addPerson, addToken } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { buildDashboard } from './build.ts';
import { comeIn, go, press } from './steps.ts';

const unreachable = 'The service cannot be reached; check the connection and try again.';

let service: TestService;
let browser: TestBrowser;
let page: Page;

before(async () => {
  await buildDashboard();
  service = await startTestService();
  browser = await startBrowser(service.url);
  const owner = await addPerson(service, { isOwner: true });
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

test('a search without a network says why nothing is counted, and is asked again with one', async () => {
  await page.context().setOffline(true);
  await page.getByLabel('Search the logs').fill('storm');
  await page.keyboard.press('Enter');
  await page.getByText(unreachable).first().waitFor();
  assert.equal(await page.getByText('Counting…').count(), 0);
  await page.context().setOffline(false);
  await page.locator('mark').first().waitFor();
  await page.getByText(unreachable).waitFor({ state: 'detached' });
});

test('a page that was never opened says that it cannot be loaded, and comes when it can', async () => {
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
