/** Watches a page while it loads: before each response of the service, and at every change of the document. */
import type { Page } from 'playwright-core';
import { findBroken } from './screenReaderRules.ts';
import { waitForPage } from './steps.ts';

type Loading = {
  /** Broken rules while a response is awaited. */
  broken: string[];
  /** Each different count of main parts and first headings, from the first script on. */
  landmarks: string[];
  /** How far what was shown moved by itself: the browser's score. */
  shift: number;
};

/** Each answer is held back until the page as it stands without it was looked at; the first until the page says that it loads. */
export async function watchLoading(page: Page, address: string): Promise<Loading> {
  const broken: string[] = [];
  let lookedAt = '';
  const look = async () => {
    const shown = await page.evaluate(readDocument);
    if (shown === lookedAt) return; // several requests wait for answers while nothing changes
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
    // As the script has left it there.
    const left = window as unknown as Loading;
    return { landmarks: left.landmarks, shift: left.shift };
  });
  return { broken: [...new Set(broken)], landmarks, shift };
}

/** Runs in the page. All that the rules are held against: the elements, and how many style sheets and fonts have come. */
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
