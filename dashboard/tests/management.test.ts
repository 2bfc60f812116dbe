/** Tests datasets, live sessions, saved views and usage in a real browser: viewing, changing, deleting. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLogView } from '@tapedeck/contract/logViews';
import type { Locator, Page } from 'playwright-core';
import { addPerson, addToken, type Person } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { makePicture, mediaEnvironment, uploadFile } from '../../server/tests/support/uploading.ts';
import { startBrowser, type TestBrowser, type WatchedPage } from './browser.ts';
import { buildDashboard } from './build.ts';
import { findMisfits } from './phone.ts';
import { comeIn, go, press } from './steps.ts';

let service: TestService;
let browser: TestBrowser;
let owner: Person;
let visitor: WatchedPage;
let page: Page;
let token: string;

before(async () => {
  await buildDashboard();
  service = await startTestService({ environment: mediaEnvironment });
  browser = await startBrowser(service.url);
  owner = await addPerson(service, { isOwner: true });
  ({ token } = await addToken(owner, { kind: 'logs', name: 'Game servers' }));
  for (const [dataset, entries] of [
    ['players', 12],
    ['chat', 3],
  ] as const) {
    await send(
      `/api/v3/logs?dataset=${dataset}`,
      JSON.stringify(Array.from({ length: entries }, () => ({ level: 'info', message: 'x' }))),
    );
  }
  const timestamp = service.clock.now() - 40 * 86_400_000;
  await send(
    '/api/v3/logs?dataset=players',
    JSON.stringify([
      { level: 'info', message: 'x', timestamp },
      { level: 'info', message: 'y', timestamp },
    ]),
  );
  await uploadFile(service, await makePicture());
  await send('/api/sdk/report?sdkType=server_a&endpoint=203.0.113.5:30120&resourceName=harbour', null);
  visitor = await browser.openPage();
  page = visitor.page;
  await comeIn(page, owner, '/projects/default');
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function send(address: string, body: string | null): Promise<void> {
  const headers = { authorization: token, ...(body !== null && { 'content-type': 'application/json' }) };
  const response = await service.fetch(address, { method: 'POST', headers, body });
  assert.equal(response.status, 200, await response.text());
}

test('shows entries, files and disk usage of the project on Home, in total and by day', async () => {
  const usage = page.getByRole('region', { name: 'Usage' });
  const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });
  const today = format.format(service.clock.now());
  await usage.getByRole('img', { name: `Log entries of the last 30 days: ${today}: 15` }).waitFor();
  await usage.getByRole('img', { name: `Files of the last 30 days: ${today}: 1` }).waitFor();
  await usage.getByText('on disk').waitFor();
  await usage.getByText('15 in the last 30 days').waitFor();
  await usage.getByRole('link', { name: 'Log entries' }).click();
  await page.getByText('15 entries', { exact: true }).waitFor();
});

test('sets the retention of a dataset in days after showing how much is deleted', async () => {
  await go(page, 'Datasets');
  const row = page.getByRole('row', { name: 'players' });
  await row.getByText('forever').waitFor();
  await press(page, 'Retention of players');
  await page.getByRole('dialog').getByLabel('Keep entries for').fill('30');
  const counting = await holdBack(url => url.pathname.endsWith('/logs') && url.searchParams.has('to'));
  await press(page, 'Save');
  const question = page.getByRole('alertdialog', { name: 'Keep players for 30 days?' });
  await waitForCount(question);
  await counting.release();
  await question.getByText('2 entries are older and will be deleted within an hour.').waitFor();
  await press(page, 'Shorten retention');
  await row.getByText('30 days').waitFor();
});

test('shortens the retention of media only after counting what is deleted', async () => {
  await go(page, 'Settings');
  await page.getByLabel('Images').fill('30');
  const counting = await holdBack(url => url.pathname.endsWith('/usage'));
  const panel = page.locator('form', { has: page.getByRole('heading', { name: 'Media retention' }) });
  await panel.getByRole('button', { name: 'Save' }).click();
  const question = page.getByRole('alertdialog', { name: 'Delete files sooner?' });
  await waitForCount(question);
  await counting.release();
  await question.getByText('No files are that old yet.').waitFor();
  await press(page, 'Shorten retention');
  await panel.getByRole('button', { name: 'Reset' }).waitFor({ state: 'detached' });
  await go(page, 'Datasets');
});

/** Holds back requests like a slow service, until released. */
async function holdBack(isHeld: (url: URL) => boolean): Promise<{ release(): Promise<void> }> {
  const { promise: released, resolve } = Promise.withResolvers<void>();
  await page.route(isHeld, async route => {
    await released;
    await route.continue();
  });
  return {
    async release() {
      resolve();
      await page.unrouteAll({ behavior: 'wait' }); // a handler that runs on would fail, unobserved
    },
  };
}

/** Waits until the dialog is counting, before it can be confirmed. */
async function waitForCount(question: Locator): Promise<void> {
  await question.getByText('Counting').waitFor();
  assert.equal(await question.getByRole('button', { name: 'Shorten retention' }).isDisabled(), true);
}

test('shows how much is deleted before deleting a dataset', async () => {
  await press(page, 'Delete chat');
  const question = page.getByRole('alertdialog');
  await question.getByText('3 entries').waitFor();
  await press(page, 'Delete dataset');
  await page.getByText('3 entries deleted').waitFor();
  await page.getByRole('row', { name: 'chat' }).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: 'players' }).waitFor();
});

test('shows who opened a live session and ends it', async () => {
  await go(page, 'Live sessions');
  const row = page.getByRole('row', { name: 'harbour' });
  await row.getByText('Game servers').waitFor();
  await row.getByText('203.0.113.5:30120').waitFor();
  await press(page, 'End the session of harbour 203.0.113.5:30120');
  await press(page, 'End session');
  await page.getByText('Session ended').waitFor();
  await page.getByRole('heading', { name: 'No servers connected' }).waitFor();
});

test('lists a saved view with its search, opens it and deletes it', async () => {
  const body = { name: 'Errors', query: 'dataset=players&level=error' };
  await owner.call(createLogView, { params: { project: 'default' }, body });
  await page.goto('/projects/default/log-views');
  const row = page.getByRole('row', { name: 'Errors' });
  for (const part of ['level:error', 'Dataset players', 'Last 24 hours'])
    await row.getByText(part, { exact: true }).waitFor();
  await row.getByRole('link', { name: 'Errors' }).click();
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
  await page.goBack();
  await press(page, 'Delete Errors');
  await press(page, 'Delete view');
  await page.getByRole('heading', { name: 'No saved views yet' }).waitFor();
});

test('leads an owner who adds an unknown address to the form that creates the user', async () => {
  await page.goto('/projects/default/members');
  await page.getByLabel('Email address').fill('nobody@example.com');
  await press(page, 'Add member');
  await page.getByText('No user has the email address nobody@example.com').waitFor();
  await page.getByRole('link', { name: 'Create the user' }).click();
  const dialog = page.getByRole('dialog');
  assert.equal(await dialog.getByLabel('Email address').inputValue(), 'nobody@example.com');
  assert.equal(await dialog.getByLabel('Project').inputValue(), 'default');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(new URL(page.url()).search, '');
  assert.deepEqual(visitor.takeRefusals(), ['404 POST /api/manage/projects/default/members']);
});

test('shows in the form why the service refuses a scope', async () => {
  await go(page, 'Tokens');
  await press(page, 'New token');
  await page.getByRole('dialog').getByText('Logs', { exact: true }).click();
  await page.getByText('Scopes').click();
  await page.getByLabel('Datasets').fill('not a dataset');
  await press(page, 'Create token');
  await page.getByRole('alert').getByText('The scope "dataset:not a dataset" cannot be used').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const focused = await page.evaluate(() => document.activeElement?.textContent);
  assert.equal(focused, 'New token', 'focus returns to the button that opened the dialog');
  assert.deepEqual(visitor.takeRefusals(), ['400 POST /api/manage/projects/default/tokens']);
});

test('describes all these changes in the audit log', async () => {
  await page.goto('/projects/default/audit');
  for (const sentence of [
    'set how long the dataset players is kept',
    'deleted the dataset chat',
    'ended a live session',
    'saved the log view “Errors”',
    'deleted the log view “Errors”',
  ]) {
    await page.getByText(sentence).waitFor();
  }
});

test('shows a viewer everything without buttons', async () => {
  const viewer = await addPerson(service, { roles: { default: 'viewer' } });
  const { page: theirs } = await browser.openPage();
  await comeIn(theirs, viewer, '/projects/default/datasets');
  await theirs.getByRole('row', { name: 'players' }).waitFor();
  const pressable = theirs.getByRole('main').locator('button:enabled:not(th *)');
  assert.deepEqual(await pressable.allInnerTexts(), []);
  await theirs.goto('/new-project');
  await theirs.getByText('Only installation owners can create projects.').waitFor();
  assert.equal(await theirs.getByLabel('Slug').count(), 0);
  await theirs.context().close();
});

test('fits on a phone and in dark mode without errors', async () => {
  await send('/api/sdk/report?sdkType=server_b&universeId=4711&jobId=9f2c', null);
  for (const address of ['', '/datasets', '/sessions', '/log-views'])
    assert.deepEqual(await findMisfits(page, `/projects/default${address}`), []);
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
