/** Tests invitations in a real browser: creating, copying, withdrawing, and opening one with and without an account. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createInvitation } from '@tapedeck/contract/invitations';
import type { Page } from 'playwright-core';
import { addPerson, addProject, type Person, password } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { startBrowser, type TestBrowser, type WatchedPage } from './browser.ts';
import { buildDashboard } from './build.ts';
import { findMisfits } from './phone.ts';
import { findBroken } from './screenReaderRules.ts';
import { comeIn, press, signIn } from './steps.ts';

let service: TestService;
let browser: TestBrowser;
let owner: Person;
let visitor: WatchedPage;
let page: Page;

before(async () => {
  await buildDashboard();
  service = await startTestService();
  browser = await startBrowser(service.url);
  owner = await addPerson(service, { isOwner: true, name: 'Olive' });
  await addProject(owner, 'harbour');
  visitor = await browser.openPage();
  page = visitor.page;
  await comeIn(page, owner, '/projects/harbour/members');
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function makeLink(role: string): Promise<string> {
  await press(page, 'Invite');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Role').selectOption(role);
  await press(page, 'Create link');
  const link = await dialog.getByLabel('The link', { exact: true }).innerText();
  await dialog.getByText(`The first person to open it can join the project harbour as a ${role}`).waitFor();
  return link;
}

test('creates a link from the keyboard, requires copying it, and lets a new user accept it', async () => {
  await page.getByRole('button', { name: 'Invite' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByLabel('Role').and(page.locator(':focus')).selectOption('member');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await press(page, 'Create link');
  const link = await page.getByLabel('The link', { exact: true }).innerText();
  assert.match(link, new RegExp(`^${service.url.replace('127.0.0.1', '[^/]+')}/invitation#[0-9A-Za-z]{32}$`));
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').getByText('You haven’t copied it').waitFor();
  await press(page, 'Cancel');
  assert.deepEqual(await findBroken(page), []);
  await press(page, 'Copy link');
  await press(page, 'Done');
  await page.getByText('Anyone with the link', { exact: true }).waitFor();
  assert.equal(
    (await page.content()).includes(link.split('#')[1]!),
    false,
    'the secret is gone from the page',
  );

  const guest = await browser.openPage();
  await guest.page.goto(`/invitation#${link.split('#')[1]}`);
  await guest.page.getByRole('heading', { name: 'You are invited' }).waitFor();
  await guest.page.getByText('invites you to harbour as a member').waitFor();
  assert.deepEqual(await findBroken(guest.page), []);
  await guest.page.getByLabel('Your name').and(guest.page.locator(':focus')).fill('Gil Guest');
  await guest.page.getByLabel('Email address').fill('gil@example.org');
  await guest.page.getByLabel('Password').fill(password);
  await press(guest.page, 'Join');
  await guest.page.waitForURL('**/projects/harbour');
  await guest.page.goto('/account');
  await guest.page.getByText('by invitation').waitFor();
  assert.deepEqual(guest.takeRefusals(), []);
  await guest.page.context().close();

  await page.reload();
  await page.getByRole('row', { name: 'Gil Guest' }).waitFor();
  await page.getByText('Used by gil@example.org').waitFor();
});

test('lets an existing user sign in and accept, and rejects a used link', async () => {
  const person = await addPerson(service, { name: 'Pat' });
  const link = new URL(await makeLink('viewer'));
  await press(page, 'Copy link');
  await press(page, 'Done');
  const guest = await browser.openPage();
  await guest.page.goto(`/invitation${link.hash}`);
  await guest.page.getByRole('link', { name: 'Sign in and accept' }).click();
  await guest.page.getByRole('heading', { name: 'Sign in' }).waitFor(); // the previous form has the same fields
  await signIn(guest.page, { email: person.email, password });
  await guest.page.getByText(`You are signed in as ${person.email}.`).waitFor();
  assert.deepEqual(await findBroken(guest.page), []);
  assert.equal(guest.page.url().includes(link.hash.slice(1)), false);
  await press(guest.page, 'Accept');
  await guest.page.waitForURL('**/projects/harbour');
  assert.deepEqual(guest.takeRefusals(), []);
  await guest.page.goto('about:blank');
  await guest.page.goto(`/invitation${link.hash}`);
  await guest.page.getByText('This invitation has already been used. Ask for another, or sign in').waitFor();
  assert.deepEqual(guest.takeRefusals(), ['409 POST /api/manage/invitations/read']);
  assert.deepEqual(await findBroken(guest.page), []);
  await guest.page.context().close();
});

test('offers to invite an unknown address, and lets no other address use the link', async () => {
  await page.getByLabel('Email address').fill('new@example.org');
  await press(page, 'Add member');
  await press(page, 'Invite them');
  const dialog = page.getByRole('dialog');
  assert.equal(await dialog.getByLabel('For the email address').inputValue(), 'new@example.org');
  await press(page, 'Create link');
  const link = new URL(await dialog.getByLabel('The link', { exact: true }).innerText());
  await press(page, 'Copy link');
  await press(page, 'Done');
  const guest = await browser.openPage();
  await guest.page.goto(`/invitation${link.hash}`);
  const email = guest.page.getByLabel('Email address');
  assert.equal(await email.inputValue(), 'new@example.org');
  assert.equal(await email.isEditable(), false);
  await guest.page.context().close();
  visitor.takeRefusals();
});

test('rejects a withdrawn link', async () => {
  const body = { role: 'viewer', email: 'gone@example.org' } as const;
  const { secret } = await owner.call(createInvitation, { params: { project: 'harbour' }, body });
  await page.reload();
  await press(page, 'Withdraw the invitation for gone@example.org');
  await page.getByText('Invitation withdrawn').waitFor();
  await page.getByText('gone@example.org').waitFor({ state: 'detached' });
  const guest = await browser.openPage();
  await guest.page.goto(`/invitation#${secret}`);
  await guest.page.getByText('The invitation has been withdrawn').waitFor();
  await guest.page.goto('about:blank');
  await guest.page.goto('/invitation');
  await guest.page.getByText('This link is incomplete').waitFor();
  await guest.page.goto(`/invitation#${secret}`);
  await guest.page.getByText('The invitation has been withdrawn').waitFor();
  await guest.page.context().close();
});

test('lets an owner invite users to the installation', async () => {
  await page.goto('/users');
  await press(page, 'Invite');
  await press(page, 'Create link');
  await page.getByText('The first person to open it can join this installation').waitFor();
  await press(page, 'Copy link');
  await press(page, 'Done');
  await page.getByRole('button', { name: 'Withdraw' }).waitFor();
});

test('fits on a phone and in dark mode without errors', async () => {
  const { secret } = await owner.call(createInvitation, {
    params: { project: 'harbour' },
    body: { role: 'viewer' },
  });
  for (const address of ['/projects/harbour/members', '/users', `/invitation#${secret}`])
    assert.deepEqual(await findMisfits(page, address), []);
  assert.deepEqual(await findBroken(page), []);
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
