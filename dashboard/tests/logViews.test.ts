/** Tests saved views: updating, renaming, and what they store besides the query. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { logs, openLogPage } from './logPage.ts';
import { findBroken } from './screenReaderRules.ts';
import { press, readSearch } from './steps.ts';

const opened = await openLogPage({ search: '?query=level:error&range=7d&chart=count&by=map' });
after(() => opened[Symbol.asyncDispose]());
const { browser, visitor, page } = opened;

async function choose(menu: string | RegExp, item: string): Promise<void> {
  await page.getByRole('button', { name: menu }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

async function name(dialog: string, text: string, button: string): Promise<void> {
  await page.getByRole('dialog', { name: dialog }).getByLabel('Name').fill(text);
  await press(page, button);
}

const withoutView = (): Record<string, string> => {
  const { view, ...search } = readSearch(page);
  assert(view);
  return search;
};

test('saves the search and its chart in a view', async () => {
  await choose('Views', 'Save this search…');
  await name('Save this search', 'Errors', 'Save view');
  await page.getByRole('button', { name: 'Errors', exact: true }).waitFor();
  await page.goto(logs);
  await choose('Views', 'Errors');
  await page.getByRole('button', { name: 'Errors', exact: true }).waitFor();
  assert.deepEqual(withoutView(), { query: 'level:error', range: '7d', chart: 'count', by: 'map' });
});

test('shows that a view has changed and updates it', async () => {
  await page.getByLabel('Group by').selectOption('level');
  await choose('Errors (changed)', 'Update Errors');
  await page.getByText('View updated').waitFor();
  await page.getByRole('button', { name: 'Errors', exact: true }).waitFor();
  await page.goto(logs);
  await choose('Views', 'Errors');
  await page.getByRole('button', { name: 'Errors', exact: true }).waitFor();
  assert.equal(withoutView().by, 'level');
});

test('renames the open view with the keyboard alone', async () => {
  await page.getByRole('button', { name: 'Errors', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Rename this view…' }).waitFor();
  await page.keyboard.type('Ren');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Rename view' }).waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Errors by level');
  await page.keyboard.press('Enter');
  await page.getByText('View renamed').waitFor();
  await page.getByRole('button', { name: 'Errors by level', exact: true }).waitFor();
});

test('renames a view in the list and shows an error for a taken name', async () => {
  await choose('Errors by level', 'Save this search…');
  await name('Save this search', 'Other', 'Save view');
  await page.getByText('View saved').waitFor();
  await page.goto('/projects/default/log-views');
  await press(page, 'Rename Other');
  await name('Rename view', 'Errors by level', 'Rename');
  await page.getByText('A view with this name already exists').waitFor();
  assert.deepEqual(
    visitor.takeRefusals().map(line => line.slice(0, 9)),
    ['409 PATCH'],
  );
  await name('Rename view', 'Everything', 'Rename');
  await page.getByRole('link', { name: 'Everything' }).click();
  await page.getByRole('button', { name: 'Everything', exact: true }).waitFor();
});

test('its chart is pinned to Home, stays there when the search changes, and is taken away there', async () => {
  await choose('Everything', 'Pin its chart to Home');
  await page.getByText('Chart pinned to Home').waitFor();
  await page.goto('/projects/default/log-views');
  await press(page, 'Pin to Home: Errors by level');
  await page.getByRole('button', { name: 'Remove from Home: Errors by level' }).waitFor();
  await page.goto('/projects/default');
  const charts = page.getByRole('region', { name: 'Pinned charts' }).getByRole('article');
  await charts.nth(1).waitFor();
  const names = await charts.evaluateAll(found => found.map(each => each.getAttribute('aria-label')));
  assert.deepEqual(names, ['Everything', 'Errors by level'], 'in the order of pinning');
  await charts.first().getByRole('link').click();
  await page.getByRole('button', { name: 'Everything', exact: true }).waitFor();
  await page.getByRole('group', { name: 'Levels' }).getByRole('button', { name: 'error' }).click();
  await choose('Everything (changed)', 'Update Everything');
  await page.getByText('View updated').waitFor();
  await page.goto('/projects/default');
  await page.getByRole('button', { name: 'Remove from Home: Everything' }).click();
  await page.getByText('Chart removed from Home').waitFor();
  await page.getByRole('article', { name: 'Everything' }).waitFor({ state: 'detached' });
  assert.equal(await charts.count(), 1);
});

test('pins a chart to Home with a suggested name', async () => {
  await page.goto('/projects/default/logs?query=level:error');
  await press(page, 'Chart');
  await press(page, 'Pin to Home');
  const dialog = page.getByRole('dialog', { name: 'Save this chart' });
  assert.equal(await dialog.getByLabel('Name').inputValue(), 'Entries by resource, level:error');
  assert.deepEqual(await findBroken(page), []);
  await press(page, 'Save view');
  await page.getByText('Chart pinned to Home').waitFor();
  await press(page, 'Remove from Home');
  await page.getByText('Chart removed from Home').waitFor();
  await press(page, 'Pin to Home');
  await page.getByText('Chart pinned to Home').waitFor();
  assert.equal(await dialog.count(), 0, 'the chart has a name already');
  await page.goto('/projects/default');
  await page.getByRole('article', { name: 'Entries by resource, level:error' }).waitFor();
  await page.goto('/projects/default/log-views');
  const row = page.getByRole('row').filter({ hasText: 'Entries by resource, level:error' });
  await row.getByText('Last 24 hours', { exact: true }).waitFor();
});

test('no request was refused and the browser reported no errors', () => {
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(browser.troubles, []);
});
