/** The room of logs on a phone: the first entry stands in the upper half, and what narrows it down behind a button. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addPerson, addToken } from '../../server/tests/people.ts';
import { startTestService, type TestService } from '../../server/tests/service.ts';
import { startBrowser, type TestBrowser, type WatchedPage } from './browser.ts';
import { buildDashboard } from './build.ts';
import { comeIn, press } from './steps.ts';

const phone = { width: 390, height: 844 };
const logs = '/projects/default/logs';

let service: TestService;
let browser: TestBrowser;
let visitor: WatchedPage;
let page: Page;

before(async () => {
  await buildDashboard();
  service = await startTestService();
  browser = await startBrowser(service.url);
  const owner = await addPerson(service, { isOwner: true });
  const { token } = await addToken(owner, { kind: 'logs' });
  const items = Array.from({ length: 50 }, (_, index) => ({
    level: 'info',
    message: `Door ${index} opened`,
    resource: 'doors',
  }));
  const headers = { authorization: token, 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(items) };
  assert.equal((await service.fetch('/api/v3/logs', request)).status, 200);
  visitor = await browser.openPage();
  page = visitor.page;
  await page.setViewportSize(phone);
  await comeIn(page, owner, logs);
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

test('the first entry stands in the upper half of the screen, all of it', async () => {
  const first = page.getByRole('option').filter({ hasText: 'Door 49' });
  await first.waitFor();
  await page.getByRole('img', { name: /^50 entries/ }).waitFor();
  const box = await first.boundingBox();
  assert(box && box.y + box.height <= phone.height / 2, `it ends at ${box && box.y + box.height} px`);
});

test('what narrows the search stays one press away', async () => {
  await press(page, 'Fields');
  const sheet = page.getByRole('dialog', { name: 'Fields' });
  await sheet.getByRole('button', { name: 'doors 50' }).click();
  await press(page, 'Close');
  await page.getByRole('button', { name: 'error', exact: true }).click();
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
