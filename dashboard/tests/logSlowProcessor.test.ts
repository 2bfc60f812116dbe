/** Tests that the Logs page stays responsive on a processor with a quarter of the speed. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { logs, openLogPage } from './logPage.ts';
import { watchMainThread } from './mainThread.ts';

const runsMax = 5; // the first compiles the scripts, and another one may meet a busy machine
const goodRuns = 3; // then the median of five is good, too, whatever the others take
const taskMsMax = 600; // at a quarter of the speed
const scrollMsMax = 350; // 240 with rows that render in two turns, 450 without
/**
 * Multiplies processor time at full speed. Chromium's emulation of a quarter of the speed measured up to 1.5 times as much as four times this, and
 * computes while the page waits.
 */
const slowness = 6;
const entryCount = 5_000;

const frames = Array.from({ length: 20 }, (_, index) => `    at step${index} (main.js:${index}:1)`).join(
  '\n',
);

const opened = await openLogPage({
  fill: (write, now) =>
    write(
      Array.from({ length: entryCount }, (_, index) => ({
        level: ['info', 'warn', 'error', 'debug'][index % 4],
        message: index % 5 === 0 ? `Order ${index} failed\n${frames}` : `Order ${index} of ^1Anna^7 was paid`,
        resource: ['shop', 'maps', 'garage'][index % 3],
        timestamp: now - index * 200,
        metadata: Object.fromEntries(
          Array.from({ length: 20 }, (_, field) => [`field${field}`, index % (field + 2)]),
        ),
      })),
    ),
});
after(() => opened[Symbol.asyncDispose]());
const { page, browser } = opened;

const line = (): Locator => page.getByRole('listbox', { name: /^Entries/ }).getByRole('option');
const panel = (): Locator => page.getByRole('complementary', { name: 'Entry' });
const list = (): Locator => page.locator('#entries');
const loadAll = async (): Promise<void> => {
  while ((await list().evaluate(element => element.scrollHeight)) < entryCount * 30)
    await list().evaluate(async element => {
      element.scrollTo(0, element.scrollHeight);
      await new Promise(requestAnimationFrame);
    });
};
const scrollTo = async (share: number): Promise<void> => {
  await list().evaluate((element, part) => element.scrollTo(0, element.scrollHeight * part), share);
  await page.locator(`#entries [data-index="${Math.ceil(entryCount * share)}"]`).waitFor();
};
/** Resolves when the page has rendered everything, second turns too. */
const settle = (): Promise<void> =>
  page.evaluate(() => new Promise(resolve => requestIdleCallback(() => resolve(), { timeout: 5_000 })));

type Steps = Readonly<Record<string, () => Promise<void>>>;

const steps: Steps = {
  load: async () => {
    await page.goto(logs);
    await line().first().waitFor();
    await page.getByRole('img', { name: /entries since/ }).waitFor();
  },
  type: async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('level:err');
    await page.getByRole('option', { name: /error/ }).first().waitFor();
  },
  search: async () => {
    await page.keyboard.type('or');
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: /^1,250 entries/ }).waitFor();
  },
  open: async () => {
    await line().nth(2).click();
    await panel().getByText('field19', { exact: true }).waitFor();
  },
  next: async () => {
    await page.keyboard.press('j');
    await panel().getByText('field19', { exact: true }).waitFor();
  },
  columns: async () => {
    await page.goto(`${logs}?columns=field1,field2,field3`);
    await line().first().waitFor();
  },
  patterns: async () => {
    await page.getByRole('tab', { name: 'Patterns' }).click();
    await page.locator('[data-pattern]').first().waitFor();
  },
  entries: async () => {
    await page.getByRole('tab', { name: 'Entries' }).click();
    await line().first().waitFor();
  },
  fields: async () => {
    await page.keyboard.press('f');
    await settle();
  },
};

const scrollSteps: Steps = {
  'scroll far': async () => {
    await scrollTo(0.3);
    await scrollTo(0.7);
  },
  'scroll on': async () => {
    for (const share of [0.701, 0.702, 0.703]) await scrollTo(share);
  },
  'page up': () => list().press('PageUp'),
};

test('blocks the main thread of a slow processor for less than 0.6 s at a time', async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const thread = await watchMainThread(page);
  const measure = async (some: Steps, msMax: number) => {
    const longest = new Map<string, number[]>(Object.keys(some).map(name => [name, []]));
    const isGood = (ms: number) => ms > 1 && ms < msMax; // less than 1 ms: nothing was measured
    const areGood = () => [...longest.values()].every(times => times.filter(isGood).length >= goodRuns);
    for (let run = 0; run < runsMax && !areGood(); run++)
      for (const [name, step] of Object.entries(some)) {
        const ms = await thread.longestTask(async () => {
          await step();
          await settle();
        });
        longest.get(name)?.push(ms * slowness);
      }
    for (const [name, times] of longest)
      assert(
        times.filter(isGood).length >= goodRuns,
        `${name}: the longest task took ${times.map(Math.round).join(', ')} ms`,
      );
  };
  await measure(steps, taskMsMax);
  await loadAll();
  await measure(scrollSteps, scrollMsMax);
  assert.deepEqual(browser.troubles, []);
});
