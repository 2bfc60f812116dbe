/** Tests the file manager in a real browser: selecting, moving, renaming, editing metadata, deleting and restoring. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { getProjectFile } from '@tapedeck/contract/projectFiles';
import { updateProject } from '@tapedeck/contract/projects';
import type { Locator, Page } from 'playwright-core';
import { addProject, addToken } from '../../server/tests/support/people.ts';
import { makePicture, pathOf, type Uploaded, uploadFile } from '../../server/tests/support/uploading.ts';
import { moveTo } from './inAppNavigation.ts';
import { type OpenedDashboard, openDashboard } from './openedDashboard.ts';
import { findMisfits } from './phone.ts';
import { findBroken } from './screenReaderRules.ts';
import { press, readSearch } from './steps.ts';

const filesPath = '/projects/shots/files';
const project = 'shots';

let opened: OpenedDashboard;
let page: Page;
const sent = new Map<string, Uploaded>();

before(async () => {
  opened = await openDashboard({
    prepare: async owner => {
      await addProject(owner, project);
      const { token } = await addToken(owner, { kind: 'media', project });
      const picture = await makePicture(40, 30);
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
        const fields = { filename: `${name}.png`, path: 'inbox', metadata: `{"letter":"${name}"}` };
        sent.set(name, await uploadFile(owner.service, picture, fields, { token }));
      }
      await uploadFile(owner.service, picture, { filename: 'kept.png', path: 'box' }, { token });
      return `${filesPath}?path=inbox&sort=name&order=asc`;
    },
  });
  page = opened.page;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
});

after(() => opened?.[Symbol.asyncDispose]());

const list = (): Locator => page.getByRole('listbox', { name: 'Files' });
const file = (name: string): Locator =>
  list()
    .getByRole('option')
    .filter({ hasText: `${name}.png` });
const folder = (name: string): Locator =>
  page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: new RegExp(`^${name} `) });
const dialog = (): Locator => page.getByRole('dialog');

async function waitForChosen(...names: string[]): Promise<void> {
  await page.waitForFunction(wanted => {
    const chosen = [...document.querySelectorAll('[role=option][aria-selected=true] [title$=".png"]')];
    return chosen.map(each => each.getAttribute('title')?.slice(0, 1)).join() === wanted;
  }, names.join());
}

const readFile = async (name: string) => {
  const params = { project, file: sent.get(name)?.id ?? '' };
  return (await opened.owner.call(getProjectFile, { params })).data;
};

test('selects with Ctrl and Shift and clears the selection with Escape', async () => {
  await file('b').click({ modifiers: ['ControlOrMeta'] });
  await file('d').click({ modifiers: ['Shift'] });
  await waitForChosen('b', 'c', 'd');
  await file('f').click({ modifiers: ['ControlOrMeta'] });
  await file('c').click();
  await waitForChosen('b', 'd', 'f');
  await page.getByText('3 of 6 selected').waitFor();
  assert.deepEqual(await findBroken(page), []);
  await page.keyboard.press('Escape');
  await waitForChosen();
  await page.getByText('6 files', { exact: true }).waitFor();
});

test('supports the keys of a file manager', async () => {
  await list().focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  await waitForChosen('b');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await waitForChosen('b', 'c', 'd');
  await page.keyboard.press('Control+a');
  await waitForChosen('a', 'b', 'c', 'd', 'e', 'f');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await dialog().getByRole('heading', { name: 'd.png' }).waitFor();
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
});

test('renames with F2 and keeps the URL', async () => {
  await list().focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('F2');
  const name = dialog().getByLabel('Name');
  assert.equal(await name.inputValue(), 'a.png');
  await name.fill('alpha.png');
  assert.deepEqual(await findBroken(page), []);
  await page.keyboard.press('Enter');
  await page.getByText('1 file renamed').waitFor();
  await file('alpha').waitFor();
  const { filename, url } = await readFile('a');
  assert.deepEqual([filename, url], ['alpha.png', sent.get('a')?.url]);
});

test('moves selected files by dragging them onto a folder', async () => {
  await file('b').click({ modifiers: ['ControlOrMeta'] });
  await file('c').click({ modifiers: ['ControlOrMeta'] });
  await file('b').dragTo(folder('box'));
  await page.getByText('2 files moved').waitFor();
  await folder('box').filter({ hasText: '3 files' }).waitFor();
  await file('b').waitFor({ state: 'detached' });
  assert.equal((await readFile('c')).path, 'box');
});

test('drags an unselected file on its own, also onto a breadcrumb', async () => {
  await file('d').dragTo(page.getByRole('navigation', { name: 'Breadcrumbs' }).getByText('All files'));
  await page.getByText('1 file moved').waitFor();
  assert.equal((await readFile('d')).path, '');
});

test('moves files into a new folder from the dialog', async () => {
  await file('e').click({ modifiers: ['ControlOrMeta'] });
  await press(page, 'Move');
  await dialog().getByLabel('Folder').fill('new/place');
  await dialog().getByRole('button', { name: 'Move' }).click();
  // Elements behind an open dialog have no role.
  await dialog().waitFor({ state: 'detached' });
  await file('e').waitFor({ state: 'detached' });
  assert.equal((await readFile('e')).path, 'new/place');
  const before = page.url();
  await press(page, 'Show');
  await file('e').waitFor();
  assert.equal(readSearch(page).path, 'new/place');
  await page.goto(before);
  await file('f').waitFor();
});

test("shows the service's error in the dialog", async () => {
  await file('f').click({ modifiers: ['ControlOrMeta'] });
  await press(page, 'Move');
  await dialog().getByLabel('Folder').fill('../up');
  await dialog().getByRole('button', { name: 'Move' }).click();
  await dialog().getByText('1 file not: ').waitFor();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  assert.deepEqual(opened.visitor.takeRefusals(), [
    `400 PATCH /api/manage/projects/shots/files/${sent.get('f')?.id}`,
  ]);
});

test('edits metadata line by line', async () => {
  await press(page, 'More actions for the selected files');
  await page.getByRole('menuitem', { name: 'Edit metadata…' }).click();
  await dialog().getByLabel('Value of letter').fill('F');
  await dialog().getByLabel('Name').last().fill('player.id');
  await dialog().getByLabel('Value of player.id').fill('43');
  assert.deepEqual(await findBroken(page), []);
  await dialog().getByRole('button', { name: 'Save' }).click();
  await page.getByText('1 file changed').waitFor();
  assert.deepEqual((await readFile('f')).metadata, { letter: 'F', player: { id: '43' } });
  await press(page, 'More actions for the selected files');
  await page.getByRole('menuitem', { name: 'Edit metadata…' }).click();
  await dialog().getByRole('button', { name: 'Remove letter' }).click();
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'detached' });
  assert.deepEqual((await readFile('f')).metadata, { player: { id: '43' } });
});

test('adds and removes lines on several files, and selects all that match', async () => {
  await moveTo(page, `${filesPath}?query=name:*.png&sort=name&order=asc`);
  await press(page, 'Select files');
  await press(page, 'All 7');
  await page.getByText('7 of 7 selected').waitFor();
  await press(page, 'More actions for the selected files');
  await page.getByRole('menuitem', { name: 'Edit metadata…' }).click();
  await dialog().getByLabel('Name').fill('case');
  await dialog().getByLabel('Value of case').fill('12');
  await press(page, 'Add a value');
  await dialog().getByLabel('Name').last().fill('letter');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await page.getByText('7 files changed').waitFor();
  assert.deepEqual((await readFile('b')).metadata, { case: '12' });
  const zip = page.getByRole('link', { name: 'ZIP' });
  const address = new URL((await zip.getAttribute('href')) ?? '', page.url());
  assert.equal(address.pathname, '/api/manage/projects/shots/files/archive');
  assert.equal(address.searchParams.get('query'), 'name:*.png');
  await press(page, 'Copy URLs');
  await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied.split('\n').length, 7);
  assert.ok(copied.includes(sent.get('c')?.url ?? ''));
  await file('kept').click();
  const some = await zip.getAttribute('href');
  assert.match(
    new URL(some ?? '', page.url()).searchParams.get('query') ?? '',
    /^id:\(\w{20}(?:,\w{20}){5}\)$/,
  );
});

test('marks a private file, still shows it, and creates signed links to it', async () => {
  await moveTo(page, `${filesPath}?query=name:f.png`);
  await file('f').click({ modifiers: ['ControlOrMeta'] });
  await press(page, 'More actions for the selected files');
  await page.getByRole('menuitem', { name: 'Public or private…' }).click();
  await dialog().getByText('Private', { exact: true }).click();
  await dialog().getByRole('button', { name: 'Save' }).click();
  await file('f').getByText('private').waitFor();
  const { service } = opened;
  assert.equal((await service.fetch(pathOf(sent.get('f')?.url ?? ''))).status, 404);
  await page.waitForFunction(
    () => (document.querySelector('[role=option] img') as HTMLImageElement | null)?.naturalWidth,
  );
  await press(page, 'More actions for the selected files');
  await page.getByRole('menuitem', { name: 'Signed link…' }).click();
  await press(page, 'Create link');
  const link = await dialog().getByLabel('Link', { exact: true }).innerText();
  assert.equal((await service.fetch(pathOf(link))).status, 200);
  assert.deepEqual(await findBroken(page), []);
  await dialog().getByRole('button', { name: 'Close' }).last().click();
});

test('moves deleted files to the trash and restores them with the same URL', async () => {
  await page.goto(`${filesPath}?query=letter:*%20OR%20case:12&sort=name&order=asc`);
  await list().focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  await page.keyboard.press('Delete');
  const question = page.getByRole('alertdialog', { name: 'Move 2 files to the trash?' });
  await question.getByText('for 30 days').waitFor();
  await question.getByRole('button', { name: 'Move to trash' }).click();
  await page.getByText('2 files moved to the trash').waitFor();
  const { service } = opened;
  assert.equal((await service.fetch(pathOf(sent.get('a')?.url ?? ''))).status, 404);
  await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: 'Trash' }).click();
  await page.getByRole('heading', { name: 'Trash', level: 1 }).waitFor();
  await file('alpha').getByText('Deleted forever in 30 days').waitFor();
  assert.deepEqual(readSearch(page).trash, 'true');
  assert.deepEqual(await findBroken(page), []);
  await file('alpha').click({ modifiers: ['ControlOrMeta'] });
  await press(page, 'Restore');
  await file('alpha').waitFor({ state: 'detached' });
  assert.equal((await service.fetch(pathOf(sent.get('a')?.url ?? ''))).status, 200);
  await list().getByRole('option').first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('deletes files in the trash permanently', async () => {
  await page.goto(`${filesPath}?query=letter:*%20OR%20case:12&sort=name&order=asc`);
  await list().focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  await page.keyboard.press('Delete');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Move to trash' }).click();
  await page.getByText('1 file moved to the trash').waitFor();
  await page.goto(`${filesPath}?trash=true`);
  await list()
    .getByRole('option')
    .first()
    .click({ modifiers: ['ControlOrMeta'] });
  await press(page, 'Delete forever');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete forever' }).click();
  await page.getByRole('heading', { name: 'The trash is empty' }).waitFor();
});

test('shows when files expire soon', async () => {
  const body = { retention: { image: 3, folders: [{ path: 'box', days: null }] } };
  await opened.owner.call(updateProject, { params: { project }, body });
  await page.goto(`${filesPath}?sort=name&order=asc`);
  await file('alpha').getByText('Expires in 3 days').waitFor();
  assert.equal(await file('kept').getByText('Expires').count(), 0);
});

test('fits on a phone and logs no errors', async () => {
  assert.deepEqual(await findMisfits(page, filesPath), []);
  await press(page, 'Folders');
  await folder('box').waitFor();
  assert.deepEqual(await findBroken(page), []);
  assert.deepEqual(opened.visitor.takeRefusals(), []);
  assert.deepEqual(opened.browser.troubles, []);
});
