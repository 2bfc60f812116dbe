/** Tests a second factor in a real browser: setting it up, signing in with it, removing it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeCode, stepAt } from '@tapedeck/values/one-time-codes';
import type { Page } from 'playwright-core';
import { addPerson, type Person, password } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { startBrowser, type TestBrowser, type WatchedPage } from './browser.ts';
import { buildDashboard } from './build.ts';
import { findMisfits } from './phone.ts';
import { findBroken } from './screenReaderRules.ts';
import { comeIn, press, signIn } from './steps.ts';

let service: TestService;
let browser: TestBrowser;
let person: Person;
let visitor: WatchedPage;
let page: Page;
let secret: string;
let recoveryCodes: string[];

before(async () => {
  await buildDashboard();
  service = await startTestService();
  browser = await startBrowser(service.url);
  await addPerson(service, { isOwner: true });
  person = await addPerson(service, { roles: { default: 'member' }, name: 'Pat' });
  visitor = await browser.openPage();
  page = visitor.page;
  await comeIn(page, person, '/account');
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

/** Returns the next step's code, because the service accepts each only once. */
function nextCode(): string {
  service.clock.advance(30_000);
  return makeCode(secret, stepAt(service.clock.now()));
}

test('sets up with password, QR code and first code, and protects the recovery codes from loss', async () => {
  await press(page, 'Set up');
  await page.getByLabel('Your password').and(page.locator(':focus')).fill('wrong password');
  await page.keyboard.press('Enter');
  await page.getByText('The password is wrong.').waitFor();
  await page.getByLabel('Your password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('img', { name: 'The secret as a QR code' }).waitFor();
  secret = (await page.getByLabel('The secret', { exact: true }).innerText()).replaceAll(' ', '');
  assert.match(secret, /^[A-Z2-7]{32}$/);
  assert.deepEqual(await findBroken(page), []);
  await page.getByRole('textbox', { name: 'Code' }).fill('abc');
  await press(page, 'Turn on');
  await page.getByText('The code is wrong').waitFor();
  await page.getByRole('textbox', { name: 'Code' }).fill(nextCode());
  await press(page, 'Turn on');
  const list = page.getByRole('list', { name: 'Recovery codes' });
  await list.waitFor();
  recoveryCodes = await list.getByRole('listitem').allInnerTexts();
  assert.equal(recoveryCodes.length, 10);
  assert.deepEqual(await findBroken(page), []);
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').getByText('You haven’t copied them').waitFor();
  await press(page, 'Cancel');
  await press(page, 'Copy codes');
  await press(page, 'Done');
  await page.getByText('10 recovery codes are left.').waitFor();
  assert.deepEqual(visitor.takeRefusals(), [
    '401 POST /api/manage/me/second-factor',
    '401 POST /api/manage/me/second-factor/confirm',
  ]);
});

test('asks for the code on signing in and accepts a recovery code instead', async () => {
  for (const way of ['app', 'recovery code']) {
    const guest = await browser.openPage();
    await guest.page.goto('/account');
    await signIn(guest.page, { email: person.email, password });
    await guest.page.getByRole('heading', { name: 'Enter the code' }).waitFor();
    assert.deepEqual(await findBroken(guest.page), []);
    if (way === 'app') {
      const code = guest.page.getByLabel('Code', { exact: true }).and(guest.page.locator(':focus'));
      await code.fill('000');
      await guest.page.keyboard.press('Enter');
      await guest.page.getByText('The code is wrong').waitFor();
      await guest.page.getByLabel('Code', { exact: true }).fill(nextCode());
    } else {
      await press(guest.page, 'Use a recovery code');
      await guest.page.getByLabel('Recovery code').and(guest.page.locator(':focus')).fill('aaaa-bbbb');
      await guest.page.keyboard.press('Enter');
      await guest.page
        .getByText('The recovery code is wrong or was already used. Use another one.')
        .waitFor();
      await guest.page.getByLabel('Recovery code').fill(recoveryCodes[0]!);
    }
    await guest.page.keyboard.press('Enter');
    await guest.page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
    const words = way === 'app' ? 'by password and code' : 'by password and recovery code';
    await guest.page.getByText(words).waitFor();
    await guest.page.context().close();
  }
});

test('starts again with the password after a code that came too late', async () => {
  const guest = await browser.openPage();
  await guest.page.goto('/sign-in');
  await signIn(guest.page, { email: person.email, password });
  await guest.page.getByLabel('Code', { exact: true }).waitFor();
  service.clock.advance(5 * 60_000);
  await guest.page.getByLabel('Code', { exact: true }).fill(nextCode());
  await guest.page.keyboard.press('Enter');
  await guest.page.getByText('This took too long').waitFor();
  await press(guest.page, 'Start again');
  await guest.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await guest.page.context().close();
});

test('replaces the recovery codes, and asks for password and code to switch off', async () => {
  await page.reload();
  await page.getByText('9 recovery codes are left.').waitFor();
  await press(page, 'New recovery codes…');
  await page.getByLabel('Your password').fill(password);
  await page.getByRole('textbox', { name: 'Code' }).fill(nextCode());
  await press(page, 'Create new codes');
  await page.getByRole('list', { name: 'Recovery codes' }).waitFor();
  await press(page, 'Copy codes');
  await press(page, 'Done');
  await page.getByText('10 recovery codes are left.').waitFor();
  await press(page, 'Turn off…');
  await page.getByLabel('Your password').fill(password);
  await page.getByRole('textbox', { name: 'Code' }).fill(nextCode());
  assert.deepEqual(await findBroken(page), []);
  await press(page, 'Turn off');
  await page.getByText('Second factor turned off').waitFor();
  await page.getByRole('button', { name: 'Set up' }).waitFor();
});

test('fits on a phone and in dark mode without errors', async () => {
  assert.deepEqual(await findMisfits(page, '/account'), []);
  assert.deepEqual(await findBroken(page), []);
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
