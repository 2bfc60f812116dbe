/** Tests renaming folders, and dragging them into others, with all their contents. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { getProjectFile } from '@tapedeck/contract/projectFiles';
import {
  makePicture,
  mediaEnvironment,
  type Uploaded,
  uploadFile,
} from '../../server/tests/support/uploading.ts';
import { openDashboard } from './openedDashboard.ts';
import { findBroken } from './screenReaderRules.ts';
import { press } from './steps.ts';

const filesPath = '/projects/default/files';
const kept: Uploaded[] = [];
const opened = await openDashboard({
  environment: mediaEnvironment,
  prepare: async ({ service }) => {
    for (const path of ['crew', 'crew/shots/old', 'box'])
      kept.push(await uploadFile(service, await makePicture(30, 20), { filename: 'crew.png', path }));
    return filesPath;
  },
});
after(() => opened[Symbol.asyncDispose]());
const { owner, page } = opened;
const dialog = () => page.getByRole('dialog');
const folder = (name: string) =>
  page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: new RegExp(`^${name} `) });

test('renames a folder with its contents and drags it into another, and the page follows', async () => {
  const readPaths = async () => {
    const found = kept
      .slice(0, 2)
      .map(({ id }) => owner.call(getProjectFile, { params: { project: 'default', file: id } }));
    return (await Promise.all(found)).map(({ data }) => [data.path, data.url]);
  };
  const [one, other] = kept.map(({ url }) => url);
  await page.goto(`${filesPath}?path=crew`);
  await press(page, 'Rename or move this folder');
  const typed = dialog().getByLabel('Folder');
  assert.equal(await typed.inputValue(), 'crew');
  for (const [path, sentence] of [
    ['crew/inner', 'A folder can’t be moved into itself.'],
    ['/', 'Enter the name of a folder.'],
  ] as const) {
    await typed.fill(path);
    await dialog().getByRole('button', { name: 'Move' }).click();
    await dialog().getByText(sentence).waitFor();
  }
  assert.deepEqual(await findBroken(page), []);
  await typed.fill('staff/crew 2');
  await dialog().getByRole('button', { name: 'Move' }).click();
  await page.getByText('2 files moved').waitFor();
  await page.waitForURL(url => url.searchParams.get('path') === 'staff/crew 2');
  assert.deepEqual(await readPaths(), [
    ['staff/crew 2', one],
    ['staff/crew 2/shots/old', other],
  ]);
  await folder('crew').filter({ hasText: '2 files' }).dragTo(folder('box'));
  await page.waitForURL(url => url.searchParams.get('path') === 'box/crew 2');
  await folder('staff').waitFor({ state: 'detached' });
  assert.deepEqual(await readPaths(), [
    ['box/crew 2', one],
    ['box/crew 2/shots/old', other],
  ]);
  await folder('box').dragTo(folder('crew'));
  await page.getByText('A folder can’t be moved into itself.').waitFor();
});
