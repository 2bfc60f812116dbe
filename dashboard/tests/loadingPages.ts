/** Watches a page while it loads: before each response of the service, and at every DOM change. */
import type { Page } from 'playwright-core';
import { findBroken } from './screenReaderRules.ts';
import { waitForPage } from './steps.ts';

type Loading = {
  /** Broken rules while the page waits for a response. */
  broken: string[];
  /** Each different count of main parts and h1 headings, from the first script on. */
  landmarks: string[];
  /** The browser's score for layout shift. */
  shift: number;
};

/** Holds back each response until the page was checked without it; the first until the page says that it is loading. */
export async function watchLoading(page: Page, address: string): Promise<Loading> {
  const broken: string[] = [];
  let lookedAt = '';
  const look = async () => {
    const shown = await page.evaluate(readDocument);
    if (shown === lookedAt) return; // several requests may wait while nothing changes
    lookedAt = shown;
    broken.push(...(await findBroken(page)));
  };
  const lookTwice = async () => {
    await look();
    await page.getByRole('status').filter({ hasText: 'Loading' }).first().waitFor({ state: 'attached' });
    await look();
  };
  let looked: Promise<void> | undefined;
  await page.route('**/api/manage/**', async route => {
    looked = looked === undefined ? lookTwice() : looked.then(look);
    await looked;
    await route.continue();
  });
  await page.addInitScript(countLandmarks);
  await page.goto(address);
  await waitForPage(page);
  await page.waitForLoadState('networkidle');
  await page.unrouteAll({ behavior: 'wait' });
  const { landmarks, shift } = await page.evaluate(() => {
    // The init script put these there.
    const left = window as unknown as Loading;
    return { landmarks: left.landmarks, shift: left.shift };
  });
  return { broken: [...new Set(broken)], landmarks, shift };
}

/** Runs in the page. Returns what the rules depend on: the elements, and the number of loaded style sheets and fonts. */
function readDocument(): string {
  const { documentElement, styleSheets, fonts } = document;
  const loaded = [...fonts].filter(({ status }) => status === 'loaded').length;
  return [styleSheets.length, loaded, documentElement.scrollHeight, documentElement.outerHTML].join(' ');
}

/** Runs in the page. */
function countLandmarks(): void {
  const seen: { landmarks: string[]; shift: number } = Object.assign(window, { landmarks: [], shift: 0 });
  const count = () => {
    const now = `${document.querySelectorAll('main').length} main, ${document.querySelectorAll('h1').length} h1`;
    if (!seen.landmarks.includes(now)) seen.landmarks.push(now);
  };
  const start = () => {
    if (document.readyState !== 'interactive') return;
    count();
    new MutationObserver(count).observe(document, { childList: true, subtree: true });
  };
  document.addEventListener('readystatechange', start, { once: true });
  const addUp = (list: PerformanceObserverEntryList) => {
    for (const entry of list.getEntries())
      seen.shift += (entry as PerformanceEntry & { value: number }).value;
  };
  new PerformanceObserver(addUp).observe({ type: 'layout-shift', buffered: true });
}
