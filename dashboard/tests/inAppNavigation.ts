/**
 * Opens pages of a loaded dashboard by its router. Loading a page takes four to eight times the processor time, and the accessibility rules
 * are compiled again, too. How pages load is tested in `accessibility.test.ts` and `dashboard.test.ts`.
 */
import type { AnyRouter } from '@tanstack/react-router';
import type { Page, Request } from 'playwright-core';
import { waitForPage } from './steps.ts';

/** One of these small pages comes between two pages, so that a further search of the same page begins with a new page, too. */
const smallPages = [
  ['/new-project', 'New project'],
  ['/account', 'Account'],
] as const;
const quietMs = 500; // as long as Playwright's `networkidle`
const quietWaitMsMax = 45_000; // a busy machine takes half a minute to load a page

/** Opens an address. Also leaves unsaved forms and open dialogs. */
export async function moveTo(page: Page, address: string): Promise<void> {
  if (isOutside(page.url()) || isOutside(address)) {
    await page.goto(address);
    return waitForPage(page);
  }
  await waitForPage(page); // before that, no router listens
  const [between, title] = address === smallPages[0][0] ? smallPages[1] : smallPages[0];
  await push(page, between);
  const heading = page.locator('h1').filter({ hasText: title });
  await heading.waitFor();
  await push(page, address);
  await heading.waitFor({ state: 'hidden' });
  await waitForPage(page);
}

/** Opens an address and waits until the page has its data. */
export async function visit(page: Page, address: string): Promise<void> {
  const awaitQuiet = watchRequests(page);
  await moveTo(page, address);
  await awaitQuiet();
}

/** The documentation and an empty tab are not the dashboard. */
function isOutside(address: string): boolean {
  const { protocol, pathname } = new URL(address, 'http://localhost');
  return protocol === 'about:' || pathname.startsWith('/docs');
}

function push(page: Page, address: string): Promise<void> {
  return page.evaluate(to => {
    // The router puts itself there.
    const { __TSR_ROUTER__: router } = window as unknown as { __TSR_ROUTER__: AnyRouter };
    router.history.push(to, {}, { ignoreBlocker: true });
  }, address);
}

/** The returned function resolves once no request was under way for a while. */
function watchRequests(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  const quiet = Promise.withResolvers<void>();
  let timer = setTimeout(quiet.resolve, quietMs);
  const restart = () => {
    clearTimeout(timer);
    if (open.size === 0) timer = setTimeout(quiet.resolve, quietMs);
  };
  const begin = (request: Request) => {
    if (request.resourceType() !== 'eventsource') open.add(request);
    restart();
  };
  const end = (request: Request) => {
    open.delete(request);
    restart();
  };
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end);
  return async () => {
    const limit = setTimeout(
      () => quiet.reject(new Error(`Still under way: ${[...open].map(each => each.url()).join(', ')}`)),
      quietWaitMsMax,
    );
    await quiet.promise;
    clearTimeout(limit);
    page.off('request', begin).off('requestfinished', end).off('requestfailed', end);
  };
}
