/** Steps that tests repeat, named as visitors would name them. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { Person } from '../../server/tests/support/people.ts';
import type { TestService } from '../../server/tests/support/service.ts';

type Credentials = { email: string; password: string };

export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
}

export async function go(page: Page, room: string, group?: string): Promise<void> {
  const navigation = page.getByRole('navigation', group === undefined ? {} : { name: group });
  await navigation.getByRole('link', { name: room }).click();
  await page.getByRole('heading', { name: room, level: 1 }).waitFor();
}

/** Waits for the page's heading. A loading page has one too, and headings behind a dialog have no role. */
export async function waitForPage(page: Page): Promise<void> {
  await page.locator('h1').filter({ hasNotText: 'Loading' }).first().waitFor();
}

export function plate(page: Page, title: string): Locator {
  return page.locator('form').filter({ has: page.getByRole('heading', { name: title }) });
}

/** The button stays disabled until the next change. */
export async function saveIn(page: Page, title: string): Promise<void> {
  await plate(page, title).getByRole('button', { name: 'Save' }).click();
  await plate(page, title).getByRole('button', { name: 'Reset' }).waitFor({ state: 'detached' });
}

export async function signIn(page: Page, { email, password }: Credentials): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await press(page, 'Sign in');
}

/** The first wrong attempts are free. If a wait ends before the next click, a longer one follows. */
export async function pressUntilSlowed(page: Page): Promise<void> {
  for (let attempts = 0; attempts < 12; attempts += 1) {
    const answered = page.waitForResponse('**/api/manage/sign-in');
    await press(page, 'Sign in');
    if ((await answered).status() === 429) return;
  }
  assert.fail('twelve wrong attempts were not slowed');
}

/** Opens the page with a prepared session instead of signing in. */
export async function comeIn(page: Page, { cookie, service }: Person, address: string): Promise<void> {
  await page.context().addCookies([{ name: 'tapedeck_session', value: cookie, url: service.url }]);
  await page.goto(address);
}

/** Returns the search in the address by key. */
export function readSearch(page: Page): Record<string, string> {
  return Object.fromEntries(new URL(page.url()).searchParams);
}

export async function askWhatTokenIs(
  service: TestService,
  token: string,
): Promise<{ kind: string; scopes: string[] }> {
  const response = await service.fetch('/api/v3/token', { headers: { Authorization: token } });
  assert.equal(response.status, 200);
  // The contract's response shape.
  const { data } = (await response.json()) as { data: { kind: string; scopes: string[] } };
  return data;
}
