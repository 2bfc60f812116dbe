/** Tests sign-in through an OpenID provider in a real browser: the first time, again, and refused. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createInvitation } from '@tapedeck/contract/invitations';
import type { Page } from 'playwright-core';
import { findFreePort } from '../../scripts/engines/freePorts.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../../server/tests/support/openIdProviders.ts';
import { addPerson, type Person, password } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { buildDashboard } from './build.ts';
import { findMisfits } from './phone.ts';
import { findBroken } from './screenReaderRules.ts';
import { press, signIn } from './steps.ts';

const patienceMs = 60_000; // this process runs two services beside the browser

let provider: OpenIdProvider;
let service: TestService;
let browser: TestBrowser;
let owner: Person;

before(async () => {
  await buildDashboard();
  const port = await findFreePort();
  const publicUrl = `http://localhost:${port}`;
  provider = await startOpenIdProvider([`${publicUrl}/api/manage/sign-in/provider/callback`]);
  service = await startTestService({
    environment: { ...provider.environment, TAPEDECK_PORT: String(port), TAPEDECK_PUBLIC_URL: publicUrl },
  });
  browser = await startBrowser(publicUrl);
  owner = await addPerson(service, { isOwner: true, email: 'olive@example.org' });
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});

/** Signs in on the provider's pages. */
async function beThere(page: Page, account: string): Promise<void> {
  await page.locator('input[name=login]').fill(account);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.locator('input[name=prompt][value=consent]').waitFor({ state: 'attached' });
  await page.locator('button[type=submit]').click();
}

test('signs a user in through the provider, leading to the requested page', async () => {
  const { page } = await browser.openPage();
  page.setDefaultTimeout(patienceMs);
  await page.goto('/account');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.deepEqual(await findBroken(page), []);
  await press(page, 'Sign in with Harbour ID');
  await beThere(page, 'olive');
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
  await page.getByText('by the sign-in provider').waitFor();
  await page.getByText(provider.issuer).waitFor();
  assert.deepEqual(await findBroken(page), []);
  assert.deepEqual(await findMisfits(page, '/account'), []);
  await press(page, 'Unlink olive@example.org');
  await page.getByText('None yet. An account with').waitFor();
  await press(page, 'Link an account of Harbour ID…');
  await page.getByLabel('Your password').fill(password);
  await press(page, 'Go to Harbour ID');
  await page.getByRole('button', { name: 'Unlink olive@example.org' }).waitFor();
  await page.context().clearCookies({ name: 'tapedeck_session' });
  await page.goto('/projects/default');
  await press(page, 'Sign in with Harbour ID');
  await page.waitForURL('**/projects/default');
  await page.context().close();
});

test('rejects an unlinked provider account and offers signing in with a password', async () => {
  const { page } = await browser.openPage();
  page.setDefaultTimeout(patienceMs);
  await page.goto('/sign-in');
  await press(page, 'Sign in with Harbour ID');
  await beThere(page, 'stranger');
  await page.getByText('This provider account isn’t linked to any user here.').waitFor();
  assert.deepEqual(await findBroken(page), []);
  await signIn(page, { email: owner.email, password });
  await page.waitForURL('**/projects/default');
  await page.context().close();
});

test('accepts an invitation through the provider', async () => {
  const { secret } = await owner.call(createInvitation, {
    params: { project: 'default' },
    body: { role: 'viewer' },
  });
  const { page } = await browser.openPage();
  page.setDefaultTimeout(patienceMs);
  await page.goto(`/invitation#${secret}`);
  await press(page, 'Join with Harbour ID');
  await beThere(page, 'newcomer');
  await page.waitForURL('**/projects/default');
  await page.goto('/account');
  await page.getByText('newcomer of the harbour').first().waitFor();
  await page.getByText('You have no password yet').waitFor();
  assert.equal(await page.getByLabel('Current password').count(), 0);
  await page.getByLabel('New password').fill(password);
  await press(page, 'Set password');
  await page.getByText('Password changed').waitFor();
  await page.getByLabel('Current password').waitFor();
  await page.context().close();
});
