/** Tests in a real browser which files are not sent at all, and the domain test. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { updateProject } from '@tapedeck/contract/projects';
import type { Locator, Page } from 'playwright-core';
import { addPerson, type Person } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { makePicture, mediaEnvironment, uploadFile } from '../../server/tests/support/uploading.ts';
import { startBrowser, type TestBrowser, type WatchedPage } from './browser.ts';
import { buildDashboard } from './build.ts';
import { comeIn } from './steps.ts';

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

const files = (): Locator => page.getByRole('listbox', { name: 'Files' }).getByRole('option');
const file = (name: string): Locator => files().filter({ hasText: name });
const tray = (): Locator => page.getByRole('region', { name: 'Uploads' });

test('does not test a domain while the project has no file', async () => {
  const body = { cdnDomain: domain, cdnEnabled: true };
  await owner.call(updateProject, { params: { project: 'default' }, body });
  await comeIn(page, owner, '/projects/default/settings');
  await page.getByText('The domain is tested once the project has a file').waitFor();
});

test('rejects a file over the limit before sending it', async () => {
  await page.goto(filesPath);
  await page.getByRole('heading', { name: 'No files yet' }).waitFor();
  const sent: string[] = [];
  page.on('request', request => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  await page
    .locator('input[type=file]')
    .setInputFiles([{ name: 'Huge.png', mimeType: 'image/png', buffer: Buffer.alloc(64 * 1024 + 1) }]);
  const refused = tray()
    .getByRole('listitem')
    .filter({ hasText: 'This file is too large. The limit is 64 KiB.' });
  await tray().getByText('1 file was refused', { exact: true }).waitFor();
  await refused.getByText('64.01 KiB', { exact: true }).waitFor();
  assert.equal(await tray().getByRole('button', { name: 'Try Huge.png again' }).count(), 0);
  assert.deepEqual(sent, []);
  await tray().getByRole('button', { name: 'Remove Huge.png from the list' }).click();
  await tray().waitFor({ state: 'detached' });
});

test('removes the link to a deleted upload', async () => {
  await page
    .locator('input[type=file]')
    .setInputFiles([{ name: 'Brief.png', mimeType: 'image/png', buffer: await makePicture(8, 8) }]);
  await tray().getByRole('link', { name: 'Brief.png' }).waitFor();
  await file('Brief.png').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Move to trash' }).click();
  await tray().waitFor({ state: 'detached' });
  await page.waitForURL(url => !url.searchParams.has('file')); // opening another page earlier would be cancelled
});

test('warns when the newest file does not load through the domain, and confirms when it does', async () => {
  await uploadFile(service, await makePicture(4, 4));
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
