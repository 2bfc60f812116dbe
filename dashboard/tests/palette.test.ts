/** Tests Ctrl+K in a real browser, by keyboard alone: pages, projects, saved views, alert rules, searches and files. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createLogView } from '@tapedeck/contract/logViews';
import { createRule } from '@tapedeck/contract/rules';
import type { Locator } from 'playwright-core';
import { addPerson, addProject } from '../../server/tests/support/people.ts';
import { makePicture, mediaEnvironment, uploadFile } from '../../server/tests/support/uploading.ts';
import { openDashboard } from './openedDashboard.ts';
import { findBroken } from './screenReaderRules.ts';
import { comeIn, readSearch, waitForPage } from './steps.ts';

const opened = await openDashboard({
  environment: mediaEnvironment,
  prepare: async owner => {
    await addProject(owner, 'second');
    const params = { project: 'default' };
    await owner.call(createLogView, { params, body: { name: 'Bad doors', query: 'query=level%3Aerror' } });
    const condition = { op: '>=', value: 100 } as const;
    const rule = { name: 'Many errors', kind: 'count', query: 'level:error', windowSeconds: 300 } as const;
    await owner.call(createRule, { params, body: { ...rule, condition } });
    await uploadFile(owner.service, await makePicture(), { filename: 'lighthouse.png' });
    return '/projects/default/tokens';
  },
});
after(() => opened[Symbol.asyncDispose]());
const { service, browser, visitor, page } = opened;

const dialog = (): Locator => page.getByRole('dialog', { name: 'Go to' });
const option = (name: RegExp): Locator => dialog().getByRole('option', { name });

async function seek(text: string, found: RegExp): Promise<void> {
  await waitForPage(page);
  // Types before the field has the focus.
  await page.keyboard.press('Control+k');
  await page.keyboard.type(text);
  await option(found).waitFor();
}

test('opens a page, a saved view, a rule and a file by a few letters and Enter', async () => {
  await seek('live', /^Live sessions/);
  assert.deepEqual(await findBroken(page), []);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/projects/default/sessions');
  await seek('bad', /^Bad doors/);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/projects/default/logs?**');
  assert.equal(readSearch(page).query, 'level:error');
  await seek('many err', /^Many errors Alert rule/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Many errors', level: 1 }).waitFor();
  await seek('lighthouse', /^lighthouse\.png/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: /lighthouse/ }).waitFor();
  await page.goto('/projects/default');
  await seek('second', /^second second/i);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/projects/second');
});

test('opens a page while files are still being searched', async () => {
  const held = Promise.withResolvers<void>();
  const isOfFiles = ({ pathname }: URL) => /^\/api\/.*\/files$/.test(pathname);
  await page.route(isOfFiles, async route => {
    await held.promise;
    await route.continue().catch(() => {}); // the page may have cancelled it
  });
  await seek('members', /^Members/);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/projects/second/members');
  held.resolve();
  await page.unroute(isOfFiles);
});

test('moves with the arrow keys, closes with Escape, and searches the logs for the typed text', async () => {
  await page.getByRole('button', { name: /^Go to…/ }).click();
  await page.keyboard.press('ArrowDown');
  const [first, second] = await dialog().getByRole('option').all();
  assert.equal(await first?.getAttribute('aria-selected'), 'false');
  assert.equal(await second?.getAttribute('aria-selected'), 'true');
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  await seek('player.id:7', /Search the logs$/);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/projects/second/logs?**');
  assert.equal(readSearch(page).query, 'player.id:7');
});

test('opens on a phone by one tap, ready for typing at the top of the screen', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const devtools = await page.context().newCDPSession(page);
  const button = await page.getByRole('button', { name: 'Go to…' }).boundingBox();
  assert.ok(button);
  const touchPoints = [{ x: button.x + button.width / 2, y: button.y + button.height / 2 }];
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  const field = dialog().getByRole('combobox');
  await field.and(page.locator(':focus')).waitFor();
  await field.fill('members');
  const place = await field.boundingBox();
  assert.ok(place && place.y < 120, 'the keyboard covers the lower half');
  assert.deepEqual(await findBroken(page), []);
  await option(/^Members/).click();
  await page.waitForURL('**/projects/second/members');
  await page.setViewportSize({ width: 1280, height: 860 });
});

test('offers only pages the user may open', async () => {
  const viewer = await addPerson(service, { roles: { default: 'viewer' } });
  const { page: theirs } = await browser.openPage();
  await comeIn(theirs, viewer, '/projects/default');
  await waitForPage(theirs);
  await theirs.keyboard.press('Control+k');
  const list = theirs.getByRole('listbox', { name: 'Results' });
  await list.getByRole('option', { name: /^Logs/ }).waitFor();
  assert.equal(await list.getByRole('option', { name: /^(?:Audit log|Users|second)/ }).count(), 0);
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
  await theirs.context().close();
});
