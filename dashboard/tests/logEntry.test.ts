/** Tests an open entry in a real browser: colours, stack, trace and chat message, beside the list and in front of it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { addPerson, addToken } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { makePicture, mediaEnvironment, uploadFile } from '../../server/tests/support/uploading.ts';
import { startBrowser, type TestBrowser, type WatchedPage } from './browser.ts';
import { buildDashboard } from './build.ts';
import { moveTo } from './inAppNavigation.ts';
import { findBroken } from './screenReaderRules.ts';
import { comeIn, press, readSearch } from './steps.ts';

const logs = '/projects/default/logs';
const coloured = '^1SCRIPT ERROR^7: \u001b[32mgreen\u001b[0m §9blue';
const stack = Array.from({ length: 12 }, (_, index) => `    at step${index} (main.js:${index}:1)`).join('\n');
const nobody = '0192e4b2a0007abc8def0123456789ab';

let service: TestService;
let browser: TestBrowser;
let visitor: WatchedPage;
let page: Page;
let token: string;

before(async () => {
  await buildDashboard();
  service = await startTestService({ environment: mediaEnvironment });
  browser = await startBrowser(service.url);
  const owner = await addPerson(service, { isOwner: true });
  ({ token } = await addToken(owner, { kind: 'logs' }));
  await write({ message: coloured });
  await write({ level: 'error', message: `TypeError: x is no function\n${stack}` });
  const heist = await write({ message: 'The heist began' });
  const vault = await write({ message: 'The vault opened', parentId: heist });
  await write({ message: 'Gold was taken', parentId: vault });
  await write({ message: 'A child of nobody', parentId: nobody });
  const { url } = await uploadFile(service, await makePicture(), { filename: 'map.png' });
  await send('/api/v3/logs/chat', {
    username: 'Round bot',
    embeds: [
      {
        title: 'Winner',
        description: '**Team red** won',
        color: 0x3366ff,
        author: { name: 'Referee' },
        fields: [{ name: 'Score', value: 12 }],
        footer: { text: 'season 3' },
        image: { url },
        thumbnail: { url: 'https://pictures.example/t.png' },
      },
    ],
  });
  visitor = await browser.openPage();
  page = visitor.page;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await comeIn(page, owner, logs);
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function send(address: string, body: object): Promise<void> {
  const headers = { authorization: token, 'content-type': 'application/json' };
  const response = await service.fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.equal(response.status, 200);
}

/** `write` resolves to the entry's traceId. */
type Written = { message: string; level?: string; parentId?: string; metadata?: object };

async function write(item: Written): Promise<string> {
  await send('/api/v3/logs', [{ level: 'info', ...item }]);
  const answer = await service.fetch('/api/v3/logs?limit=1', { headers: { authorization: token } });
  // The contract's response shape.
  const { data } = (await answer.json()) as { data: { traceId: string }[] };
  return data[0]!.traceId;
}

const list = (): Locator => page.getByRole('listbox', { name: /^Entries, / });
const line = (text: string): Locator => list().getByRole('option').filter({ hasText: text });
const panel = (): Locator => page.getByRole('complementary', { name: 'Entry' });
const drawer = (): Locator => page.getByRole('dialog', { name: 'Entry' });
const trace = (): Locator => panel().getByRole('list', { name: 'Trace' });
const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.id ?? '');

/** Returns a colour as computed, such as `rgb(…)`. */
function colourOf(text: Locator): Promise<string> {
  return text.evaluate(element => getComputedStyle(element).color);
}

test('shows terminal and game colours in list and entry, and copies the original text', async () => {
  const entry = line('SCRIPT ERROR: green blue');
  const usual = await colourOf(entry);
  const colours = [];
  for (const word of ['SCRIPT ERROR', 'green', 'blue'])
    colours.push(await colourOf(entry.getByText(word, { exact: true })));
  assert.equal(new Set([usual, ...colours]).size, 4);
  await entry.click();
  await panel().locator('pre').getByText('SCRIPT ERROR: green blue').waitFor();
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  assert.notEqual(await colourOf(entry.getByText('blue', { exact: true })), colours[2]);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await press(page, 'Copy the text');
  await panel().getByText('Copied').first().waitFor({ state: 'attached' });
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), coloured);
});

test('shows the first frames of a long stack and the others on press or search', async () => {
  await line('TypeError').click();
  const text = panel().locator('pre');
  await text.getByText('step2').waitFor();
  assert.equal(await text.getByText('step9').count(), 0);
  await text.getByRole('button', { name: '9 frames' }).click();
  await text.getByText('step9').waitFor();
  await text.getByRole('button', { name: 'Hide 9 frames' }).press('Enter');
  await text.getByText('step9').waitFor({ state: 'detached' });
  await moveTo(page, `${logs}?query=step9`);
  await line('step9').click();
  await text.locator('mark').getByText('step9').waitFor();
});

test('shows parents and children as a tree that expands, and marks what is missing', async () => {
  await moveTo(page, logs);
  await line('The vault opened').click();
  const names = () =>
    trace()
      .getByRole('button', { name: /\d\d:\d\d/ })
      .allInnerTexts();
  await trace().getByText('Gold was taken').waitFor();
  const order = (await names()).map(name => name.split('\n').at(-1));
  assert.deepEqual(order, ['The heist began', 'The vault opened', 'Gold was taken']);
  await trace().getByRole('button', { name: 'The heist began' }).click();
  await trace().getByRole('button', { name: 'Expand' }).press('Enter');
  await trace().getByRole('button', { name: 'Gold was taken' }).click();
  await panel().locator('pre').getByText('Gold was taken').waitFor();
  await trace().getByText('The heist began').waitFor();
  assert.deepEqual(visitor.takeRefusals(), []);
  await line('A child of nobody').click();
  await panel().getByText(`The parent ${nobody} is missing`).waitFor();
  assert(visitor.takeRefusals().every(refusal => refusal.startsWith('404 GET ')));
});

test('shows a chat message as in the chat and loads pictures of other sites only on request', async () => {
  await line('Winner').click();
  const message = panel().getByRole('article', { name: 'Chat message' });
  for (const text of ['Round bot', 'Referee', 'Winner', 'Team red', 'Score', '12', 'season 3'])
    await message.getByText(text, { exact: true }).waitFor();
  assert.equal(
    await message.getByText('Team red', { exact: true }).evaluate(e => getComputedStyle(e).fontWeight),
    '700',
  );
  const bar = await message.locator('div[style]').evaluate(e => getComputedStyle(e).borderLeftColor);
  assert.equal(bar, 'rgb(51, 102, 255)');
  const picture = message.getByRole('img', { name: 'Picture of the message' });
  await page.waitForFunction(
    () => document.querySelector<HTMLImageElement>('article img[alt]')?.naturalWidth,
  );
  assert.match((await picture.getAttribute('src')) ?? '', /^\/media\/default\/.*\?w=640$/);
  await message.getByRole('button', { name: 'Show from pictures.example' }).waitFor();
  await press(page, 'Close the entry');
});

test('covers the list with the entry below 1280 pixels, and returns the focus to the line', async () => {
  await page.setViewportSize({ width: 1200, height: 800 });
  await list().focus();
  for (const key of ['Home', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await drawer().waitFor();
  const { entry: first } = readSearch(page);
  for (let presses = 0; presses < 25; presses += 1) {
    await page.keyboard.press('Tab');
    await page.waitForFunction(() => document.activeElement?.closest('[role=dialog]'));
  }
  await drawer().getByRole('button', { name: 'Next entry' }).click();
  await page.keyboard.press('j');
  await drawer().getByRole('heading', { name: 'Entry' }).waitFor();
  await page.waitForFunction(before => !location.search.includes(before), first ?? '');
  await drawer().getByRole('button', { name: 'Actions for the level' }).press('Enter');
  await page.getByRole('menu').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await drawer().waitFor();
  const { entry } = readSearch(page);
  await page.keyboard.press('Escape');
  await drawer().waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.activeElement?.id === 'entries');
  const active = await list().getAttribute('aria-activedescendant');
  assert(entry !== undefined && active?.endsWith(entry), `${active} is not ${entry}`);
  assert.equal(readSearch(page).entry, undefined);
});

test('passes the accessibility rules with a long text and long metadata on a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const metadata = { player: { name: 'W'.repeat(200) } };
  const entry = await write({ level: 'warn', message: 'a\n'.repeat(300), metadata });
  await page.goto(`${logs}?entry=${entry}`);
  await page.getByText('W'.repeat(200)).first().waitFor();
  assert.deepEqual(await findBroken(page), []);
});

test('keeps the context narrowed to a player from one entry to the next', async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  const [anna, ben] = [{ player: { id: '7' } }, { player: { id: '8' } }];
  await write({ message: 'Anna came in', metadata: anna });
  await write({ message: 'Ben came in', metadata: ben });
  const entry = await write({ message: 'Anna went out', metadata: anna });
  await page.goto(`${logs}?entry=${entry}`);
  const scope = panel().getByLabel('Entries around it');
  const near = (text: string): Locator => panel().getByRole('listitem').getByRole('button', { name: text });
  await near('Ben came in').waitFor();
  await scope.selectOption('Only player.id 7');
  await near('Ben came in').waitFor({ state: 'detached' });
  await near('Anna came in').click();
  await near('Anna went out').waitFor();
  assert.equal(await scope.locator('option:checked').innerText(), 'Only player.id 7');
  assert.equal(await near('Ben came in').count(), 0);
  await panel().getByRole('button', { name: 'Close the entry' }).click();
});

test('returns the focus on closing an entry beside the list', async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await line('Winner').click();
  await panel().getByRole('button', { name: 'Close the entry' }).press('Enter');
  await panel().waitFor({ state: 'detached' });
  assert.equal(await focused(), 'entries');
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
