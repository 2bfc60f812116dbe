/** Tests the logs' query box in a real browser by keyboard alone: colours, errors, completion, history, pasting. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { moveTo } from './inAppNavigation.ts';
import { logs, openLogPage } from './logPage.ts';
import { press, readSearch } from './steps.ts';

const opened = await openLogPage({
  fill: async write => {
    const anna = { player: { id: '43', name: 'Anna B' }, ms: 7 };
    const items = [
      { level: 'error', message: 'Connection lost', resource: 'oxmysql', metadata: anna },
      {
        level: 'info',
        message: 'Connection made',
        resource: 'oxmysql',
        metadata: { player: { id: '44' }, ms: 140 },
      },
      { level: 'info', message: 'Ancient words', timestamp: Date.now() - 40 * 86_400_000 },
      { level: 'warn', message: 'Slow tick', resource: 'core', metadata: { 'odd name': 'x', ms: 90 } },
    ];
    await write(items);
  },
});
after(() => opened[Symbol.asyncDispose]());
const { browser, visitor, page } = opened;

const box = (): Locator => page.getByRole('combobox', { name: 'Search the logs' });
const suggestions = (): Locator => page.getByRole('listbox', { name: 'Suggestions' });
const suggestion = (name: string | RegExp): Locator => suggestions().getByRole('option', { name });
const line = (text: string): Locator =>
  page.getByRole('listbox', { name: 'Entries, newest first' }).getByRole('option').filter({ hasText: text });
const panel = (): Locator => page.getByRole('complementary', { name: 'Entry' });

async function type(text: string, ...keys: string[]): Promise<void> {
  await page.keyboard.type(text);
  for (const key of keys) await page.keyboard.press(key);
}

/** Starts with an empty, focused box and no search. */
async function begin(): Promise<void> {
  await moveTo(page, logs);
  await line('Slow tick').waitFor();
  await page.keyboard.press('/');
}

/** Returns each colour with its letters. */
function readColours(): Promise<string[]> {
  return page
    .locator('[data-kind]')
    .evaluateAll(spans => spans.map(span => `${span.getAttribute('data-kind')} ${span.textContent}`));
}

test('colours the typed query by its meaning without moving the text', async () => {
  await begin();
  await type('level:error -"a b" (x OR ms:>5)');
  assert.deepEqual(await readColours(), [
    'field level',
    'operator :',
    'value error',
    'negation -',
    'text "a b"',
    'bracket (',
    'text x',
    'operator OR',
    'field ms',
    'operator :>',
    'value 5',
    'bracket )',
  ]);
  const colours = page.locator('[data-kind=field]').first();
  const [field, shown] = [await box().boundingBox(), await colours.boundingBox()];
  assert(field && shown && Math.abs(field.x - shown.x) < 1, 'the colours begin where the field does');
  await page.keyboard.press('Control+z');
  assert.notEqual(await box().inputValue(), 'level:error -"a b" (x OR ms:>5)');
});

test('scrolls a long text together with its colours', async () => {
  await begin();
  await type('first ');
  await page.keyboard.insertText('word '.repeat(40)); // at once, as from a clipboard: each key renders the box
  await type('last');
  const [field, colours] = await box().evaluate(input =>
    [input, input.previousElementSibling ?? input].map(({ scrollLeft, scrollWidth }) => ({
      scrollLeft,
      scrollWidth,
    })),
  );
  assert(field && colours && field.scrollLeft > 100, 'the text is longer than the box');
  assert(Math.abs(field.scrollLeft - colours.scrollLeft) <= 1, `${field.scrollLeft}, ${colours.scrollLeft}`);
  assert(
    Math.abs(field.scrollWidth - colours.scrollWidth) <= 2,
    `${field.scrollWidth}, ${colours.scrollWidth}`,
  );
});

test('marks an error in place and describes it below, also for screen readers', async () => {
  await begin();
  await type('(lost OR', 'Enter');
  const sentence = page.getByText('Write a term on each side of OR');
  await sentence.waitFor();
  assert.equal(await box().getAttribute('aria-invalid'), 'true');
  assert.equal(await box().getAttribute('aria-describedby'), await sentence.getAttribute('id'));
  assert.deepEqual(
    (await readColours()).filter(each => each.startsWith('error')),
    ['error OR'],
  );
  assert.deepEqual(readSearch(page), {}, 'nothing was asked of the service');
  await type(' made)', 'Enter');
  await sentence.waitFor({ state: 'detached' });
  await line('Slow tick').waitFor({ state: 'detached' });
  assert.deepEqual(readSearch(page), { query: '(lost OR made)' });
});

test('shows the error of an invalid address once', async () => {
  await page.goto(`${logs}?query=${encodeURIComponent('level:loud a')}`);
  await page.getByText('Write one of the levels').waitFor();
  assert.equal(await page.getByText('Write one of the levels').count(), 1);
  assert((await readColours()).includes('error loud'));
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
  assert.deepEqual(new Set(visitor.takeRefusals().map(each => each.slice(0, 3))), new Set(['400']));
});

test('shows an error once while the list is loading and the histogram was refused', async () => {
  const held = Promise.withResolvers<void>();
  const isList = ({ pathname }: URL) => /^\/api\/.*\/logs$/.test(pathname);
  await page.route(isList, async route => {
    await held.promise;
    await route.continue();
  });
  const refused = page.waitForResponse(response => response.url().includes('/logs/histogram'));
  await page.goto(`${logs}?query=${encodeURIComponent('level:loud b')}`);
  await refused;
  await page.getByText('Write one of the levels').first().waitFor();
  await page.evaluate(() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  assert.equal(await page.getByText('Write one of the levels').count(), 1);
  const listed = page.waitForResponse(response => isList(new URL(response.url())));
  held.resolve();
  await listed;
  await page.unroute(isList);
  assert.deepEqual(new Set(visitor.takeRefusals().map(each => each.slice(0, 3))), new Set(['400']));
});

test('completes fields, values and comparisons with the keyboard alone', async () => {
  await begin();
  await type('pla');
  await suggestion('player.id:').waitFor();
  assert.equal(await box().getAttribute('aria-expanded'), 'true');
  assert.equal(await box().getAttribute('aria-activedescendant'), null);
  await type('', 'ArrowDown');
  const active = await box().getAttribute('aria-activedescendant');
  assert.equal(await suggestions().getByRole('option', { selected: true }).getAttribute('id'), active);
  await type('', 'ArrowDown', 'Enter');
  assert.equal(await box().inputValue(), 'player.name:');
  await suggestion('Anna B').waitFor();
  await type('aN', 'Tab');
  assert.equal(await box().inputValue(), 'player.name:"Anna B" ');
  await line('Slow tick').waitFor({ state: 'detached' });
  assert.deepEqual(readSearch(page), { query: 'player.name:"Anna B"' });
  await type('OR m', 'Tab');
  await suggestion('>=').waitFor();
  await type('', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter');
  await type('80', 'Enter');
  assert.equal(await box().inputValue(), 'player.name:"Anna B" OR ms:<80');
  await page.keyboard.press('Control+a');
  await type('"od', 'Tab');
  assert.equal(await box().inputValue(), '"odd name":');
});

test('closes the suggestions with Escape, then leaves the box with Tab', async () => {
  await begin();
  await type('lev');
  await suggestion('level:').waitFor();
  await type('', 'Escape');
  await suggestions().waitFor({ state: 'detached' });
  assert.equal(await box().inputValue(), 'lev');
  assert.equal(await box().getAttribute('aria-expanded'), 'false');
  await type('', 'Tab');
  assert.equal(await box().inputValue(), 'lev');
  assert.equal(await box().evaluate(input => input === document.activeElement), false);
});

test('suggests a level or a resource for a word meant as one', async () => {
  await begin();
  await type('fatal');
  await suggestion('level:error').waitFor();
  await page.keyboard.press('Control+a');
  await type('oxm');
  await suggestion('resource:oxmysql').waitFor();
  await type('', 'ArrowDown', 'Enter');
  await line('Slow tick').waitFor({ state: 'detached' });
  assert.deepEqual(readSearch(page), { query: 'resource:oxmysql' });
});

test('offers recent searches with the arrow keys and forgets them on request', async () => {
  await begin();
  await type('slow', 'Enter');
  await line('Connection').first().waitFor({ state: 'detached' });
  await page.reload();
  await begin();
  await type('', 'ArrowUp');
  await suggestion('slow').waitFor();
  await type('', 'Enter');
  await line('Connection').first().waitFor({ state: 'detached' });
  assert.deepEqual(readSearch(page), { query: 'slow' });
  await begin();
  await type('', 'ArrowDown', 'Shift+Delete');
  await suggestion('slow').waitFor({ state: 'detached' });
  await suggestion('resource:oxmysql').waitFor();
  await suggestion('Forget recent searches').click();
  await suggestion('resource:oxmysql').waitFor({ state: 'detached' });
  await begin();
  await type('', 'ArrowUp');
  await suggestion('level:').waitFor();
  assert.equal(await suggestion('Forget recent searches').count(), 0);
});

test('opens the entry of a pasted traceId and the search of a pasted address', async () => {
  await begin();
  await line('Connection lost').click();
  const traceId = readSearch(page).entry ?? '';
  await begin();
  await paste(` ${traceId.toUpperCase()}\n`);
  await panel().getByText('Connection lost').first().waitFor();
  assert.deepEqual(readSearch(page), { entry: traceId });
  assert.equal(await box().inputValue(), '');
  await press(page, 'Close the entry');
  await box().focus();
  await paste(`https://elsewhere.example${logs}?level=warn&entry=${traceId}`);
  await line('Connection').first().waitFor({ state: 'detached' });
  await panel().getByText('Connection lost').first().waitFor();
  assert.deepEqual(readSearch(page), { query: 'level:warn', entry: traceId });
  assert.equal(await box().inputValue(), 'level:warn');
});

async function paste(text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(pasted => navigator.clipboard.writeText(pasted), text);
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+v');
}

test('suggests queries with results, and their counts, when nothing is found', async () => {
  const ways = page.getByRole('list', { name: 'Suggested searches' });
  await begin();
  await type('Player.ID=43', 'Enter');
  await ways.getByRole('button', { name: 'player.id:43 1 entry' }).click();
  await line('Connection lost').waitFor();
  assert.equal(await box().inputValue(), 'player.id:43');
  const others = [
    ['"player.id=43"', 'player.id:43 1 entry'],
    ['player.name:anna', 'player.name:*anna* 1 entry'],
    ['map:OXMYSQL', 'resource:oxmysql 2 entries'],
    ['slow lost', 'lost 1 entry'],
    ['Level:error playerid:43', 'level:error player.id:43 1 entry'],
  ] as const;
  for (const [text, name] of others) {
    await moveTo(page, `${logs}?query=${encodeURIComponent(text)}`);
    await ways.getByRole('button', { name, exact: true }).waitFor();
  }
  await moveTo(page, `${logs}?query=ancien`);
  await page.getByText('1 in all time.').waitFor();
  await page.keyboard.press('/');
  await type('t', 'Enter');
  await page.waitForURL(/query=ancient/);
  await page.getByText('1 in all time.').waitFor();
  await press(page, 'Search all time');
  await line('Ancient words').waitFor();
});

test('runs an example from the help with one press', async () => {
  await begin();
  await press(page, 'How to search');
  await press(page, 'ms:>100');
  await line('Slow tick').waitFor({ state: 'detached' });
  await line('Connection made').waitFor();
  assert.deepEqual(readSearch(page), { query: 'ms:>100' });
  await press(page, 'Clear search');
  await line('Slow tick').waitFor();
  assert.deepEqual(readSearch(page), {});
});

test('no request was refused and the browser reported no errors', () => {
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
