/** Checks dialogs against the accessibility rules, in light and dark, on a desktop and a phone. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addPerson, addToken } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { buildDashboard } from './build.ts';
import { moveTo } from './inAppNavigation.ts';
import { findBroken } from './screenReaderRules.ts';
import { comeIn } from './steps.ts';

let service: TestService;
let browser: TestBrowser;
let page: Page;

before(async () => {
  await buildDashboard();
  service = await startTestService();
  browser = await startBrowser(service.url);
  page = (await browser.openPage()).page;
  const owner = await addPerson(service, { isOwner: true });
  const { token } = await addToken(owner, { kind: 'logs' });
  const answer = await service.fetch('/api/v3/logs', {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify([{ level: 'info', message: 'door opened', metadata: { player: { id: 7 } } }]),
  });
  assert.equal(answer.status, 200);
  await comeIn(page, owner, '/');
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

const project = '/projects/default';
/** A page, a dialog's title, and the buttons that open it. */
const dialogs: readonly (readonly [string, string, ...string[]])[] = [
  ['/users', 'New user', 'New user'],
  [`${project}/logs`, 'Keys', 'Keys'],
  [`${project}/logs`, 'How to search', 'How to search'],
  [`${project}/files`, 'How to search', 'How to search'],
  [`${project}/tokens`, 'New token', 'New token'],
  [`${project}/alerts/channels`, 'New channel', 'New channel'],
  [`${project}/logs?range=all`, 'Columns', 'View', 'Columns…'],
  [`${project}/logs?range=all`, 'Time zone', 'View', 'Another time zone…'],
  [`${project}/datasets`, 'How long default is kept', 'Retention of default'],
  ['/account', 'Set up a second factor', 'Set up'],
];

for (const [address, title, ...buttons] of dialogs) {
  test(`“${title}” on ${address} passes the accessibility rules`, async () => {
    await page.setViewportSize({ width: 1280, height: 860 });
    await moveTo(page, address);
    for (const name of buttons) {
      const menu = page.getByRole('menu').getByText(name, { exact: true });
      const button = page.getByRole('button', { name, exact: true }).first();
      await (name.endsWith('…') ? menu : button).click();
    }
    await page.getByRole('dialog', { name: title }).waitFor();
    assert.deepEqual(await findBroken(page), []);
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 390, height: 844 });
    const broken = await findBroken(page);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    assert.deepEqual(broken, []);
  });
}
