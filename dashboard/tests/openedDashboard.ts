/** Opens a service and a browser with its owner signed in, for tests of a group of pages. */
import type { Page } from 'playwright-core';
import { addPerson, type Person } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { startBrowser, type TestBrowser, type WatchedPage } from './browser.ts';
import { buildDashboard } from './build.ts';
import { comeIn } from './steps.ts';

export type OpenedDashboard = AsyncDisposable & {
  service: TestService;
  browser: TestBrowser;
  owner: Person;
  visitor: WatchedPage;
  page: Page;
};

type Opening = {
  /** Runs before the page opens, and returns the address to open. */
  prepare(owner: Person): Promise<string>;
  /** Runs before the page shows anything. */
  arrange?: (page: Page) => Promise<void>;
  environment?: Readonly<Record<string, string>>;
  /** A busy machine takes half a minute to load a page. */
  waitMs?: number;
};

export async function openDashboard({
  prepare,
  arrange,
  environment = {},
  waitMs = 45_000,
}: Opening): Promise<OpenedDashboard> {
  await buildDashboard();
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await startTestService({ environment }));
  const browser = opened.use(await startBrowser(service.url));
  const owner = await addPerson(service, { isOwner: true });
  const address = await prepare(owner);
  const visitor = await browser.openPage();
  const { page } = visitor;
  page.setDefaultTimeout(waitMs);
  await arrange?.(page);
  await comeIn(page, owner, address);
  const running = opened.move();
  return { service, browser, owner, visitor, page, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
