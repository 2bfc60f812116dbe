/** Tests uploads in a real browser: dropped folders, the chosen folder, pauses, and a lost connection or session. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page, Request } from 'playwright-core';
import { addPerson, password } from '../../server/tests/support/people.ts';
import { makePicture, mediaEnvironment } from '../../server/tests/support/uploading.ts';
import { type OpenedDashboard, openDashboard } from './openedDashboard.ts';
import { findBroken } from './screenReaderRules.ts';
import { comeIn, press, signIn } from './steps.ts';

const filesPath = '/projects/default/files';

let opened: OpenedDashboard;
let page: Page;
let picture: Buffer;

before(async () => {
  picture = await makePicture();
  opened = await openDashboard({ environment: mediaEnvironment, prepare: async () => filesPath });
  page = opened.page;
});

after(() => opened?.[Symbol.asyncDispose]());

const tray = (): Locator => page.getByRole('region', { name: 'Uploads' });
const folder = (name: string): Locator =>
  page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: new RegExp(`^${name} `) });
const choose = (names: readonly string[]) =>
  page
    .locator('input[type=file]')
    .setInputFiles(names.map(name => ({ name, mimeType: 'image/png', buffer: picture })));

test('shows the accepted files before any are chosen, and offers the target folder', async () => {
  await press(page, 'Upload');
  const dialog = page.getByRole('dialog', { name: 'Upload files' });
  await dialog.getByText('up to 32 MiB each').waitFor();
  assert.deepEqual(await findBroken(page), []);
  await dialog.getByLabel('Folder').fill('chosen/place');
  await choose(['one.png']);
  await dialog.waitFor({ state: 'detached' });
  await folder('chosen').filter({ hasText: '1 file' }).waitFor();
  await press(page, 'Clear');
});

test('shows and shares files uploaded into one folder', async () => {
  await press(page, 'Upload');
  const dialog = page.getByRole('dialog', { name: 'Upload files' });
  await dialog.getByRole('combobox', { name: 'Folder' }).fill('shared/place');
  await choose(['first.png', 'second.png']);
  await tray().getByRole('button', { name: 'Copy 2 URLs' }).waitFor();
  assert.deepEqual(await findBroken(page), []);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await tray().getByRole('button', { name: 'Copy 2 URLs' }).click();
  await tray().getByText('Copied').first().waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied.split('\n').filter(line => line.includes('/shared/place/')).length, 2);
  await page.context().clearPermissions();
  // Refused files have no folder; files of several folders share the one above.
  await page.evaluate(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['x'], 'notes.txt'));
    window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
  });
  await tray().getByText('2 files uploaded, 1 refused').waitFor();
  await tray().getByRole('link', { name: 'Show in folder' }).click();
  await page.waitForURL(/path=shared%2Fplace/);
  await press(page, 'Clear');
  await page.goto(filesPath);
  await folder('shared').waitFor();
});

test('keeps the subfolders of a dropped folder', async () => {
  await page.evaluate(
    content => {
      const made = (name: string) => new File([new Uint8Array(content)], name, { type: 'image/png' });
      const fileEntry = (name: string) => ({
        name,
        isFile: true,
        isDirectory: false,
        file: (done: (file: File) => void) => done(made(name)),
      });
      const directory = (name: string, children: object[]) => ({
        name,
        isFile: false,
        isDirectory: true,
        createReader: () => {
          const parts = [children, []];
          return { readEntries: (done: (entries: object[]) => void) => done(parts.shift() ?? []) };
        },
      });
      const top = directory('trip', [
        fileEntry('a.png'),
        directory('day', [fileEntry('b.png'), fileEntry('c.png')]),
      ]);
      // Scripts cannot put a folder into a transfer, so this one has what the browser would put there.
      const event = new Event('drop', { bubbles: true, cancelable: true });
      Object.defineProperty(event, 'dataTransfer', {
        value: { types: ['Files'], files: [], items: [{ webkitGetAsEntry: () => top }] },
      });
      document.body.dispatchEvent(event);
    },
    [...picture],
  );
  await folder('trip').filter({ hasText: '3 files' }).waitFor();
  await page.getByRole('button', { name: 'Open trip' }).click();
  await folder('day').filter({ hasText: '2 files' }).waitFor();
  await press(page, 'Clear');
});

test('pauses all uploads and restarts those that were being sent', async () => {
  let holdsBack = true;
  let sent = 0;
  const { promise: allSent, resolve } = Promise.withResolvers<void>();
  await page.route('**/api/manage/projects/default/files', async (route, request) => {
    if (request.method() === 'POST' && ++sent === 3) resolve();
    if (request.method() === 'GET' || !holdsBack) await route.continue();
  });
  await choose(['p1.png', 'p2.png', 'p3.png', 'p4.png', 'p5.png']);
  await tray().getByText('Uploading 5 files').waitFor();
  await allSent;
  await press(page, 'Pause uploads');
  await tray().getByText('5 uploads paused').waitFor();
  assert.equal(sent, 3);
  assert.deepEqual(await findBroken(page), []);
  holdsBack = false;
  await press(page, 'Resume uploads');
  await tray().getByText('5 files uploaded').waitFor();
  await page.unroute('**/api/manage/projects/default/files');
  await press(page, 'Clear');
});

test('holds uploads while offline, shows it, and resumes them automatically', async () => {
  await page.context().setOffline(true);
  await choose(['off1.png', 'off2.png']);
  await tray().getByText('2 uploads waiting for the connection').waitFor();
  await page.context().setOffline(false);
  await tray().getByText('2 files uploaded').waitFor();
  await press(page, 'Clear');
});

test('retries uploads that failed for the same reason with one press', async () => {
  let isBroken = true;
  let sent = 0;
  const signedOut = { error: 'Sign in, or send an admin token.', code: 'unauthorized' };
  await page.route('**/api/manage/projects/default/files', async (route, request) => {
    if (request.method() !== 'POST' || !isBroken) await route.continue();
    else await (++sent === 1 ? route.fulfill({ status: 401, json: signedOut }) : route.abort());
  });
  await choose(['f1.png', 'f2.png', 'f3.png']);
  await tray().getByText('Your session has ended. Sign in again to continue the upload.').waitFor();
  await tray().getByText('3 files failed', { exact: true }).waitFor();
  await tray().getByText('3 uploads failed').waitFor();
  assert.deepEqual(await findBroken(page), []);
  isBroken = false;
  await press(page, 'Try all again');
  await tray().getByText('3 files uploaded').waitFor();
  await page.unroute('**/api/manage/projects/default/files');
  await press(page, 'Clear');
});

test('continues uploads once the same user has signed in again', async () => {
  const person = await addPerson(opened.service, { roles: { default: 'member' } });
  const { page: theirs } = await opened.browser.openPage();
  await comeIn(theirs, person, filesPath);
  let holdsBack = true;
  await theirs.route('**/api/manage/projects/default/files', async (route, request) => {
    if (request.method() === 'GET' || !holdsBack) await route.continue();
  });
  const names = Array.from({ length: 5 }, (_, index) => `again${index}.png`);
  await theirs
    .locator('input[type=file]')
    .setInputFiles(names.map(name => ({ name, mimeType: 'image/png', buffer: picture })));
  await theirs.getByText('Uploading 5 files').waitFor();
  await theirs.context().clearCookies();
  await theirs.getByRole('link', { name: 'Members' }).click();
  await theirs.getByText('Your session has ended.').waitFor();
  holdsBack = false;
  await signIn(theirs, { email: person.email, password });
  await theirs.getByText('5 files uploaded').waitFor();
  await theirs.context().close();
});

test('refreshes the list at growing intervals during uploads, and soon after the last', async () => {
  const { page: theirs } = await opened.browser.openPage();
  await theirs.clock.install();
  await comeIn(theirs, opened.owner, filesPath);
  await theirs.getByRole('listbox', { name: 'Files' }).waitFor();
  await theirs.clock.pauseAt(Date.now() + 3_600_000);
  const held: (() => void)[] = [];
  const refreshedAt: number[] = [];
  let passedMs = 0;
  const isUpload = (request: Request) => request.method() === 'POST' && request.url().endsWith('/files');
  await theirs.route('**/api/manage/projects/default/files', async (route, request) => {
    if (isUpload(request)) await new Promise<void>(resolve => held.push(resolve));
    await route.continue();
  });
  theirs.on('request', request => {
    if (request.method() === 'GET' && request.url().includes('/default/files?')) refreshedAt.push(passedMs);
  });
  const see = () => theirs.evaluate(async () => void (await fetch('/livez')));
  const pass = async (ms: number) => {
    for (const end = passedMs + ms; passedMs < end; passedMs += 100) {
      await theirs.clock.runFor(100);
      await see(); // what the page asked before is known here now
    }
  };
  const names = Array.from({ length: 14 }, (_, index) => `grow${index}.png`);
  await theirs
    .locator('input[type=file]')
    .setInputFiles(names.map(name => ({ name, mimeType: 'image/png', buffer: picture })));
  for (const _ of names) {
    while (held.length === 0) await see();
    const stored = theirs.waitForResponse(response => isUpload(response.request()));
    held.shift()?.();
    await stored;
    await pass(500);
  }
  await pass(1_500);
  const [first = 0, second = 0, third = 0, last = 0, ...more] = new Set(refreshedAt); // the list and the trash
  const about = (ms: number) => Math.round(ms / 1000) * 1000;
  assert.deepEqual([about(second - first), about(third - second), more], [2_000, 4_000, []]);
  assert.ok(last > third && passedMs - last < 2_000, refreshedAt.join());
  await theirs.context().close();
});

test('lists at most a hundred files in the tray and counts the rest', async () => {
  await page.route('**/api/manage/projects/default/files', async (route, request) => {
    if (request.method() === 'GET') await route.continue();
  });
  await choose(Array.from({ length: 150 }, (_, index) => `n${index}.png`));
  await tray().getByText('Uploading 150 files').waitFor();
  await tray().getByText('and 50 more files').waitFor();
  assert.equal(await tray().getByRole('listitem').count(), 101);
});
