/** Tests a project's first page: rules, servers, the machine and problems, for each role, and how it refreshes. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createChannel, updateChannel } from '@tapedeck/contract/channels';
import { createRule, updateRule } from '@tapedeck/contract/rules';
import type { Locator } from 'playwright-core';
import { addPerson } from '../../server/tests/support/people.ts';
import { startTestService } from '../../server/tests/support/service.ts';
import { startBrowser } from './browser.ts';
import { makeEntries, makeErrors, openProject } from './homeProjects.ts';
import { moveTo } from './inAppNavigation.ts';
import { openDashboard } from './openedDashboard.ts';
import { comeIn, press } from './steps.ts';

const waitMs = 90_000; // for rules on a busy machine

const dashboard = await openDashboard({
  waitMs,
  prepare: async owner => {
    const { address, send, addFile } = await openProject(owner, 'errors');
    await addFile();
    await send([...makeEntries([2, 30]), ...makeErrors([60, 0]), ...makeErrors([12, 24])]);
    return address;
  },
});
after(() => dashboard[Symbol.asyncDispose]());
const { service, browser, owner, page } = dashboard;

const tile = (name: string): Locator => page.getByRole('region', { name });
const verdict = (): Locator => tile('Status').getByRole('status');
const lamp = () => tile('Status').locator('[data-lamp]').getAttribute('data-lamp');

test('names firing rules and links to their pages', async () => {
  const { send, addFile } = await openProject(owner, 'ruled');
  await addFile();
  await send(makeEntries([5, 30]));
  await moveTo(page, '/projects/ruled');
  const rules = tile('Firing rules');
  await rules.getByText('No rules yet').waitFor();
  const body = { name: 'Errors pile up', kind: 'count', query: 'level:error', windowSeconds: 600 } as const;
  const condition = { op: '>=', value: 2 } as const;
  const params = { project: 'ruled' };
  const { rule } = await owner.call(createRule, { params, body: { ...body, condition } });
  await send([
    { level: 'error', message: 'one' },
    { level: 'error', message: 'two' },
  ]);
  await rules.getByText('Errors pile up').waitFor();
  await verdict().getByText('“Errors pile up” is firing.').waitFor();
  await rules.getByText('2 or more entries that match level:error').waitFor();
  await rules.getByText('No one is notified: no active rule has a channel.').waitFor();
  const target = { name: 'Pager', kind: 'webhook', target: 'https://pager.example/told' } as const;
  const { id: channel } = (await owner.call(createChannel, { params, body: target })).channel;
  await owner.call(updateChannel, { params: { ...params, channel }, body: { enabled: false } });
  await owner.call(updateRule, { params: { ...params, rule: rule.id }, body: { channels: [channel] } });
  await page.reload();
  await rules.getByText('Deliveries to Pager are failing.').waitFor();
  await rules.getByRole('link', { name: 'Firing rules' }).click();
  await page.waitForURL(/\/ruled\/alerts$/);
  await page.goBack();
  await rules.getByRole('link', { name: 'Errors pile up' }).click();
  await press(page, 'I’m on it: Errors pile up');
  await page.goBack();
  await rules.getByText('is on it').waitFor();
  await page.getByRole('link', { name: 'See the rule', exact: true }).click();
  await page.getByRole('heading', { name: 'Errors pile up', level: 1 }).waitFor();
});

test('names a firing issue by the text of its entries', async () => {
  const { send, addFile } = await openProject(owner, 'issues');
  await addFile();
  const body = { name: 'New issues', kind: 'issue' } as const;
  await owner.call(createRule, { params: { project: 'issues' }, body });
  await send([{ level: 'error', message: 'Cannot open the shop\nstack traceback:' }]);
  await moveTo(page, '/projects/issues');
  await tile('Firing rules').getByText('Cannot open the shop', { exact: true }).waitFor();
  await tile('Firing rules').getByRole('link', { name: 'New issues' }).click();
  await page.getByText('Cannot open the shop', { exact: true }).first().waitFor();
});

test('names a server that went silent, on Home and among the sessions', async () => {
  const { send, report, addFile } = await openProject(owner, 'servers');
  await addFile();
  await send(makeEntries([5, 0]));
  await report('lobby');
  await moveTo(page, '/projects/servers');
  const servers = tile('Live servers');
  await servers.getByText('lobby').waitFor();
  await page.getByText('All good.').waitFor();
  service.clock.advance(31 * 60_000);
  await report('harbour');
  await page.reload();
  await verdict().getByText('1 server went silent.', { exact: true }).waitFor();
  assert.equal(await lamp(), 'note');
  await servers.getByText('1 went silent').waitFor();
  await servers.getByText('harbour').waitFor();
  await servers.getByRole('link', { name: 'Live servers' }).click();
  await page.getByRole('region', { name: 'Went silent' }).getByRole('row', { name: 'lobby' }).waitFor();
  await page
    .getByRole('region', { name: 'Live sessions' })
    .or(page.getByRole('row', { name: 'harbour' }))
    .first()
    .waitFor();
});

test('moves nothing when the newest errors are the last to load', async () => {
  const held = Promise.withResolvers<void>();
  const isOfErrors = ({ pathname, search }: URL) =>
    pathname.endsWith('/logs/patterns') && search.includes('level=error');
  await page.route(isOfErrors, async route => {
    await held.promise;
    await route.continue();
  });
  await page.setViewportSize({ width: 1280, height: 2_000 }); // movement outside it does not count
  await page.goto('/projects/errors', { waitUntil: 'commit' });
  await verdict().filter({ hasNotText: 'Checking' }).waitFor();
  await page.evaluate(() => {
    const seen = Object.assign(window, { moved: 0 });
    new PerformanceObserver(list => {
      // TypeScript does not know these entries.
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
        seen.moved += entry.value;
    }).observe({ type: 'layout-shift' });
  });
  held.resolve();
  await tile('Newest errors').waitFor();
  await tile('Usage').waitFor();
  assert.equal(await page.evaluate(() => 'moved' in window && window.moved), 0);
  await page.unrouteAll({ behavior: 'wait' });
});

test('shows the machine to owners of the installation and requests it for nobody else', async () => {
  await moveTo(page, '/projects/errors');
  const machine = tile('This machine');
  await machine.getByText('free', { exact: false }).first().waitFor();
  for (const words of [
    'Queue empty',
    /^Running, .* memory, ClickHouse/,
    'tapedeck backup DIR',
    /^0\.\d+\.\d+, started/,
  ])
    await machine.getByText(words).waitFor();
  for (const role of ['viewer', 'member', 'admin', 'owner'] as const) {
    const theirs = await browser.openPage();
    await comeIn(theirs.page, await addPerson(service, { roles: { errors: role } }), '/projects/errors');
    await theirs.page.getByText('Errors are 5× higher than usual.').waitFor({ timeout: waitMs });
    await theirs.page.getByRole('region', { name: 'Storage' }).getByText('Images').waitFor();
    assert.equal(await theirs.page.getByRole('region', { name: 'This machine' }).count(), 0, role);
    assert.deepEqual(theirs.takeRefusals(), [], role);
    await theirs.page.context().close();
  }
});

test('refreshes by itself', async () => {
  const { address, send, addFile } = await openProject(owner, 'again');
  await addFile();
  await send(makeErrors([1, 0]));
  await moveTo(page, address);
  const errors = tile('Errors in the last hour');
  await errors.getByText('1', { exact: true }).waitFor();
  await send(makeErrors([3, 0]));
  await errors.getByText('4', { exact: true }).waitFor();
});

test('shows an error only in tiles with logs when the log engine is down', async () => {
  await using lost = await startTestService({
    environment: { TAPEDECK_CLICKHOUSE_URL: 'http://127.0.0.1:9' },
  });
  await using other = await startBrowser(lost.url);
  const person = await addPerson(lost, { isOwner: true });
  const { address, send, addFile } = await openProject(person, 'default');
  await addFile();
  await send(makeErrors([1, 0]));
  const { page: theirs } = await other.openPage();
  theirs.setDefaultTimeout(waitMs);
  await comeIn(theirs, person, address);
  const its = (name: string) => theirs.getByRole('region', { name });
  for (const name of ['Errors in the last hour', 'New entries', 'New today', 'Storage'])
    await its(name).getByRole('alert').getByText('Couldn’t load this').waitFor();
  await its('Status').getByRole('status').getByText('The logs have a problem. Some checks failed.').waitFor();
  await its('Firing rules').getByText('No rules yet').waitFor();
  await its('Live servers').getByText('None', { exact: true }).waitFor();
  await its('This machine').getByText('0 of 1 server responding').waitFor();
  await its('This machine').getByText('1 entry waiting').waitFor();
  await its('This machine')
    .getByText('does not answer: start it, or check TAPEDECK_CLICKHOUSE_URL')
    .waitFor();
  assert.deepEqual(other.troubles, []);
});

test('explains in tiles that the log engine took too long, without mentioning queries', async () => {
  const isOfLogs = ({ pathname }: URL) => /^\/api\/.*\/logs\//.test(pathname);
  const error = 'The query took longer than 30 seconds. Narrow it.';
  const answer = { status: 503, json: { error, code: 'query_timeout' } };
  const theirs = await browser.openPage();
  await theirs.page.route(isOfLogs, route => route.fulfill(answer));
  await comeIn(theirs.page, owner, '/projects/errors');
  for (const name of ['Errors in the last hour', 'New entries', 'New today'])
    await theirs.page
      .getByRole('region', { name })
      .getByText('Couldn’t load this: the log engine took longer than 30 seconds.')
      .waitFor({ timeout: waitMs });
  assert.equal(await theirs.page.getByText('Narrow it').count(), 0);
  assert.ok(theirs.takeRefusals().every(refusal => refusal.includes('503')));
  await theirs.page.context().close();
});

test('logs no errors on any page', () => assert.deepEqual(browser.troubles, []));
