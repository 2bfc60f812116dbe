/** Dialogs by the rules of screen readers, opened by their buttons, in the light and in the dark, on a desk and a phone. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addPerson } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { buildDashboard } from './build.ts';
import { findBroken } from './screenReaderRules.ts';
import { comeIn, waitForPage } from './steps.ts';

let service: TestService;
let browser: TestBrowser;
let page: Page;

before(async () => {
  await buildDashboard();
  service = await startTestService();
  browser = await startBrowser(service.url);
  page = (await browser.openPage()).page;
  await comeIn(page, await addPerson(service, { isOwner: true }), '/');
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

const project = '/projects/default';
/** A page, the button on it, and the title of what it opens. */
const dialogs = [
  ['/users', 'New user', 'New user'],
  [`${project}/logs`, 'Keys', 'Keys'],
  [`${project}/logs`, 'How to search', 'How to search'],
  [`${project}/files`, 'How to search', 'How to search'],
  [`${project}/tokens`, 'New token', 'New token'],
  [`${project}/alerts/channels`, 'New channel', 'New channel'],
] as const;

for (const [address, button, title] of dialogs) {
  test(`“${title}” on ${address} keeps the rules`, async () => {
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.goto(address);
    await waitForPage(page);
    await page.getByRole('button', { name: button, exact: true }).first().click();
    await page.getByRole('dialog', { name: title }).waitFor();
    assert.deepEqual(await findBroken(page), []);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 390, height: 844 });
    const broken = await findBroken(page);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    assert.deepEqual(broken, []);
  });
}
