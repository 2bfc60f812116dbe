/** Tests that a hidden tab stops its slow log queries, and repeats them when it is shown. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { logs, openLogPage } from './logPage.ts';

const opened = await openLogPage({
  fill: write => write([{ level: 'info', message: 'Shown again' }]),
});
after(() => opened[Symbol.asyncDispose]());
const { page, browser } = opened;

/** Browsers report each tab of a test as visible, so this says what they say of a hidden one. */
const setHidden = (isHidden: boolean): Promise<void> =>
  page.evaluate(hidden => {
    const state = { hidden, visibilityState: hidden ? 'hidden' : 'visible' };
    for (const [name, value] of Object.entries(state))
      Object.defineProperty(document, name, { configurable: true, value });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, isHidden);

const [listPath, chartPath] = [/\/api\/.*\/logs\?/, /\/api\/.*\/logs\/histogram\?/];
const isSlow = (url: string) => listPath.test(url) || chartPath.test(url);

test('stops slow log queries of a hidden tab after 5 s and repeats them when it is shown', async () => {
  await page.getByText('Shown again').waitFor();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route(
    url => isSlow(url.href),
    async route => {
      await held;
      await route.continue().catch(() => {}); // the page stopped it
    },
  );
  const asking = page.waitForRequest(request => isSlow(request.url()));
  await page.goto(`${logs}?query=shown`);
  await asking;
  const [list, chart] = [listPath, chartPath].map(path =>
    page.waitForEvent('requestfailed', request => path.test(request.url())),
  );
  await setHidden(true);
  const hiddenAt = performance.now();
  await Promise.all([list, chart]);
  assert(performance.now() - hiddenAt > 4_000, 'a glance at another tab stops nothing');
  release();
  await page.unrouteAll({ behavior: 'wait' });
  assert.equal(await page.getByText('Shown again').count(), 0, 'a hidden tab sends no new queries');
  const again = [listPath, chartPath].map(path =>
    page.waitForResponse(response => path.test(response.url())),
  );
  await setHidden(false);
  await Promise.all(again);
  await page.getByText('Shown again').waitFor();
  await page.getByRole('img', { name: /^1 entry/ }).waitFor();
  assert.deepEqual(browser.troubles, []);
});
