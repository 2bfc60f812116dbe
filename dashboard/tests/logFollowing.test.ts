/** Tests live logs in a real browser: following a flood, surviving an outage, and finding a moment again. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { logs, openLogPage } from './logPage.ts';
import { press, readSearch } from './steps.ts';

const outage = JSON.stringify({ error: 'The log engine does not answer.', code: 'engine_unavailable' });

const opened = await openLogPage({
  fill: (write, now) => {
    const begun = now - 3_600_000;
    return write(
      count('Step', 900).map((entry, index) => ({
        ...entry,
        timestamp: begun + index * 50,
        ...(index === 450 && { level: 'error' }),
      })),
    );
  },
});
after(() => opened[Symbol.asyncDispose]());
const { service, browser, visitor, page, write } = opened;

function count(word: string, length: number): object[] {
  return Array.from({ length }, (_, index) => ({
    level: 'info',
    message: `${word} ${index}.`,
    resource: 'flood',
  }));
}

const list = (): Locator => page.getByRole('listbox', { name: 'Entries, newest first' });
const line = (text: string): Locator => list().getByRole('option').filter({ hasText: text });
const open = (): Locator => list().getByRole('option', { selected: true });
const panel = (): Locator => page.getByRole('complementary', { name: 'Entry' });
const following = (): Promise<void> => page.getByRole('status').getByText('Following').waitFor();

test('shows a filtered entry among all entries around it, also from a shared link', async () => {
  await press(page, 'error');
  await line('Step 450.').click();
  await press(page, 'Show this moment in the list');
  await line('Step 449.').waitFor();
  await open().getByText('Step 450.').waitFor();
  const { from = '', to = '', entry, level } = readSearch(page);
  assert.equal(level, undefined);
  assert.equal(Date.parse(to) - Date.parse(from), 600_000);
  await page.goto(`${logs}?dataset=game&entry=${entry}`);
  await open().getByText('Step 450.').waitFor();
  await page
    .getByText(/^Around/)
    .first()
    .waitFor();
  await page.waitForFunction(() => {
    const scroller = document.querySelector('[role=listbox]');
    scroller?.scrollTo({ top: 0 });
    return scroller?.textContent?.includes('Step 640.');
  });
  await press(page, 'Jump to newest');
  await line('Step 899.').waitFor();
});

test('closes the entry with Back after moving to other entries', async () => {
  await press(page, 'Close the entry');
  await line('Step 899.').click();
  await panel().waitFor();
  for (const key of ['j', 'j']) await list().press(key);
  await panel().getByText('Step 897.').first().waitFor();
  await page.goBack();
  await panel().waitFor({ state: 'detached' });
  assert.deepEqual(readSearch(page), { dataset: 'game' });
});

test('Live appears in the address and clears a time range with an end', async () => {
  const to = new Date(service.clock.now() - 60_000).toISOString();
  await page.goto(`${logs}?to=${to}`);
  await press(page, 'Live');
  await following();
  assert.deepEqual(readSearch(page), { live: '1' });
  await page.reload();
  await following();
});

/** Browsers report each tab of a test as visible, so this says what they say of a hidden one. */
const setHidden = (isHidden: boolean): Promise<void> =>
  page.evaluate(hidden => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
    Object.defineProperty(document, 'visibilityState', {
      configurable: true,
      value: hidden ? 'hidden' : 'visible',
    });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, isHidden);

test('drops the connection of a hidden tab and resumes following when it is shown', async () => {
  await write([{ level: 'info', message: 'Before.', resource: 'flood' }]);
  await line('Before.').waitFor();
  const left = page.waitForEvent('requestfailed', request => request.url().includes('/logs/tail'));
  await setHidden(true);
  await left;
  const asked: string[] = [];
  page.on('request', request => asked.push(request.url()));
  await write([{ level: 'info', message: 'Meanwhile.', resource: 'flood' }]);
  const other = await page.context().newPage();
  await other.goto(page.url());
  const isCount = (url: string) => url.includes('/logs/histogram');
  for (let counted = 0; counted < 3; counted++)
    await other.waitForResponse(response => isCount(response.url()));
  await other.close();
  assert.deepEqual(asked, []);
  await setHidden(false);
  await line('Meanwhile.').waitFor();
  await following();
  assert.equal(await line('Meanwhile.').count(), 1);
  await page.reload(); // the next test counts what Live keeps
  await following();
});

test('counts what Live could not keep and loads it on request', async () => {
  await press(page, 'Pause');
  await write(count('Flood', 6_000));
  await page.getByText('Paused, 6,000 new').waitFor();
  await press(page, 'Resume');
  await line('Flood 5999.').waitFor();
  const scrollTo = (row: number) => list().evaluate((scroller, top) => scroller.scrollTo({ top }), row * 30);
  await scrollTo(4_995);
  await line('1,000 entries not shown').click();
  await line('Flood 999.').waitFor();
  assert.equal(await line('not shown').count(), 0);
});

/** Checks that the words stay on the page during this many more requests for the list. */
async function staysWhileAsked(words: string, times: number): Promise<void> {
  await page.evaluate(sought => {
    document.body.dataset.absences = '0';
    const look = () => {
      if (!document.body.innerText.includes(sought))
        document.body.dataset.absences = String(Number(document.body.dataset.absences) + 1);
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  }, words);
  const isOfList = (url: string) => /\/logs\?/.test(url);
  for (let asked = 0; asked < times; asked++)
    await page.waitForResponse(response => isOfList(response.url()));
  assert.equal(await page.locator('body').getAttribute('data-absences'), '0');
}

test('shows that a slow search is still running, and how to make it faster', async () => {
  const held = Promise.withResolvers<void>();
  const isList = ({ pathname }: URL) => /^\/api\/.*\/logs$/.test(pathname);
  await page.route(isList, async route => {
    await held.promise;
    await route.continue();
  });
  await page.goto(`${logs}?q=Step`);
  const sentence = page.getByText('Still searching. A shorter time range is faster.');
  await sentence.waitFor();
  held.resolve();
  await line('Step 899.').waitFor();
  await sentence.waitFor({ state: 'detached' });
  await page.unroute(isList);
});

const outageWords = 'The log engine does not answer.';

test('shows an outage once, for the list and for Live, and recovers by itself', async () => {
  const address = '**/api/manage/projects/default/logs**';
  await page.route(address, route =>
    route.fulfill({
      status: 503,
      headers: { 'Retry-After': '1' },
      contentType: 'application/json',
      body: outage,
    }),
  );
  await page.goto(`${logs}?live=1&q=Step`);
  const sentence = page.getByText('The log engine does not answer. Retrying automatically.');
  await sentence.waitFor();
  assert.equal(await page.getByText(outageWords).count(), 1);
  assert.equal(await page.getByText('0 entries').count(), 0);
  await staysWhileAsked(outageWords, 5);
  await press(page, 'Export');
  await page.getByRole('menuitem', { name: 'CSV' }).click();
  await page.getByText('Export failed.').waitFor();
  await page.unroute(address);
  await line('Step 899.').waitFor();
  await following();
  await sentence.waitFor({ state: 'detached' });
  assert(visitor.takeRefusals().every(refusal => refusal.startsWith('503 GET ')));
  assert.deepEqual(browser.troubles, []);
});
