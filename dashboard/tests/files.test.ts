/** Tests the files page in a real browser: upload, browse, open, delete. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { addPerson, type Person, password } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import {
  formOf,
  makePicture,
  makeSound,
  mediaEnvironment,
  pathOf,
  uploadFile,
} from '../../server/tests/support/uploading.ts';
import { startBrowser, type TestBrowser, type WatchedPage } from './browser.ts';
import { buildDashboard } from './build.ts';
import { findMisfits } from './phone.ts';
import { comeIn, go, press, readSearch, signIn } from './steps.ts';

const filesPath = '/projects/default/files';

let service: TestService;
let browser: TestBrowser;
let member: Person;
let visitor: WatchedPage;
let page: Page;

before(async () => {
  await buildDashboard();
  service = await startTestService({ environment: mediaEnvironment });
  browser = await startBrowser(service.url);
  // Without an owner the service would require set-up.
  await addPerson(service, { isOwner: true });
  member = await addPerson(service, { roles: { default: 'member' } });
  visitor = await browser.openPage();
  page = visitor.page;
  await comeIn(page, member, filesPath);
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

const files = (): Locator => page.getByRole('listbox', { name: 'Files' }).getByRole('option');
const file = (name: string): Locator => files().filter({ hasText: name });
const tray = (): Locator => page.getByRole('region', { name: 'Uploads' });
const preview = (): Locator => page.getByRole('dialog');
const box = (): Locator => page.getByRole('combobox', { name: 'Search the files' });

async function search(query: string): Promise<void> {
  await box().fill(query);
  await box().press('Enter');
}

test('uploads and shows chosen files and refuses a truncated one with a reason', async () => {
  await page.getByRole('heading', { name: 'No files yet' }).waitFor();
  await page.locator('input[type=file]').setInputFiles([
    { name: 'Sunset.png', mimeType: 'image/png', buffer: await makePicture(400, 300) },
    { name: 'horn.wav', mimeType: 'audio/wav', buffer: makeSound({ seconds: 3 }) },
    { name: 'notes.png', mimeType: 'image/png', buffer: (await makePicture()).subarray(0, 20) },
  ]);
  await tray().getByText('2 files uploaded, 1 refused').waitFor();
  await tray().getByRole('alert').waitFor();
  await tray().getByRole('button', { name: 'Try notes.png again' }).waitFor();
  await file('Sunset.png').waitFor();
  await file('horn.wav').getByText('0:03').waitFor();
  assert.equal(await files().count(), 2);
  await press(page, 'Clear');
  await tray().waitFor({ state: 'detached' });
  assert.deepEqual(visitor.takeRefusals(), ['415 POST /api/manage/projects/default/files']);
});

test('shows a picture as its own thumbnail', async () => {
  const picture = file('Sunset.png').locator('img');
  assert.match((await picture.getAttribute('src')) ?? '', /^\/media\/default\/.*\?w=320$/);
  await page.waitForFunction(() => (document.querySelector('img')?.naturalWidth ?? 0) === 320);
});

test('uploads dropped and pasted files into the open folder', async () => {
  await page.goto(`${filesPath}?path=clips/new`);
  await page.getByRole('heading', { name: 'No files here' }).waitFor();
  await page.getByText('Drop files here to upload them into this folder.').waitFor();
  const bytes = [...(await makePicture(30, 20, '#2060c0'))];
  const dropped = await page.evaluateHandle(content => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(content)], 'Dropped.png', { type: 'image/png' }));
    return transfer;
  }, bytes);
  const target = page.getByRole('navigation', { name: 'Project' });
  await target.dispatchEvent('dragenter', { dataTransfer: dropped });
  await page.getByText('Drop to upload into clips/new').waitFor();
  await target.dispatchEvent('drop', { dataTransfer: dropped });
  await file('Dropped.png').waitFor();
  assert.deepEqual(readSearch(page), { path: 'clips/new' });
  await page.evaluate(content => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([new Uint8Array(content)], 'image.png', { type: 'image/png' }));
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }, bytes);
  await file('Pasted ').waitFor();
  await tray().getByText('2 files uploaded').waitFor();
  await press(page, 'Clear');
});

test('filters the list by name, type and folder, and keeps the filters in the address', async () => {
  await page
    .getByRole('navigation', { name: 'Breadcrumbs' })
    .getByRole('link', { name: 'All files' })
    .click();
  await file('horn.wav').waitFor();
  await page.getByLabel('Type').selectOption('image');
  await file('horn.wav').waitFor({ state: 'detached' });
  await search('name:*sun*');
  await file('Dropped.png').waitFor({ state: 'detached' });
  assert.deepEqual(readSearch(page), { type: 'image', query: 'name:*sun*' });
  await page.reload();
  await file('Sunset.png').waitFor();
  assert.equal(await files().count(), 1);
  await page.goto(filesPath);
  await press(page, 'List');
  await file('Sunset.png').getByText('400 × 300').waitFor();
  assert.deepEqual(readSearch(page), { view: 'list' });
  await press(page, 'Grid');
  await page.goto(`${filesPath}?type=video&path=clips&metadata.a=b`);
  await press(page, 'Clear the search');
  await file('horn.wav').waitFor();
  assert.deepEqual(readSearch(page), {});
});

test('opens a file, copies its URL, moves to others by key, and restores it from the address', async () => {
  await file('Dropped.png').click();
  await preview().getByText('30 × 20').waitFor();
  await preview().getByRole('button', { name: 'Copy URL' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await preview().getByText('horn.wav').or(preview().getByText('Sunset.png')).first().waitFor();
  await page.goBack();
  await preview().waitFor({ state: 'detached' });
  assert.deepEqual(readSearch(page), {}, 'one step back closes what was opened and walked through');
  await file('horn.wav').click();
  await preview().locator('audio').waitFor();
  const { file: id } = readSearch(page);
  await page.reload();
  await preview().getByRole('heading', { name: 'horn.wav' }).waitFor();
  assert.equal(readSearch(page).file, id);
  await page.keyboard.press('Escape');
  await preview().waitFor({ state: 'detached' });
  assert.deepEqual(readSearch(page), {});
});

test('links metadata and folder to other files with the same', async () => {
  const metadata = '{"player":{"name":"Ada"}}';
  await uploadFile(service, await makePicture(9, 9), { filename: 'Hers.png', metadata, path: 'players' });
  await page.reload();
  await file('Hers.png').click();
  await preview().getByRole('button', { name: 'Show only files with player.name Ada' }).click();
  await file('horn.wav').waitFor({ state: 'detached' });
  assert.deepEqual(readSearch(page), { query: 'player.name:Ada' });
  await press(page, 'Clear search');
  await file('horn.wav').waitFor();
});

test('moves a file to the trash after asking, and its links stop working', async () => {
  await file('Dropped.png').click();
  const address = await preview().getByRole('img', { name: 'Dropped.png' }).getAttribute('src');
  await preview().getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByText('Links stop working immediately.').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Move to trash' }).click();
  await page.getByText('1 file moved to the trash').waitFor();
  await preview().waitFor({ state: 'detached' });
  await file('Dropped.png').waitFor({ state: 'detached' });
  assert.equal((await service.fetch(pathOf(address ?? ''))).status, 404);
});

test('creates an upload link into the open folder that needs no token', async () => {
  await page.goto(`${filesPath}?path=gifts`);
  await press(page, 'Upload link');
  await page.getByRole('dialog').getByLabel('Uploads').fill('2');
  await press(page, 'Create link');
  const command = await page.getByRole('dialog').locator('pre').innerText();
  const link = /http\S+/.exec(command)?.[0] ?? '';
  const form = formOf(await makePicture(5, 5), {}, 'Gift.png');
  // Links use the service's public address; this test reaches it under another name.
  const sent = await service.fetch(new URL(link).pathname, { method: 'POST', body: form });
  assert.equal(sent.status, 200);
  await press(page, 'Done');
  await page.reload();
  await file('Gift.png').waitFor();
});

test('continues uploads and shows their progress while another page is open', async () => {
  const name = 'Meanwhile.png';
  await page
    .locator('input[type=file]')
    .setInputFiles([{ name, mimeType: 'image/png', buffer: await makePicture(7, 7) }]);
  await go(page, 'Tokens');
  await tray().getByText('1 file uploaded').waitFor();
  await press(page, 'Each upload');
  await tray().getByRole('link', { name }).waitFor();
  await go(page, 'Files');
  await file(name).waitFor();
  await press(page, 'Clear');
});

for (const [way, leave] of [
  ['signing out', signOut],
  ['a session that ended elsewhere', loseSession],
] as const) {
  test(`${way} ends the uploads under way, and the next user of the page sees none of them`, async () => {
    const next = await addPerson(service, { roles: { default: 'member' } });
    const { page: shared } = await browser.openPage();
    await comeIn(shared, await addPerson(service, { roles: { default: 'member' } }), filesPath);
    const sent: string[] = [];
    // Held back forever, like on a slow connection.
    await shared.route('**/api/manage/projects/default/files', async (route, request) => {
      if (request.method() === 'GET') return route.continue();
      sent.push(request.method());
    });
    const buffer = await makePicture(6, 6);
    const names = ['One.png', 'Two.png', 'Three.png', 'Four.png'];
    await shared
      .locator('input[type=file]')
      .setInputFiles(names.map(name => ({ name, mimeType: 'image/png', buffer })));
    await shared.getByText('Uploading 4 files').waitFor();
    const ended = shared.waitForEvent('requestfailed');
    await leave(shared);
    await shared.getByRole('heading', { name: 'Sign in' }).waitFor();
    await ended;
    await signIn(shared, { email: next.email, password });
    await go(shared, 'Files');
    await shared.getByRole('listbox', { name: 'Files' }).waitFor();
    assert.equal(await shared.getByRole('region', { name: 'Uploads' }).count(), 0);
    assert.equal(sent.length, 3, 'the one that waited was sent for the next user');
    await shared.context().close();
  });
}

async function signOut(shared: Page): Promise<void> {
  await shared.getByRole('button', { name: /account, theme, sign out/ }).click();
  await shared.getByRole('menuitem', { name: 'Sign out' }).click();
}

async function loseSession(shared: Page): Promise<void> {
  await shared.context().clearCookies();
  await shared.getByRole('link', { name: 'Members' }).click();
}

test('loads older files on scrolling', async () => {
  const picture = await makePicture(4, 4);
  for (let index = 0; index < 130; index += 1)
    await uploadFile(service, picture, { filename: `many ${index}.png`, path: 'many' });
  await page.goto(`${filesPath}?path=many`);
  await page.getByText('130 files', { exact: true }).waitFor();
  await page.keyboard.press('End');
  await file('many 0.png').waitFor();
  assert.equal(await files().count(), 130);
});

test('shows that the browser cannot play a file and offers a download', async () => {
  const strange = makeSound();
  strange.writeUInt16LE(0x2222, 20); // an unknown codec
  await uploadFile(service, strange, { filename: 'strange.wav', path: 'many' });
  await page.reload();
  await file('strange.wav').click();
  await preview().getByText('This browser can’t play').waitFor();
  await preview().getByRole('link', { name: 'Download the audio' }).waitFor();
  await page.keyboard.press('Escape');
  await preview().waitFor({ state: 'detached' });
});

test('deletes the selected files together after confirming their number', async () => {
  await press(page, 'Select files');
  await file('many 129.png').click();
  await file('many 128.png').click();
  await press(page, 'Delete');
  await page.getByRole('alertdialog', { name: 'Move 2 files to the trash?' }).waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Move to trash' }).click();
  await page.getByText('2 files moved to the trash').waitFor();
  await page.getByText('129 files', { exact: true }).waitFor();
});

test('shows a viewer no controls to upload or delete', async () => {
  const viewer = await addPerson(service, { roles: { default: 'viewer' } });
  const { page: theirs } = await browser.openPage();
  await comeIn(theirs, viewer, `${filesPath}?q=hers`);
  await theirs.getByRole('option', { name: /Hers.png/ }).click();
  await theirs.getByRole('dialog').getByRole('button', { name: 'Copy URL' }).waitFor();
  assert.equal(await theirs.getByRole('button', { name: /upload|move|delete/i }).count(), 0);
  await theirs.context().close();
});

test('fits on a phone and in dark mode, names every control, and logs no errors', async () => {
  assert.deepEqual(await findMisfits(page, filesPath), []);
  assert.deepEqual(await findMisfits(page, `${filesPath}?view=list&path=many`), []);
  await files().first().click();
  await preview().getByRole('button', { name: 'Copy URL' }).waitFor();
  const others = visitor.takeRefusals().filter(refusal => !refusal.includes('/strange-')); // it has no waveform
  assert.deepEqual(others, []);
  assert.deepEqual(browser.troubles, []);
});
