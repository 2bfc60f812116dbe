/** Checks every page against the accessibility rules, and that right-to-left names don't disturb the text beside them. */
import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { createLogView } from '@tapedeck/contract/logViews';
import type { Page } from 'playwright-core';
import { addPerson, addProject, addToken, type Person } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { makePicture, mediaEnvironment, uploadFile } from '../../server/tests/support/uploading.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { buildDashboard } from './build.ts';
import { visit } from './inAppNavigation.ts';
import { watchLoading } from './loadingPages.ts';
import { findBroken, findFaint } from './screenReaderRules.ts';
import { comeIn } from './steps.ts';

/** Reads as `exe.png` if the character may turn the text after it. */
const turned = 'shot\u202egnp.exe';
const frames = Array.from({ length: 6 }, (_, index) => `    at step${index} (main.js:${index}:1)`).join('\n');

let service: TestService;
let browser: TestBrowser;
let owner: Person;
let page: Page;
let traceId: string;
let colouredId: string;
let chatId: string;
let file: string;

before(async () => {
  await buildDashboard();
  service = await startTestService({ environment: mediaEnvironment });
  browser = await startBrowser(service.url);
  owner = await addPerson(service, { isOwner: true, name: turned });
  await addPerson(service, { roles: { default: 'member' }, name: `${turned} too` });
  await addProject(owner, 'second');
  const { token } = await addToken(owner, { kind: 'logs', name: turned });
  const metadata = { [turned]: turned, link: 'https://example.org/a' };
  await send(token, '/api/v3/logs', [
    { level: 'warn', message: turned, resource: turned, metadata },
    { level: 'error', message: `${turned}\n  at line 2`, metadata },
  ]);
  await send(token, `/api/sdk/report?sdkType=server_a&endpoint=e&resourceName=${encodeURIComponent(turned)}`);
  const record = await uploadFile(service, await makePicture(), {
    filename: `${turned}.png`,
    path: turned,
    metadata: JSON.stringify(metadata),
  });
  file = record.id;
  await send(token, '/api/v3/logs', [
    {
      level: 'info',
      message: `^1red ^3yellow ^5cyan^7 \u001b[34mblue\u001b[0m §aGreen\n${frames}`,
      metadata,
    },
  ]);
  await send(token, '/api/v3/logs/chat', {
    username: turned,
    embeds: [
      {
        title: turned,
        description: turned,
        color: 255,
        fields: [{ name: turned, value: turned }],
        image: { url: record.url },
      },
    ],
  });
  await owner.call(createLogView, {
    params: { project: 'default' },
    body: { name: turned, query: 'level=error' },
  });
  const answer = await service.fetch('/api/v3/logs?limit=3', { headers: { authorization: token } });
  // The contract's response shape.
  const { data } = (await answer.json()) as { data: { traceId: string }[] };
  [chatId, colouredId, traceId] = data.map(entry => entry.traceId) as [string, string, string]; // the query asks for three
  page = (await browser.openPage()).page;
  await comeIn(page, owner, '/');
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function send(token: string, address: string, body?: unknown): Promise<void> {
  const response = await service.fetch(address, {
    method: 'POST',
    headers: { authorization: token, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  assert.equal(response.status, 200, await response.text());
}

const project = '/projects/default';
/** A name, an address, and the keys typed into the logs' query box. */
const pages: readonly (readonly [string, string | (() => string), ...string[]])[] = [
  ['home', project],
  ['home of a new project', '/projects/second'],
  ['players', `${project}/players`],
  ['the logs', `${project}/logs?range=all`],
  ['a chart of log counts', `${project}/logs?range=all&chart=count&by=resource`],
  ['a chart of a number field', `${project}/logs?range=all&chart=p95&of=ms&by=level`],
  ['patterns', `${project}/logs?range=all&tab=patterns`],
  ['an open entry', () => `${project}/logs?range=all&entry=${traceId}`],
  [
    'the logs in columns',
    `${project}/logs?range=all&order=asc&columns=link,resource,${encodeURIComponent(turned)}`,
  ],
  ['an entry with terminal colours', () => `${project}/logs?range=all&entry=${colouredId}`],
  ['a chat message', () => `${project}/logs?range=all&entry=${chatId}`],
  ['field suggestions in the search box', `${project}/logs`, 'l', 'e', 'ArrowDown'],
  ['value suggestions in the search box', `${project}/logs?query=link`, 'End', ':', 'ArrowDown'],
  ['recent searches', `${project}/logs?query=z`, 'Enter', 'Control+a', 'Backspace', 'ArrowUp'],
  ['an invalid query in the search box', `${project}/logs?query=${encodeURIComponent('(a OR "b')}`],
  ['a search without results', `${project}/logs?query=Level:error`],
  ['saved views', `${project}/log-views`],
  ['issues', `${project}/issues`],
  ['files as pictures', `${project}/files`],
  ['files as lines', `${project}/files?view=list`],
  ['storage by type and folder', `${project}/files?view=storage`],
  ['the trash', `${project}/files?trash=true`],
  ['files found by a query', `${project}/files?query=name:*shot*`],
  ['an open file', () => `${project}/files?file=${file}`],
  ['datasets', `${project}/datasets`],
  ['live sessions', `${project}/sessions`],
  ['the list of tools', `${project}/connect`],
  ['the guide of a tool', `${project}/connect/sharex`],
  ['tokens', `${project}/tokens`],
  ['members', `${project}/members`],
  ['settings', `${project}/settings`],
  ['the audit log of a project', `${project}/audit`],
  ['users', '/users'],
  ['the audit log of the installation', '/audit'],
  ['the account page', '/account'],
  ['a new project', '/new-project'],
  ['an unknown address inside a project', '/projects/default/nowhere'],
  ['an unknown address', '/nowhere'],
  ['an unknown project', '/projects/nowhere'],
];

for (const [name, where, ...keys] of pages) {
  describe(name, () => {
    before(async () => {
      await visit(page, typeof where === 'string' ? where : where());
      if (page.url().includes('entry=')) await page.getByText('UTC', { exact: true }).waitFor();
      if (keys.length > 0) await page.getByRole('combobox', { name: 'Search the logs' }).focus();
      for (const key of keys) await page.keyboard.press(key);
      if (keys.length > 0) await page.locator('[aria-label=Suggestions] [aria-selected=true]').waitFor();
    });

    it('passes the accessibility rules', async () => assert.deepEqual(await findBroken(page), []));

    it('passes the accessibility rules in dark mode and with an entry covering the list', async () => {
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      await page.setViewportSize({ width: 1000, height: 860 });
      const isCovered = page.url().includes('entry=');
      const broken = isCovered ? await findBroken(page) : await findFaint(page); // otherwise only colours change
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await page.setViewportSize({ width: 1280, height: 860 });
      assert.deepEqual(broken, []);
    });

    it('keeps the direction of text beside a right-to-left name', async () =>
      assert.deepEqual(await findTurned(), []));
  });
}

/** A tenth of the score that browsers call good. */
const shiftMax = 0.01;

const loadedPages = [
  '/',
  `${project}/logs`,
  `${project}/tokens`,
  `${project}/files`,
  '/account',
  `${project}/nowhere`,
  '/sign-in',
  '/invitation#nothing',
];

for (const address of loadedPages) {
  test(`${address} passes the rules while loading, has one main landmark and h1, and does not shift`, async () => {
    const { page: visited } = await browser.openPage();
    const cookie = { name: 'tapedeck_session', value: owner.cookie, url: service.url };
    if (address !== '/sign-in') await visited.context().addCookies([cookie]);
    const { broken, landmarks, shift } = await watchLoading(visited, address);
    await visited.context().close();
    assert.deepEqual({ broken, landmarks }, { broken: [], landmarks: ['1 main, 1 h1'] });
    assert.ok(shift < shiftMax, `what is shown moved by ${shift}`);
  });
}

test('keeps the navigation at an unknown address inside a project', async () => {
  await page.goto(`${project}/nowhere`);
  await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
  await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Logs' }).click();
  await page.getByRole('heading', { name: 'Logs', level: 1 }).waitFor();
});

const menus = [
  [project, 'account, theme, sign out'],
  [project, 'switch project'],
  [project, 'Alerts: none firing'],
  [`${project}/logs`, 'Views'],
  [`${project}/logs`, 'Export'],
] as const;

for (const [address, name] of menus) {
  test(`the menu “${name}” passes the accessibility rules`, async () => {
    await visit(page, address);
    await page.getByRole('button', { name }).first().click();
    await page.getByRole('menu').getByRole('menuitem').first().waitFor();
    assert.deepEqual(await findBroken(page), []);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
  });
}

/** Finds texts with the character that neither end its effect nor are alone in an isolating element. */
function findTurned(): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.textContent ?? '';
      const open = text.replaceAll(/\u2068[^\u2069]*\u2069/g, '');
      const element = node.parentElement;
      if (!open.includes('\u202e') || !element?.checkVisibility()) continue;
      const { unicodeBidi, display } = getComputedStyle(element);
      const keepsToItself = unicodeBidi.includes('isolate') || display !== 'inline';
      const joined = element.cloneNode(true) as Element; // a clone is of the same kind
      for (const lineBreak of joined.querySelectorAll('wbr')) lineBreak.remove();
      joined.normalize();
      const isWhole = /^(?:field\.)?shot\u202egnp\.exe/.test(joined.textContent.trim());
      const isAlone = isWhole && joined.childNodes.length === 1;
      if (!keepsToItself || !isAlone) found.push(element.outerHTML.slice(0, 200));
    }
    return found;
  });
}
