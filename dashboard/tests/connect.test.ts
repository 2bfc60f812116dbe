/** Tests the page "Connect" in a real browser: finding a tool, getting its token, and seeing its data arrive. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { addPerson, type Person } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { makePicture, mediaEnvironment } from '../../server/tests/support/uploading.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { buildDashboard } from './build.ts';
import { moveTo } from './inAppNavigation.ts';
import { findMisfits } from './phone.ts';
import { askWhatTokenIs, comeIn, press } from './steps.ts';

let service: TestService;
let browser: TestBrowser;
let owner: Person;
let page: Page;
const connect = '/projects/default/connect';

before(async () => {
  await buildDashboard();
  service = await startTestService({ environment: mediaEnvironment });
  browser = await startBrowser(service.url);
  owner = await addPerson(service, { isOwner: true });
  page = (await browser.openPage()).page;
  await comeIn(page, owner, connect);
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

const box = () => page.getByRole('combobox', { name: 'Find a tool' });
const readToken = () => page.getByLabel('The new token').innerText();
const readText = (name: string) => page.getByLabel(name, { exact: true }).locator('pre').innerText();

async function listTokenNames(): Promise<string[]> {
  const response = await service.fetch('/api/manage/projects/default/tokens', {
    headers: { cookie: `tapedeck_session=${owner.cookie}` },
  });
  // The contract's response shape.
  const { tokens } = (await response.json()) as { tokens: { name: string }[] };
  return tokens.map(({ name }) => name);
}

test('finds, opens and connects a tool with the keyboard alone', async () => {
  await box().waitFor();
  assert.equal(await box().evaluate(element => element === document.activeElement), true);
  await page.keyboard.type('curl entr');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Connect curl: log entries', level: 1 }).waitFor();
  assert.equal(new URL(page.url()).pathname, `${connect}/curl-logs`);
  assert.match(await readText('text Entries with a level'), /YOUR_LOGS_TOKEN/);
  assert.deepEqual(await listTokenNames(), [], 'nothing is made by looking');
  await page.getByLabel('Dataset').fill('harbour');
  await page.keyboard.press('Enter');
  const token = await readToken();
  assert.match(token, /^[0-9A-Za-z]{32}$/);
  const { kind, scopes } = await askWhatTokenIs(service, token);
  assert.deepEqual([kind, scopes], ['logs', ['write', 'dataset:harbour']]);
  await page.getByText('Waiting for the first entry…').waitFor();

  const command = await readText('text Entries with a level');
  assert.ok(command.includes(token) && command.includes(service.url) && command.includes('harbour'));
  await promisify(execFile)('sh', ['-c', command]);
  await page.getByText('Connected: curl: log entries').waitFor();
  await page.getByRole('status').getByText('Hello, tape').waitFor();
  await page.getByRole('link', { name: 'Open it in Logs' }).click();
  await page.getByRole('heading', { name: 'Logs', level: 1 }).waitFor();
  await page.getByText('Hello, tape').first().waitFor();
});

test('moves through the list with the arrow keys, wrapping at both ends', async () => {
  await moveTo(page, connect);
  await box().waitFor();
  const active = async () => {
    const id = await box().getAttribute('aria-activedescendant');
    return page.locator(`[id="${id}"]`).innerText();
  };
  await page.keyboard.press('ArrowUp');
  const last = await active();
  await page.keyboard.press('ArrowDown');
  const first = await active();
  assert.notEqual(first, last);
  await page.keyboard.press('ArrowUp');
  assert.equal(await active(), last);
  await box().fill('no tool has this name');
  await page.getByRole('option', { name: /No tool has this name/ }).waitFor();
});

test('downloads a file with its token that works', async () => {
  await moveTo(page, `${connect}/sharex`);
  await page.getByLabel('Folder').fill("clips/it's");
  await press(page, 'Create a token for this');
  const token = await readToken();
  assert.deepEqual((await askWhatTokenIs(service, token)).scopes, ['write', "path:clips/it's"]);
  const downloading = page.waitForEvent('download');
  await press(page, 'Download');
  const download = await downloading;
  assert.equal(download.suggestedFilename(), 'tapedeck.sxcu');
  await page.getByText('Waiting for the first file…').waitFor();
  await uploadAsShareX(JSON.parse(await readText('file tapedeck.sxcu')));
  await page.getByText('Connected: ShareX').waitFor();
  await page.getByRole('link', { name: 'Open it in Files' }).click();
  await page.getByRole('dialog').getByText('screen.png').first().waitFor();
});

test('downloads the ShareX file with a new token in one press', async () => {
  await page.goto(`${connect}/sharex`);
  await page.getByLabel('Folder').fill('shots');
  const downloading = page.waitForEvent('download');
  await press(page, 'Download with a new token');
  const download = await downloading;
  assert.equal(download.suggestedFilename(), 'default.sxcu');
  await uploadAsShareX(JSON.parse(await readFile(await download.path(), 'utf8')));
  assert.ok((await listTokenNames()).includes('ShareX'));
});

/** The fields of the settings file, as ShareX reads them. */
type ShareX = {
  RequestMethod: string;
  RequestURL: string;
  Headers: Record<string, string>;
  Body: string;
  Arguments: Record<string, string>;
  FileFormName: string;
};

async function uploadAsShareX(uploader: ShareX): Promise<void> {
  assert.equal(uploader.Body, 'MultipartFormData');
  const body = new FormData();
  for (const [name, value] of Object.entries(uploader.Arguments)) body.set(name, value);
  body.set(uploader.FileFormName, new Blob([new Uint8Array(await makePicture())]), 'screen.png');
  const { RequestMethod: method, Headers: headers } = uploader;
  const response = await fetch(uploader.RequestURL, { method, headers, body });
  assert.equal(response.status, 200, await response.text());
}

test('ignores entries sent with other tokens and requests that store nothing', async () => {
  await page.goto(`${connect}/curl-logs`);
  await page.getByLabel('Dataset').fill('quay');
  const send = (authorization: string, body: string) =>
    service.fetch('/api/v3/logs?dataset=quay', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body,
    });
  await press(page, 'Create a token for this');
  const other = await readToken();
  await press(page, 'Create another');
  await press(page, 'Create a token for this');
  await page.getByText('Waiting for the first entry…').waitFor();
  const token = await readToken();
  assert.notEqual(token, other);
  assert.equal((await send(token, '[')).status, 400);
  await page.getByText('The token was used, but nothing has been stored').waitFor();

  await press(page, 'Create another');
  await press(page, 'Create a token for this');
  await page.getByText('Waiting for the first entry…').waitFor();
  const third = await readToken();
  assert.equal((await send(other, '[{"level":"info","message":"of another"}]')).status, 200);
  await page.getByText('Something is arriving.').waitFor();
  assert.equal((await send(third, '[{"level":"info","message":"its own"}]')).status, 200);
  await page.getByText('Connected: curl: log entries').waitFor();
  await page.getByRole('status').getByText('its own').waitFor();
});

test('notices entries that came before it followed', async () => {
  const isOfTail = /\/logs\/tail\?/;
  const held = Promise.withResolvers<void>();
  await page.route(isOfTail, async route => {
    await held.promise;
    await route.continue();
  });
  await page.goto(`${connect}/curl-logs`);
  await press(page, 'Create a token for this');
  const other = await readToken();
  await press(page, 'Create another');
  await press(page, 'Create a token for this');
  await page.getByText('Waiting for the first entry…').waitFor();
  const response = await service.fetch('/api/v3/logs', {
    method: 'POST',
    headers: { authorization: other, 'content-type': 'application/json' },
    body: '[{"level":"info","message":"early"}]',
  });
  assert.equal(response.status, 200, await response.text());
  held.resolve();
  await page.getByText('Something is arriving.').waitFor();
  await page.unroute(isOfTail);
});

test('keeps the token on returning to a tool and forgets it on reloading', async () => {
  await page.goto(`${connect}/curl-logs`);
  await press(page, 'Create a token for this');
  const token = await readToken();
  await page.getByRole('option', { name: 'ShareX' }).click();
  await page.getByRole('heading', { name: 'Connect ShareX' }).waitFor();
  assert.equal(await page.getByLabel('The new token').count(), 0);
  await page.goBack();
  assert.equal(await readToken(), token);
  await page.reload();
  await page.getByRole('button', { name: 'Create a token for this' }).waitFor();
});

test('shows a viewer settings with a placeholder', async () => {
  const viewer = await addPerson(service, { roles: { default: 'viewer' } });
  const visitor = await browser.openPage();
  await comeIn(visitor.page, viewer, `${connect}/winston-loki`);
  await visitor.page.getByText('your role (viewer) can’t create tokens').waitFor();
  assert.equal(await visitor.page.getByRole('button', { name: 'Create a token for this' }).count(), 0);
  assert.match(
    await visitor.page.getByRole('region', { name: 'file logger.js' }).innerText(),
    /YOUR_LOGS_TOKEN/,
  );
});

test('fits on a phone: the list, then the tool, and back', async () => {
  assert.deepEqual(await findMisfits(page, connect), []);
  await page.getByRole('option', { name: 'Vector', exact: true }).click();
  await page.getByRole('heading', { name: 'Connect Vector' }).waitFor();
  assert.deepEqual(await findMisfits(page, `${connect}/vector`), []);
  await page.getByRole('link', { name: 'All tools' }).click();
  await box().waitFor();
});

test('explains errors with their code and links to other guides', async () => {
  await moveTo(page, `${connect}/obs`);
  await page.locator('dd code', { hasText: 'TAPEDECK_FILE_SIZE_MAX' }).waitFor();
  await page.getByRole('link', { name: 'Uppy', exact: true }).click();
  await page.getByRole('heading', { name: 'Connect Uppy' }).waitFor();
});

test('shows an error for the address of an unknown tool', async () => {
  await page.goto(`${connect}/nothing`);
  await page.getByText('There is no tool at this address.').waitFor();
  assert.deepEqual(browser.troubles, []);
});
