/** Tests an upload URL's page on a phone without a session: choosing, sending, refused files, and resuming large ones. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import * as contract from '@tapedeck/contract/files';
import type { Page } from 'playwright-core';
import { withToken } from '../../server/tests/support/client.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import {
  makePicture,
  makeSound,
  mediaEnvironment,
  mediaToken,
} from '../../server/tests/support/uploading.ts';
import { startBrowser, type TestBrowser, type WatchedPage } from './browser.ts';
import { buildDashboard } from './build.ts';
import { findBroken } from './screenReaderRules.ts';

const pieceBytes = String(8 * 1024 * 1024);
const scriptGzipBytesMax = 6_000; // a separate page, for slow phones

let folder: string;
let service: TestService;
let browser: TestBrowser;
let visitor: WatchedPage;
let page: Page;

before(async () => {
  folder = await buildDashboard();
  service = await startTestService({ environment: mediaEnvironment });
  browser = await startBrowser(service.url);
  visitor = await browser.openPage();
  page = visitor.page;
  await page.setViewportSize({ width: 390, height: 844 });
  page.setDefaultTimeout(90_000); // routing megabytes through the test takes a while
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function openUrl(query: object): Promise<string> {
  const { data } = await withToken(service, mediaToken).call(contract.createPresignedUrl, { query });
  const address = new URL(data.presignedUrl).pathname;
  await page.goto(address);
  return address;
}

const listFiles = async (query: object) =>
  (await withToken(service, mediaToken).call(contract.listFiles, { query })).data;

const files = () => page.getByLabel('Files to upload');
const line = (name: string) => page.getByRole('listitem').filter({ hasText: name });
const told = () => page.locator('#told');

test('keeps the script small', async () => {
  const script = await readFile(path.join(folder, 'upload-page.js'));
  assert.ok(gzipSync(script).length < scriptGzipBytesMax, `${gzipSync(script).length} bytes`);
  assert.doesNotMatch(script.toString(), /\bimport\b/);
});

test('uploads several files and refuses those that are too large or of another type with a reason', async () => {
  await openUrl({ uses: 4, path: 'drop', maxSize: 100_000 });
  assert.deepEqual(await findBroken(page), []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
  await files().setInputFiles([
    { name: 'one.png', mimeType: 'image/png', buffer: await makePicture() },
    { name: 'two.wav', mimeType: 'audio/wav', buffer: makeSound() },
    { name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('no picture') },
    { name: 'huge.png', mimeType: 'image/png', buffer: Buffer.alloc(100_001) },
  ]);
  await told().getByText('2 of 4 uploaded, 2 failed').waitFor();
  await line('one.png').getByText('Uploaded').waitFor();
  await line('huge.png').getByText('the limit is 97.7 KiB').waitFor();
  assert.equal(
    await line('notes.png')
      .locator('.state')
      .innerText()
      .then(text => text.length > 10),
    true,
  );
  assert.equal(await line('notes.png').getByRole('button').count(), 0);
  assert.deepEqual(await findBroken(page), []);
  assert.deepEqual((await listFiles({ path: 'drop' })).map(({ filename }) => filename).sort(), [
    'one.png',
    'two.wav',
  ]);
  assert.deepEqual(
    visitor.takeRefusals().map(text => text.slice(0, 8)),
    ['415 POST'],
  );
});

test('takes a photo with the camera and shows when the link is used up', async () => {
  const address = await openUrl({ type: 'image' });
  const camera = page.getByLabel('Photo or video');
  assert.equal(await camera.getAttribute('capture'), 'environment');
  await camera.setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: await makePicture() });
  await told().getByText('1 of 1 uploaded. The link is used up.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Choose a file' }).isDisabled(), true);
  await page.goto(address);
  await page.getByRole('heading', { name: 'This link has been used up' }).waitFor();
  assert.deepEqual(await findBroken(page), []);
  assert.deepEqual(
    visitor.takeRefusals().map(text => text.slice(0, 7)),
    ['409 GET'],
  );
});

test('resumes a large file where it broke off, also after a reload', async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-upload-page-'));
  const file = path.join(directory, 'long.wav');
  // Longer than one chunk, shorter than two, and no UTF-8: of that, Playwright would copy the held request as text.
  const sound = makeSound({ seconds: 1200, tone: 200 });
  await writeFile(file, sound);
  await openUrl({ path: 'large' });
  const offsets: string[] = [];
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  // Nothing arrives from the second chunk on, as in a tunnel.
  await page.route('**/resumable/*', (route, request) => {
    const offset = request.headers()['upload-offset'];
    if (request.method() !== 'PATCH' || offset === '0') return route.continue();
    hold();
  });
  page.on('request', request => {
    if (request.method() === 'PATCH') offsets.push(request.headers()['upload-offset'] ?? '');
  });
  await files().setInputFiles(file);
  await held;
  page.once('dialog', dialog => void dialog.accept());
  await page.reload();
  await page.unroute('**/resumable/*');
  // The one use is taken, but this browser may finish.
  await page.getByRole('heading', { name: 'This link has been used up' }).waitFor();
  await page.getByText('Choose the same file again to resume it.').waitFor();
  assert.deepEqual(await findBroken(page), []);
  assert.deepEqual(
    visitor.takeRefusals().map(text => text.slice(0, 7)),
    ['409 GET'],
  );
  await files().setInputFiles(file);
  await told().getByText('1 of 1 uploaded').waitFor();
  assert.deepEqual(offsets, ['0', pieceBytes, pieceBytes], 'the first piece was not sent again');
  const [kept] = await listFiles({ path: 'large' });
  assert.equal(kept?.size, sound.length);
  await rm(directory, { recursive: true });
});

test('uploads files dropped on the page', async () => {
  await openUrl({ uses: 2, path: 'dropped' });
  const bytes = [...(await makePicture())];
  const transfer = await page.evaluateHandle(content => {
    const made = new DataTransfer();
    made.items.add(new File([new Uint8Array(content)], 'dropped.png', { type: 'image/png' }));
    return made;
  }, bytes);
  await page.locator('#drop').dispatchEvent('drop', { dataTransfer: transfer });
  await told().getByText('1 of 1 uploaded').waitFor();
  assert.equal((await listFiles({ path: 'dropped' })).length, 1);
});

test('logs no errors in the background', () => {
  assert.deepEqual(visitor.takeRefusals(), []);
  assert.deepEqual(
    browser.troubles.filter(text => !text.includes('ERR_FAILED')),
    [],
  );
});
