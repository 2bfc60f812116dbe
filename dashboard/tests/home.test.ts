/** Tests a project's first page: the verdict in each state, and tiles with the right links. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { updateProject } from '@tapedeck/contract/projects';
import type { Locator } from 'playwright-core';
import { makeEntries, makeErrors, openProject } from './homeProjects.ts';
import { moveTo } from './inAppNavigation.ts';
import { openDashboard } from './openedDashboard.ts';
import { findMisfits } from './phone.ts';
import { readSearch } from './steps.ts';

const hourMs = 3_600_000;
const weekHours = 168;
const waitMs = 60_000; // for rules on a busy machine

const dashboard = await openDashboard({ waitMs, prepare: async () => '/' });
after(() => dashboard[Symbol.asyncDispose]());
const { service, browser, owner, page } = dashboard;

const tile = (name: string): Locator => page.getByRole('region', { name });
const verdict = (): Locator => tile('Status').getByRole('status');
const lamp = () => tile('Status').locator('[data-lamp]').getAttribute('data-lamp');

test('shows first steps at the top of a new project until an entry and a file have arrived', async () => {
  const { send, addFile } = await openProject(owner, 'default');
  const steps = page.getByRole('heading', { name: 'First steps' });
  await steps.waitFor();
  await page.getByText('Upload a first file').waitFor();
  assert.equal(await tile('Status').count(), 0, 'there is nothing to judge');
  await send([{ level: 'info', message: 'Hello, tape' }]);
  await page.getByText('Log entries received.').waitFor();
  await tile('Errors in the last hour').getByText('no history to compare with yet').waitFor();
  const top = (locator: Locator) => locator.evaluate(element => element.getBoundingClientRect().top);
  assert.ok((await top(steps)) < (await top(tile('Status'))), 'the steps stand first');
  await addFile();
  await steps.waitFor({ state: 'detached' });
  await page.getByText('All good.').waitFor();
  assert.equal(await lamp(), 'fine');
  await tile('New today').getByText('on the first day of logs').waitFor();
});

test('keeps the first steps collapsed after a reload', async () => {
  const { send } = await openProject(owner, 'logs-alone');
  await send([{ level: 'info', message: 'Hello' }]);
  await moveTo(page, '/projects/logs-alone');
  const inside = page.getByText('Upload a first file');
  await inside.waitFor();
  await page.getByRole('heading', { name: 'First steps' }).click();
  await inside.waitFor({ state: 'hidden' });
  await page.reload();
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  assert.equal(await inside.isVisible(), false);
});

test('compares errors with yesterday and last week and links each number to its entries', async () => {
  const { send, addFile } = await openProject(owner, 'errors');
  await addFile();
  await send([
    ...makeEntries([2, 200]),
    ...makeErrors([60, 0]),
    ...makeErrors([12, 24]),
    ...makeErrors([10, weekHours]),
  ]);
  await moveTo(page, '/projects/errors');
  await verdict().getByText('Errors are 5× higher than usual.').waitFor();
  assert.equal(await lamp(), 'bad');
  const errors = tile('Errors in the last hour');
  await errors.getByText('60', { exact: true }).waitFor();
  await errors.getByText('5× higher than usual').waitFor();
  await errors.getByRole('img', { name: 'Errors of the last 24 hours, hour by hour: 60 errors' }).waitFor();
  for (const [name, entries, search] of [
    ['Errors in the last hour', '60 entries', { query: 'level:error', range: '1h' }],
    ['at this time 12', '12 entries', { query: 'level:error' }],
    ['at this time 10', '10 entries', { query: 'level:error' }],
  ] as const) {
    await errors.getByRole('link', { name }).click();
    await page.getByText(entries, { exact: true }).waitFor();
    const asked = readSearch(page);
    assert.equal(asked.query, search.query);
    if ('range' in search) assert.equal(asked.range, search.range);
    await page.goBack();
  }
  await tile('Status').getByRole('link', { name: 'See the errors' }).click();
  await page.waitForURL(/\/errors\/logs\?/);
});

test('reports entries that stop coming and remembers the worst errors of the day', async () => {
  const { send, addFile } = await openProject(owner, 'silent');
  await addFile();
  const minuteMs = 60_000;
  const now = Date.now();
  const makeMinutes = (level: string, [from, to, each]: readonly [number, number, number]) =>
    Array.from({ length: (from - to) * each }, (_, index) => ({
      level,
      message: 'tick',
      timestamp: now - to * minuteMs - Math.floor((index * minuteMs) / each) - 1,
    }));
  await send(makeMinutes('info', [100, 7, 10]));
  await send(makeMinutes('error', [90, 75, 20]));
  await moveTo(page, '/projects/silent');
  const said = verdict().getByText(
    /^No entries for [78] minutes; usually about 1\d a minute\. 300 errors between /,
  );
  await said.waitFor();
  assert.equal(await lamp(), 'bad');
  await tile('Status').getByRole('link', { name: 'See the errors' }).click();
  await page.getByText('300 entries', { exact: true }).waitFor();
});

test('shows what first occurred today, errors first, and links to its entries', async () => {
  const { send, addFile } = await openProject(owner, 'news');
  await addFile();
  const at = service.clock.now();
  await send([
    ...makeEntries([40, 30]),
    ...Array.from({ length: 30 }, (_, index) => ({
      level: 'info',
      message: `Auction ${index} began`,
      timestamp: at,
    })),
    ...Array.from({ length: 7 }, () => ({ level: 'error', message: 'No such map: harbour', timestamp: at })),
    { level: 'info', message: 'tick took 12 ms', timestamp: at },
  ]);
  await moveTo(page, '/projects/news');
  const news = tile('New today');
  await news.getByText('since midnight').waitFor();
  await news.getByText('2', { exact: true }).waitFor();
  const found = await news.getByRole('listitem').allInnerTexts();
  assert.equal(found.length, 2);
  assert.match(found[0]!, /error\s*No such map: harbour\s*7 entries/);
  await news.getByRole('link', { name: /No such map/ }).click();
  await page.getByText('7 entries', { exact: true }).waitFor();
  assert.match(readSearch(page).query!, /^pattern:[0-9a-f]{16}$/);
  await page.goBack();
  await news.getByRole('link', { name: 'New today' }).click();
  await page.getByText('Auction').first().waitFor();
  assert.equal(readSearch(page).tab, 'patterns');
});

test('groups the newest errors as in Patterns, counts them in full, and links to all of them', async () => {
  const { send } = await openProject(owner, 'groups');
  const places = ['harbour', 'airport', 'prison', 'market', 'casino', 'museum', 'station', 'stadium'];
  const now = service.clock.now();
  await send(
    Array.from({ length: 160 }, (_, index) => ({
      level: 'error',
      message: `Cannot load the map of the ${places[index % places.length]} for the round`,
      timestamp: now - index * 60_000,
    })),
  );
  await moveTo(page, '/projects/groups');
  const newest = tile('Newest errors').getByRole('listitem');
  await newest.filter({ hasText: '160 times' }).getByRole('link').click();
  await page.getByText('160 entries', { exact: true }).waitFor();
});

test('shows errors with more names than a row lists as one of the newest errors', async () => {
  const { send } = await openProject(owner, 'names');
  const now = service.clock.now();
  const letters = 'abcdefghijklmno'.split('');
  const names = letters.flatMap(one => letters.map(other => `S${one}r${other}n`));
  await send(
    Array.from({ length: names.length * 2 }, (_, index) => ({
      level: 'error',
      message: `Cannot read the save of ${names[index % names.length]}: block ${index} is damaged`,
      timestamp: now - index * 1000,
    })),
  );
  await moveTo(page, '/projects/names');
  const newest = tile('Newest errors').getByRole('listitem');
  await newest.filter({ hasText: '450 times' }).waitFor();
  assert.equal(await newest.count(), 1);
});

test('shows new entries, storage and quota, with links to their pages', async () => {
  const { send, addFile } = await openProject(owner, 'stored');
  await addFile();
  const now = service.clock.now();
  await send(
    Array.from({ length: 50 }, (_, index) => ({ level: 'info', message: 'x', timestamp: now - index })),
  );
  const params = { project: 'stored' };
  await owner.call(updateProject, { params, body: { bytesMax: 5 * 1024 ** 2 } });
  await moveTo(page, '/projects/stored');
  await tile('New entries').getByText('10 a minute', { exact: true }).waitFor();
  await tile('New entries').getByRole('link', { name: 'New entries' }).click();
  await page.getByText('50 entries', { exact: true }).waitFor();
  assert.equal(readSearch(page).range, '6h');
  await page.goBack();
  const storage = tile('Storage');
  await storage.getByText('file quota 5 MiB').waitFor();
  await storage.getByText('Forecast available after one day.').waitFor();
  await storage.getByRole('link', { name: /Images.*1 file/ }).click();
  await page.waitForURL(/files\?type=image/);
  await page.goBack();
  await storage.getByRole('link', { name: /Logs.*50 entries/ }).click();
  await page.getByRole('heading', { name: 'Datasets', level: 1 }).waitFor();

  const store = await service.openStore();
  const at = now - 4 * 24 * hourMs;
  const day = Math.floor(at / (24 * hourMs));
  const nothing = { image: 0, video: 0, audio: 0, logs: 0 };
  await store.write(({ storageDays }) => storageDays.note({ ...params, day, at, ...nothing }));
  await owner.call(updateProject, { params, body: { bytesMax: 1_000 } });
  await page.goto('/projects/stored');
  await storage.getByText(/quota full in|The quota is full/).waitFor();
});

test('works with the keyboard alone', async () => {
  await moveTo(page, '/projects/errors');
  await verdict().getByText('Errors are').waitFor();
  await tile('Status').getByRole('link').first().focus();
  const reached: string[] = [];
  for (let presses = 0; presses < 40 && !reached.includes('Live servers'); presses += 1) {
    await page.keyboard.press('Tab');
    reached.push(await page.evaluate(() => document.activeElement?.textContent?.trim() ?? ''));
  }
  const titles = ['Errors in the last hour', 'New entries', 'Firing rules', 'Live servers'];
  assert.deepEqual(
    reached.filter(text => titles.includes(text)),
    titles,
  );
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Live sessions', level: 1 }).waitFor();
});

test('fits on a phone and in dark mode, with a name on every control', async () => {
  assert.deepEqual(await findMisfits(page, '/projects/errors'), []);
  assert.deepEqual(await findMisfits(page, '/projects/logs-alone'), []);
  assert.deepEqual(browser.troubles, []);
});
