/** Tests the documentation in a browser: search, languages, copying, requests, on a phone, and the accessibility rules. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { mediaEnvironment } from '../../server/tests/support/uploading.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { buildDashboard } from './build.ts';
import { findBroken } from './screenReaderRules.ts';

let service: TestService;
let browser: TestBrowser;
let page: Page;

before(async () => {
  await buildDashboard();
  service = await startTestService({ environment: mediaEnvironment });
  browser = await startBrowser(service.url);
  ({ page } = await browser.openPage());
});
after(async () => {
  await browser[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

describe('the documentation', () => {
  it('lists all pages on the ungrouped page, and a single group on a page of that group', async () => {
    const closed = page.getByRole('navigation', { name: 'Pages' }).locator('details details:not([open])');
    await page.goto('/docs');
    assert.equal(await closed.count(), 0);
    await page.goto('/docs/uploads');
    assert.notEqual(await closed.count(), 0);
  });

  it('finds an operation by its path, using only the keyboard', async () => {
    await page.goto('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('base64');
    await page
      .getByRole('link', { name: /Upload a file as base64/ })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/api\/files#uploadBase64$/);
  });

  it('keeps the language of samples on the next page', async () => {
    await page.getByRole('tab', { name: 'Python' }).first().click();
    await page.goto('/docs/api/logs');
    const sample = page.locator('section', { has: page.locator('#ingestLogs') }).locator('.samples');
    await sample.getByText('requests.request(').waitFor();
    assert.equal(await sample.getByText("curl 'http").isVisible(), false);
    assert.equal(await sample.getByRole('tab', { name: 'Python' }).getAttribute('aria-selected'), 'true');
  });

  it('copies, or explains how to when the browser forbids it', async () => {
    const button = page.getByRole('button', { name: 'Copy' }).first();
    await button.click();
    await page.getByRole('button', { name: /Copied|Press Ctrl\+C/ }).waitFor();
  });

  it('sends a request and shows the response', async () => {
    const token = mediaEnvironment.TAPEDECK_MEDIA_TOKEN;
    await page.goto('/docs/api/files#listFiles');
    const section = page.locator('section', { has: page.locator('#listFiles') });
    await section.getByText('Try it').click();
    await section.getByLabel('Token').fill(token);
    await section.getByRole('button', { name: 'Send GET' }).click();
    await section.locator('output').getByText('200 OK').waitFor();
    await section.locator('output').getByText('"status": "ok"').waitFor();
    await section.getByLabel('limit').fill('-1');
    await section.getByRole('button', { name: 'Send GET' }).click();
    await section.locator('output').getByText('"code": "invalid_field"').waitFor();
  });

  it('finds words within a guide', async () => {
    await page.goto('/docs');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('rate limits');
    await page
      .getByRole('link', { name: /^Clients|^Configuration/ })
      .first()
      .waitFor();
    assert.deepEqual(await findBroken(page), []);
    await page.keyboard.press('Escape');
  });

  it('shows when a search finds nothing', async () => {
    await page.goto('/docs');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('xylophone');
    await page.getByRole('status').getByText('Nothing found for “xylophone”').waitFor();
    await page.keyboard.press('Escape');
  });

  it('lists the sections of a page beside the text, and marks the one being read', async () => {
    await page.setViewportSize({ width: 1440, height: 860 });
    await page.goto('/docs/uploads');
    const list = page.getByRole('navigation', { name: 'On this page' });
    const link = list.getByRole('link').nth(1);
    await link.click();
    await link.and(list.locator('[aria-current="location"]')).waitFor(); // marked once the page has scrolled
    const place = new URL(page.url()).hash;
    assert.equal(await page.locator(`h2${place} .anchor`).getAttribute('href'), place);
  });

  it('gives a guide as Markdown', async () => {
    await page.goto('/docs/uploads');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /^# Uploads\n/);
    assert.ok(copied.includes(service.url.replace('127.0.0.1', 'localhost')));
    await page.context().clearPermissions();
  });

  for (const address of ['/docs', '/docs/api/files', '/docs/uploads', '/docs/connect/vector']) {
    it(`${address} passes the accessibility rules and fits, also on a phone`, async () => {
      for (const width of [1440, 1280, 390]) {
        await page.setViewportSize({ width, height: 860 });
        await page.goto(address);
        assert.deepEqual(await findBroken(page), []);
        const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(excess <= 0, `${address} is ${excess} px too wide at ${width} px`);
      }
    });
  }

  it('loads nothing from other hosts, and no request fails', () => {
    assert.deepEqual(browser.troubles, []);
  });
});
