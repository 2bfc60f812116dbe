/** Tests that every page fits a phone, touch targets are large enough for a finger, and stable pages look as before. */
import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { createChannel } from '@tapedeck/contract/channels';
import { createLogView } from '@tapedeck/contract/logViews';
import { createRule } from '@tapedeck/contract/rules';
import type { Page } from 'playwright-core';
import { addProject, addToken, type Person } from '../../server/tests/support/people.ts';
import { makePicture, mediaEnvironment, uploadFile } from '../../server/tests/support/uploading.ts';
import { findUnnamedControls } from './accessibleNames.ts';
import { moveTo, visit } from './inAppNavigation.ts';
import { findDifferences, looks, startLooking } from './looks.ts';
import { openDashboard } from './openedDashboard.ts';

const fingerPixels = 44;
const longSlug = 'w'.repeat(32);
const awkwardNames = ['W'.repeat(100), 'שרת ראשי \u202eexe.txt', '👩‍👩‍👧‍👦🏳️‍🌈'.repeat(5)];
const rule = { name: 'Errors', kind: 'count', query: 'level:error', windowSeconds: 300 } as const;

const opened = await openDashboard({
  environment: mediaEnvironment,
  arrange: page => page.setViewportSize({ width: 390, height: 844 }),
  prepare: async owner => {
    const { service } = owner;
    const params = { project: 'default' };
    const { token } = await addToken(owner, { kind: 'logs', name: 'game' });
    const headers = { authorization: token, 'content-type': 'application/json' };
    const items = [
      { level: 'error', message: 'It broke\n  at line 2', resource: 'maps', metadata: { a: '1' } },
    ];
    const body = JSON.stringify(items);
    assert.equal((await service.fetch('/api/v3/logs', { method: 'POST', headers, body })).status, 200);
    await owner.call(createLogView, { params, body: { name: 'Errors', query: 'query=level%3Aerror' } });
    await owner.call(createRule, { params, body: { ...rule, condition: { op: '>=', value: 50 } } });
    await uploadFile(service, await makePicture(), { filename: 'shot.png', path: 'screenshots' });
    await addProject(owner, longSlug);
    await addAwkwardNames(owner, headers);
    return '/projects/default';
  },
});
after(() => opened[Symbol.asyncDispose]());
const { browser, page } = opened;
const looking = await startLooking(opened.service, browser);

const project = '/projects/default';
const pages = [
  '',
  '/logs',
  '/logs?tab=patterns',
  '/logs?tab=compare',
  '/logs?chart=count&by=resource',
  '/log-views',
  '/files',
  '/files?view=list',
  '/alerts',
  '/alerts/new',
  '/alerts/channels',
  '/alerts/deliveries',
  '/issues',
  '/players',
  '/datasets',
  '/sessions',
  '/connect',
  '/tokens',
  '/members',
  '/settings',
  '/audit',
].map(end => project + end);

const phone = { width: 390, height: 844 };
const devtools = await page.context().newCDPSession(page);

/** Resizes without reloading, like turning a phone or zooming. */
async function resize(width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
}

async function touchByFinger(enabled: boolean): Promise<void> {
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled, maxTouchPoints: 5 });
}

const others = ['/users', '/audit', '/account', '/new-project', `/projects/${longSlug}/settings`];
const documentation = ['/docs', '/docs/index', '/docs/api/logs', '/docs/connect/fluent-bit'];
for (const address of [...pages, ...others, ...documentation]) {
  describe(address, () => {
    before(async () => {
      await resize(phone.width, phone.height);
      await visit(page, address);
    });

    it('fits on a phone, with no target smaller than a finger', async () => {
      assert.deepEqual(await findSmall(page), []);
      assert.deepEqual(await findUnnamedControls(page), []);
      assert.deepEqual(await findWide(page), []);
    });

    it('fits on a larger touch screen, with no target smaller than a finger', async () => {
      await touchByFinger(true);
      await resize(844, 390);
      const [small, wide] = [await findSmall(page), await findWide(page)];
      await touchByFinger(false);
      assert.deepEqual({ small, wide }, { small: [], wide: [] });
    });

    it('is no wider than 320 pixels, as on a screen of 1280 at 400 %', async () => {
      await resize(320, 640);
      assert.deepEqual(await findWide(page), []);
    });
  });
}

/** Adds names of maximum length, right to left, with several marks per character, and with invisible characters. */
async function addAwkwardNames(owner: Person, headers: Record<string, string>): Promise<void> {
  const { service } = owner;
  const params = { project: 'default' };
  for (const [index, name] of awkwardNames.entries()) {
    await owner.call(createLogView, { params, body: { name, query: `query=level%3Aerror&home=${index}` } });
    await owner.call(createRule, { params, body: { ...rule, name, condition: { op: '>=', value: 1 } } });
    await owner.call(createChannel, {
      params,
      body: { name, kind: 'webhook', target: 'https://example.org' },
    });
    await addToken(owner, { kind: 'logs', name });
    const filename = `${name.repeat(2).slice(0, 196)}.png`;
    await uploadFile(service, await makePicture(), { filename, path: `screenshots/${'p'.repeat(60)}` });
  }
  const items = [...awkwardNames, '\u001b[31mred\u0007\u0000\u009f'].map(name => ({
    level: 'error',
    message: name.repeat(2),
    resource: name.repeat(2).slice(0, 200),
    metadata: { player: { id: name, name } },
  }));
  const request = { method: 'POST', headers, body: JSON.stringify(items) };
  const sent = await service.fetch(`/api/v3/logs?dataset=${'d'.repeat(64)}`, request);
  assert.equal(sent.status, 200, await sent.text());
}

for (const room of [
  'log-views',
  'alerts',
  'datasets',
  'tokens',
  'members',
  'players',
  'files?view=storage',
]) {
  test(`fits long names in ${room} into the page and beside the buttons of their rows`, async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await visit(page, `${project}/${room}`);
    const tables = page.locator('div:has(> table)');
    const wide = () =>
      tables.evaluateAll(all => all.filter(each => each.scrollWidth > each.clientWidth).length);
    assert.equal(await wide(), 0, 'tables that are wider than their place');
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1440);
    await page.setViewportSize({ width: 390, height: 844 });
    assert.equal(await wide(), 0, 'tables that are wider than a phone');
    assert.deepEqual(await findCovered(page), []);
  });
}

test('keeps the bar of the files, with the search, within three rows', async () => {
  await resize(phone.width, phone.height);
  await moveTo(page, `${project}/files`);
  const bar = await page.getByRole('search').boundingBox();
  const folders = await page.getByRole('button', { name: 'Folders' }).boundingBox();
  const views = await page.getByRole('group', { name: 'Show files' }).boundingBox();
  assert.ok(bar && folders && views);
  assert.ok(bar.height < 4 * fingerPixels, `${bar.height} pixels`);
  assert.ok(Math.abs(folders.y - views.y) < fingerPixels / 2, 'the folders and the views are in one row');
});

test('has no target in the navigation smaller than a finger', async () => {
  await page.getByRole('button', { name: 'Navigation' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Logs' }).waitFor();
  assert.deepEqual(await findSmall(page), []);
  assert.deepEqual(browser.troubles, []);
});

test('matches the stored looks of stable pages, on a phone and on a large screen', async () => {
  const differences: string[] = [];
  for (const look of looks)
    differences.push(...(await findDifferences(look.name, await looking.take(look), looking.page)));
  assert.deepEqual(
    differences,
    [],
    'Compare .cache/looks with dashboard/tests/looks. Is the change meant? Then run `npm run looks`.',
  );
});

test('detects and names an element that moves by five pixels', async () => {
  const [look] = looks;
  assert.ok(look);
  await looking.take(look);
  await looking.page.evaluate(() => document.querySelector('form')?.style.setProperty('margin-left', '5px'));
  const moved = await findDifferences(look.name, await looking.page.screenshot(), looking.page);
  assert.match(moved.join('\n'), /^sign-in: x \d+ to \d+, y \d+ to \d+, about \w+ “/);
});

test('keeps search and account visible on a low screen and scrolls the pages between them', async () => {
  await page.setViewportSize({ width: 1280, height: 600 });
  await moveTo(page, project);
  const search = await page.getByRole('button', { name: 'Go to…' }).boundingBox();
  const account = await page.getByRole('button', { name: 'account, theme, sign out' }).boundingBox();
  assert.ok(search && account);
  assert.ok(search.height > 32, `${search.height} pixels`);
  assert.ok(account.y + account.height <= 600, `${account.y + account.height} pixels`);
  const last = page.getByRole('link', { name: 'Installation audit' });
  await last.scrollIntoViewIfNeeded();
  await last.click();
  await page.getByRole('heading', { name: 'Installation audit', level: 1 }).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
});

/** Skips links within sentences, which are as high as their line. */
function findSmall(shown: Page): Promise<string[]> {
  return shown.evaluate(least => {
    const all = document.querySelectorAll<HTMLElement>(
      'a[href], button, select, input, textarea, summary, [role=tab]',
    );
    return [...all].flatMap(element => {
      const target = element.closest('label') ?? element;
      const { width, height } = target.getBoundingClientRect();
      const isHidden = !element.checkVisibility() || element.closest('[aria-hidden=true], .sr-only') !== null;
      const isInSentence = getComputedStyle(element).display === 'inline';
      const isOutside = target.getBoundingClientRect().bottom < 0; // appears on focus
      if (isHidden || isInSentence || isOutside || (width >= least - 0.5 && height >= least - 0.5)) return [];
      const words = (element.getAttribute('aria-label') ?? element.textContent ?? '').slice(0, 40);
      return [`${element.tagName} “${words}” ${Math.round(width)}×${Math.round(height)}`];
    });
  }, fingerPixels);
}

/** Finds names in first cells that a button of the row covers. */
function findCovered(shown: Page): Promise<string[]> {
  return shown.evaluate(() =>
    [...document.querySelectorAll('tbody tr')].flatMap(row => {
      const range = document.createRange();
      range.selectNodeContents(row.children[0] ?? row);
      const lines = [...range.getClientRects()];
      const buttons = [...row.querySelectorAll('td:last-child :is(button, a)')];
      const isCovered = buttons.some(button => {
        const { left, right, top, bottom } = button.getBoundingClientRect();
        return lines.some(
          line =>
            line.left < right - 1 && line.right > left + 1 && line.top < bottom - 1 && line.bottom > top + 1,
        );
      });
      return isCovered ? [(row.textContent ?? '').slice(0, 40)] : [];
    }),
  );
}

/** Finds elements that stick out to the right, unless an ancestor clips or scrolls. */
function findWide(shown: Page): Promise<string[]> {
  return shown.evaluate(() => {
    const isHeld = (element: Element): boolean => {
      const parent = element.parentElement;
      if (parent === null || parent === document.body) return false;
      // Only a positioned ancestor clips an absolutely positioned element.
      const isLoose = getComputedStyle(element).position === 'absolute';
      const around = isLoose ? (element as HTMLElement).offsetParent : parent; // only HTML elements are positioned here
      if (around === null || around === document.body) return false;
      return getComputedStyle(around).overflowX !== 'visible' || isHeld(around);
    };
    if (document.documentElement.scrollWidth <= window.innerWidth) return [];
    return [...document.body.querySelectorAll('*')]
      .filter(element => element.getBoundingClientRect().right > window.innerWidth + 1 && !isHeld(element))
      .map(element => `${element.outerHTML.slice(0, 160)} “${(element.textContent ?? '').slice(0, 40)}”`);
  });
}
