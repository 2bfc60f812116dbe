/** Tests the keyboard focus among files in a real browser: it stays where the user works when files disappear. */
import { after, before, test } from 'node:test';
import { updateProject } from '@tapedeck/contract/projects';
import type { Locator, Page } from 'playwright-core';
import { makePicture, mediaEnvironment, uploadFile } from '../../server/tests/support/uploading.ts';
import { type OpenedDashboard, openDashboard } from './openedDashboard.ts';

const filesPath = '/projects/default/files';
const inbox = `${filesPath}?path=inbox&sort=name&order=asc`;

let opened: OpenedDashboard;
let page: Page;

before(async () => {
  opened = await openDashboard({
    environment: mediaEnvironment,
    prepare: async owner => {
      const body = { trashDays: 30 };
      await owner.call(updateProject, { params: { project: 'default' }, body });
      const picture = await makePicture(40, 30);
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
        await uploadFile(owner.service, picture, { filename: `${name}.png`, path: 'inbox' });
      return inbox;
    },
  });
  page = opened.page;
});

after(() => opened?.[Symbol.asyncDispose]());

const list = (): Locator => page.getByRole('listbox', { name: 'Files' });
const isGone = (name: string) =>
  list()
    .getByRole('option')
    .filter({ hasText: `${name}.png` })
    .waitFor({ state: 'detached' });

async function press(...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** Waits until the list has the focus and that file is the one that keys apply to. */
async function waitForActive(name: string): Promise<void> {
  await page.waitForFunction(wanted => {
    const focused = document.activeElement;
    const id = focused?.role === 'listbox' && focused.getAttribute('aria-activedescendant');
    return (
      id && document.getElementById(id)?.querySelector('[title$=".png"]')?.getAttribute('title') === wanted
    );
  }, `${name}.png`);
}

async function confirm(action: string): Promise<void> {
  await page.getByRole('alertdialog').getByRole('button', { name: action }).press('Enter');
}

test('a deletion leaves the focus at the next file', async () => {
  await list().focus();
  await press('Home', 'ArrowRight');
  await waitForActive('b');
  await press('Delete');
  await confirm('Move to trash');
  await isGone('b');
  await waitForActive('c');
});

test('a deletion of several files, too', async () => {
  await press('Space', 'Shift+ArrowRight', 'Delete');
  await confirm('Move to trash');
  await isGone('d');
  await waitForActive('e');
});

test('at the end of the list, the focus goes to the file before', async () => {
  await press('End');
  await waitForActive('g');
  await press('Delete');
  await confirm('Move to trash');
  await isGone('g');
  await waitForActive('f');
});

test('a deletion in the viewer returns to the list', async () => {
  await press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
  await confirm('Move to trash');
  await isGone('f');
  await waitForActive('e');
});

test('after the last file, the focus stays where the files were', async () => {
  await press('Control+a', 'Delete');
  await confirm('Move to trash');
  await page.getByRole('heading', { name: 'No files here' }).waitFor();
  // Neither the body nor the whole page.
  await page.waitForFunction(() => {
    const focused = document.activeElement;
    return focused?.closest('main > *') && focused.textContent?.includes('No files here');
  });
});

test('restoring files in the trash returns to the list', async () => {
  await page.goto(`${filesPath}?trash=true&sort=name&order=asc`);
  await list().focus();
  await press('Home', 'Space');
  await page.getByRole('button', { name: 'Restore' }).press('Enter');
  await isGone('a');
  await waitForActive('b');
});
