/** Files in a real browser: what is not sent at all, several chosen at once, folders proposed, a domain tried. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { updateProject } from '../../server/src/contract/projects.ts';
import { addPerson, type Person } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { makePicture, mediaEnvironment, uploadFile } from '../../server/tests/support/uploading.ts';
import { startBrowser, type TestBrowser, type WatchedPage } from './browser.ts';
import { buildDashboard } from './build.ts';
import { comeIn, press } from './steps.ts';

const filesPath = '/projects/default/files';
const domain = 'cdn.example.org';

let service: TestService;
let browser: TestBrowser;
let owner: Person;
let visitor: WatchedPage;
let page: Page;

before(async () => {
  await buildDashboard();
  const environment = { ...mediaEnvironment, TAPEDECK_FILE_SIZE_MAX: '64KiB' };
  service = await startTestService({ environment });
  browser = await startBrowser(service.url);
  owner = await addPerson(service, { isOwner: true });
  visitor = await browser.openPage();
  page = visitor.page;
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

const files = (): Locator => page.getByRole('list', { name: 'Files' }).getByRole('button');
const file = (name: string): Locator => files().filter({ hasText: name });
const tray = (): Locator => page.getByRole('region', { name: 'Uploads' });

test('without a file a domain is not tried', async () => {
  const body = { cdnDomain: domain, cdnEnabled: true };
  await owner.call(updateProject, { params: { project: 'default' }, body });
  await comeIn(page, owner, '/projects/default/settings');
  await page.getByText('The domain is tested once the project has a file').waitFor();
});

test('a file over the limit is refused before it is sent', async () => {
  await page.goto(filesPath);
  await page.getByRole('heading', { name: 'No files yet' }).waitFor();
  const sent: string[] = [];
  page.on('request', request => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  await page
    .locator('input[type=file]')
    .setInputFiles([{ name: 'Huge.png', mimeType: 'image/png', buffer: Buffer.alloc(64 * 1024 + 1) }]);
  await tray().getByText('The limit is 65.5 KB').waitFor();
  assert.equal(await tray().getByRole('button', { name: 'Try Huge.png again' }).count(), 0);
  assert.deepEqual(sent, []);
  await tray().getByRole('button', { name: 'Forget Huge.png' }).click();
  await tray().waitFor({ state: 'detached' });
});

test('an upload that was deleted is not linked any more', async () => {
  await page
    .locator('input[type=file]')
    .setInputFiles([{ name: 'Brief.png', mimeType: 'image/png', buffer: await makePicture(8, 8) }]);
  await tray().getByRole('link', { name: 'Brief.png' }).waitFor();
  await file('Brief.png').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await press(page, 'Delete file');
  await tray().waitFor({ state: 'detached' });
});

test('folders are proposed one level at a time, whatever files are loaded', async () => {
  const picture = await makePicture(4, 4);
  for (const path of ['old/shots', 'old/clips/2024', 'older', 'new'])
    await uploadFile(service, picture, { filename: 'a.png', path });
  // More than the page loads at first, all of them newer.
  for (let index = 0; index < 62; index += 1)
    await uploadFile(service, picture, { filename: `number ${index}.png`, path: 'many' });
  await page.reload();
  const box = page.getByLabel('Folder');
  await box.focus();
  await waitForProposals(['many', 'new', 'old', 'older']);
  await box.fill('old');
  await waitForProposals(['old', 'older']);
  await box.fill('old/');
  await waitForProposals(['old/clips', 'old/shots']);
  await box.fill('old/clips/');
  await waitForProposals(['old/clips/2024']);
  await page.getByText('1 file', { exact: true }).waitFor();
});

async function waitForProposals(wanted: readonly string[]): Promise<void> {
  await page.waitForFunction(expected => {
    const list = document.querySelector<HTMLInputElement>('input[aria-label=Folder]')?.list;
    const values = [...(list?.options ?? [])].map(option => option.value);
    return JSON.stringify(values) === JSON.stringify(expected);
  }, wanted);
}

test('with Shift all between two presses are chosen, and Escape ends the choosing', async () => {
  await page.goto(`${filesPath}?path=many`);
  await press(page, 'Choose files');
  await file('number 60.png').click();
  await file('number 57.png').click({ modifiers: ['Shift'] });
  await page.getByText('4 chosen').waitFor();
  await file('number 58.png').click();
  await page.getByText('3 chosen').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Choose files' }).waitFor();
  await press(page, 'Choose files');
  await page.getByText('0 chosen').waitFor();
});

test('one chosen file is spoken of as one', async () => {
  await file('number 61.png').click();
  await press(page, 'Delete chosen…');
  const question = page.getByRole('alertdialog', { name: 'Delete 1 file?' });
  await question.getByText('links stop working').waitFor();
  await question.getByRole('button', { name: 'Delete 1 file' }).click();
  await page.getByText('1 file deleted').waitFor();
});

test('a domain through which no file comes is said to be so, and kept; one that works is told as well', async () => {
  await page.route(`https://${domain}/**`, route => route.abort());
  await page.goto('/projects/default/settings');
  await page.getByText(`The newest file doesn’t load through https://${domain}`).waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Domain' }).inputValue(), domain);
  await page.unroute(`https://${domain}/**`);
  const body = await makePicture(4, 4);
  await page.route(`https://${domain}/**`, route => route.fulfill({ contentType: 'image/png', body }));
  await page.reload();
  await page.getByText('loads through this domain').waitFor();
});
