/** Tests the dashboard in a real browser on the real service: one story from the first visit to the audit log. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { makePicture, uploadFile } from '../../server/tests/support/uploading.ts';
import { findUnnamedControls } from './accessibleNames.ts';
import { startBrowser, type TestBrowser, type WatchedPage } from './browser.ts';
import { buildDashboard } from './build.ts';
import { askWhatTokenIs, go, plate, press, pressUntilSlowed, saveIn, signIn, waitForPage } from './steps.ts';

const owner = { email: 'owner@example.com', password: 'a long enough password' };
const stranger = { email: 'stranger@example.com', password: 'a wrong password' };
const viewer = { email: 'viewer@example.com', password: 'another long password' };

let service: TestService;
let browser: TestBrowser;
/** The owner's browser, shared by all tests. */
let visitor: WatchedPage;
let page: Page;

before(async () => {
  await buildDashboard();
  service = await startTestService();
  browser = await startBrowser(service.url);
  visitor = await browser.openPage();
  page = visitor.page;
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

test('asks for the setup code on the first visit, with errors at the fields', async () => {
  await page.goto('/');
  await page.getByRole('heading', { name: 'Set up Tapedeck' }).waitFor();
  await page.getByLabel('Setup code').fill('AAAA-BBBB-CCCC');
  await page.getByLabel('Your name').fill('Olive Owner');
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByLabel('Password').fill('short');
  await press(page, 'Create the owner account');
  await page.getByText('Use at least 10 characters.').waitFor();
  assert.deepEqual(visitor.takeRefusals(), [], 'what the browser can tell is not asked of the service');
  await page.getByLabel('Password').fill(owner.password);
  await press(page, 'Create the owner account');
  await page.getByText('The setup code is wrong').waitFor();
  assert.equal(await page.getByLabel('Setup code').getAttribute('aria-invalid'), 'true');
  assert.deepEqual(visitor.takeRefusals(), ['401 POST /api/manage/set-up']);
});

test('creates the owner with the right code and opens the default project', async () => {
  assert(service.setUpCode);
  await page.getByLabel('Setup code').fill(service.setUpCode);
  await press(page, 'Create the owner account');
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/projects/default');
});

test('shows the address of this service in the first steps, and a working token once set', async () => {
  const command = page.locator('pre').first();
  assert.match(await command.innerText(), new RegExp(`curl ${service.url}/api/v3/file .*<media token>`, 's'));
  await press(page, 'Create a media token');
  await page.getByText('The command now contains a new token.').waitFor();
  const token = /Authorization: (\w{32})"/.exec(await command.innerText())?.[1];
  assert(token, 'the command holds a token of 32 characters');
  assert.equal((await askWhatTokenIs(service, token)).kind, 'media');
  await page.getByLabel('Tool').selectOption('powershell');
  assert.match(await command.innerText(), new RegExp(`^curl.exe .*${token}`, 's'));
  await page.getByLabel('Tool').selectOption('curl');
  await uploadFile(service, await makePicture(), {}, { token });
  await page.getByText('Files received.').waitFor();
  await page.getByRole('img', { name: /^Files of the last 30 days: [^:;]+: 1$/ }).waitFor();
});

test('creates a token with scopes, shows it once and lists its first characters', async () => {
  await go(page, 'Tokens');
  await press(page, 'New token');
  await page.getByRole('dialog').getByLabel('Name').and(page.locator(':focus')).fill('Uploader');
  await page.getByText('Scopes').click();
  await page.getByRole('checkbox', { name: 'image' }).check();
  await page.getByLabel('Folders').fill('clips/2026');
  await press(page, 'Create token');
  const token = await page.locator('output[aria-label="New token"]').innerText();
  assert.match(token, /^[0-9A-Za-z]{32}$/);
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').getByText('You haven’t copied it').waitFor();
  await press(page, 'Cancel');
  assert.equal(
    await page.locator('output[aria-label="New token"]').innerText(),
    token,
    'Escape threw the token away',
  );
  await press(page, 'Done');
  const row = page.getByRole('row', { name: 'Uploader' });
  await row.getByText('type:image').waitFor();
  await row.getByText('path:clips/2026').waitFor();
  await row.getByText(`${token.slice(0, 4)}…`).waitFor();
  assert.equal((await page.content()).includes(token), false, 'the token itself is gone from the page');
  assert.deepEqual((await askWhatTokenIs(service, token)).scopes, ['type:image', 'path:clips/2026']);

  await press(page, 'Revoke Uploader');
  await page.getByRole('alertdialog').getByText('can’t be undone').waitFor();
  await press(page, 'Cancel');
  await row.waitFor();
  await press(page, 'Revoke Uploader');
  await press(page, 'Revoke token');
  await page.getByText('Token revoked').waitFor();
  await row.waitFor({ state: 'detached' });
  const refused = await service.fetch('/api/v3/token', { headers: { Authorization: token } });
  assert.equal(refused.status, 401);
});

test('creates a project with a slug from its name; a taken slug shows an error at the field', async () => {
  await page.getByRole('button', { name: /switch project/ }).click();
  await page.getByRole('menuitem', { name: 'New project' }).click();
  await page.getByLabel('Name').fill('Café Racer');
  assert.equal(await page.getByLabel('Slug').inputValue(), 'cafe-racer');
  await page.getByLabel('Slug').fill('default');
  await press(page, 'Create project');
  await page.locator('[aria-invalid=true] >> xpath=ancestor::div[1]').getByRole('alert').waitFor();
  assert.deepEqual(visitor.takeRefusals(), ['409 POST /api/manage/projects']);
  await page.getByLabel('Slug').fill('');
  await press(page, 'Create project');
  await page.getByRole('heading', { name: 'Café Racer' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/projects/cafe-racer');
});

test('keeps saved settings after a reload', async () => {
  await go(page, 'Settings');
  await page.getByLabel('Domain', { exact: true }).fill('cdn.example.com');
  await page.getByRole('switch', { name: 'Use this domain in URLs' }).check();
  await saveIn(page, 'CDN domain');
  await page.getByLabel('Images').fill('30');
  await press(page, 'Add a folder');
  await page.getByLabel('Folder', { exact: true }).fill('clips');
  await page.getByLabel('Days to keep the files of clips').fill('7');
  await plate(page, 'Media retention').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alertdialog').getByText('No files are that old yet.').waitFor();
  await press(page, 'Shorten retention');
  await plate(page, 'Media retention').getByRole('button', { name: 'Reset' }).waitFor({ state: 'detached' });
  await page.getByLabel('Storage', { exact: true }).fill('2.5');
  await saveIn(page, 'Quotas');
  await page.reload();
  await page.getByRole('heading', { name: 'Quotas' }).waitFor();
  assert.equal(await page.getByLabel('Domain', { exact: true }).inputValue(), 'cdn.example.com');
  assert.equal(await page.getByRole('switch').isChecked(), true);
  assert.equal(await page.getByLabel('Images').inputValue(), '30');
  assert.equal(await page.getByLabel('Days to keep the files of clips').inputValue(), '7');
  assert.equal(await page.getByLabel('Storage', { exact: true }).inputValue(), '2.5');
  await page.getByRole('button', { name: 'Save' }).nth(3).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save', disabled: false }).count(), 0);
});

test('an owner creates a user with a role in a project', async () => {
  await go(page, 'Users');
  await press(page, 'New user');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email address').and(page.locator(':focus')).fill(viewer.email);
  await dialog.getByLabel('Name').fill('Vera Viewer');
  await dialog.getByLabel('Password', { exact: true }).fill(viewer.password);
  await dialog.getByLabel('Project').selectOption('default');
  await dialog.getByLabel('Role').selectOption('viewer');
  await press(page, 'Create user');
  await page.getByRole('row', { name: 'Vera Viewer' }).waitFor();
});

test('shows a viewer no control that would be refused', async () => {
  const { page: theirs, takeRefusals } = await browser.openPage();
  await theirs.goto('/projects/default/tokens');
  await signIn(theirs, viewer);
  await theirs.getByRole('heading', { name: 'Tokens' }).waitFor();
  await theirs.getByRole('row', { name: 'First steps' }).waitFor();
  const links = await theirs.getByRole('navigation').getByRole('link').allInnerTexts();
  const settings = ['Home', 'Tokens', 'Members', 'Settings'];
  const pages = ['Home', 'Logs', 'Issues', 'Files', 'Players', 'Alerts', 'Datasets', 'Live sessions'];
  assert.deepEqual(links, [...pages, 'Connect', 'Tokens', 'Members', 'Settings']);
  for (const name of settings) {
    await theirs.getByRole('navigation').getByRole('link', { name }).click();
    const title = name === 'Home' ? 'Default' : name;
    await theirs.getByRole('heading', { name: title, exact: true, level: 1 }).waitFor();
    const pressable = theirs.getByRole('main').locator('button:enabled:not([aria-label^="Copy"]):not(th *)');
    assert.deepEqual(await pressable.allInnerTexts(), [], `${name} has buttons for a viewer`);
    const editable = theirs
      .getByRole('main')
      .locator('input:enabled, select:enabled:not([aria-label="Tool"])');
    assert.equal(await editable.count(), 0, `${name} has fields for a viewer`);
  }
  await theirs.goto('/users');
  await theirs.getByText('Only installation owners can do this.').waitFor();
  assert.deepEqual(new Set(takeRefusals()), new Set(['403 GET /api/manage/users']));
  await theirs.context().close();
});

test('changes the roles of members at once', async () => {
  await page.goto('/projects/default/members');
  // The new role shows before it is saved.
  const kept = page.waitForResponse(response => response.request().method() === 'PUT');
  await page.getByLabel('Role of Vera Viewer').selectOption('member');
  await page.getByRole('row', { name: 'Vera Viewer' }).getByText('Files, saved views').waitFor();
  await kept;
  await page.reload();
  assert.equal(await page.getByLabel('Role of Vera Viewer').inputValue(), 'member');
});

test('leads to the sign-in page after a session ended elsewhere, and back again', async () => {
  const other = await browser.openPage();
  await other.page.goto('/projects/cafe-racer/settings');
  await signIn(other.page, owner);
  await other.page.getByRole('heading', { name: 'Settings' }).waitFor();
  await page.goto('/account');
  // The session disappears before it has ended.
  const ended = page.waitForResponse(response => response.request().method() === 'DELETE');
  await page.getByRole('button', { name: /^Sign out/ }).click();
  await page.getByRole('button', { name: /^Sign out/ }).waitFor({ state: 'detached' });
  await ended;
  await other.page
    .getByRole('navigation', { name: 'Project' })
    .getByRole('link', { name: 'Members' })
    .click();
  await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await other.page.getByText('Your session has ended.').waitFor();
  await signIn(other.page, owner);
  await other.page.getByRole('heading', { name: 'Members', exact: true }).waitFor();
  await other.page.context().close();
});

test('ends the session on signing out; refuses wrong passwords and slows further attempts', async () => {
  await page.getByRole('button', { name: /account, theme, sign out/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.goto('/projects/default');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await signIn(page, stranger);
  await page.getByText('The email address or the password is wrong.').waitFor();
  await pressUntilSlowed(page);
  await Promise.all([
    page.getByText(/Try again in \d+ seconds?\./).waitFor(),
    page.getByRole('button', { name: /^Wait \d+ s$/, disabled: true }).waitFor(),
  ]);
  await page.getByLabel('Email address').fill(owner.email);
  await page.getByRole('button', { name: 'Sign in', disabled: false }).waitFor();
  await signIn(page, owner);
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
});

test('shows what happened in the audit log in sentences', async () => {
  await page.goto('/audit');
  for (const sentence of [
    'gave Vera Viewer the role member',
    `created the user ${viewer.email}`,
    'created the project cafe-racer',
    'revoked the media token “Uploader”',
    `set up the installation, owned by ${owner.email}`,
  ]) {
    await page.getByText(sentence).waitFor();
  }
  await go(page, 'Audit log', 'Project');
  await page.getByText('created the media token “First steps”').waitFor();
});

test('fits every page on a phone and in dark mode, with a name on every control', async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await page.goto('/');
  await page.getByRole('button', { name: 'Navigation' }).click();
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByRole('heading', { name: 'Members' }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  for (const address of [
    '/projects/default',
    '/projects/default/tokens',
    '/projects/default/members',
    '/projects/default/logs',
    '/projects/default/log-views',
    '/projects/default/files',
    '/projects/default/datasets',
    '/projects/default/sessions',
    '/projects/cafe-racer/settings',
    '/projects/default/audit',
    '/new-project',
    '/users',
    '/account',
    '/audit',
    '/nowhere',
  ]) {
    await page.goto(address);
    await waitForPage(page);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert(overflow <= 0, `${address} is ${overflow} pixels wider than the phone`);
    assert.deepEqual(await findUnnamedControls(page), [], `${address} has controls without a name`);
  }
});

test('logs no console errors, throws nothing and sends no request to other hosts', () => {
  assert.deepEqual(browser.troubles, []);
});
