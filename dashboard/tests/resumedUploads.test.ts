/** Tests large uploads from the dashboard: sent in chunks, and resumed after a reload. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { Locator, Page, Request, Route } from 'playwright-core';
import { addPerson } from '../../server/tests/support/people.ts';
import { startTestService, type TestService } from '../../server/tests/support/service.ts';
import { makeSound, mediaEnvironment } from '../../server/tests/support/uploading.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { buildDashboard } from './build.ts';
import { comeIn, press } from './steps.ts';

const room = '/projects/default/files';
const pieceBytes = 8 * 1024 * 1024;
const tone = 200; // no UTF-8, of which Playwright would copy each held request as text, six characters a byte
const sound = makeSound({ seconds: 3_000, tone }); // three chunks
const shorterSound = makeSound({ seconds: 1_200, tone }); // two chunks, for uploads that end in the second or before
const pieces = '**/resumable/*';

let service: TestService;
let browser: TestBrowser;
let page: Page;
let place: string;
/** The offset of each chunk sent. */
const offsets: number[] = [];

before(async () => {
  await buildDashboard();
  service = await startTestService({
    environment: { ...mediaEnvironment, TAPEDECK_FILE_SIZE_MAX: '26MiB' },
  });
  browser = await startBrowser(service.url);
  place = await mkdtemp(path.join(tmpdir(), 'tapedeck-uploads-'));
  const member = await addPerson(service, { isOwner: true });
  page = (await browser.openPage()).page;
  page.on('request', request => {
    if (request.method() === 'PATCH') offsets.push(offsetOf(request));
  });
  // The browser asks before leaving during an upload.
  page.on('dialog', dialog => void dialog.accept());
  await comeIn(page, member, room);
});

after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  await rm(place, { recursive: true });
});

const tray = (): Locator => page.getByRole('region', { name: 'Uploads' });
const offsetOf = (request: Request) => Number(request.headers()['upload-offset']);

async function makeFile(name: string, content: Uint8Array = sound): Promise<string> {
  const file = path.join(place, name);
  await writeFile(file, content);
  return file;
}

async function choose(file: string): Promise<void> {
  await page.locator('main input[type=file]').setInputFiles(file);
}

type Held = { route: Route; request: Request };

/** Holds back all chunks from that offset on, like a dead connection. `held` resolves with the first. */
async function holdFrom(offset: number): Promise<{ held: Promise<Held>; release: () => Promise<void> }> {
  const { promise: held, resolve } = Promise.withResolvers<Held>();
  const hold = async (route: Route, request: Request) => {
    if (request.method() !== 'PATCH' || offsetOf(request) < offset) return route.continue();
    resolve({ route, request });
  };
  await page.route(pieces, hold);
  return { held, release: () => page.unroute(pieces, hold) };
}

/** Returns the headers that the service requires to resume an upload. */
function headersOf(request: Request): Record<string, string> {
  const names = ['tus-resumable', 'upload-offset', 'content-type'];
  return Object.fromEntries(names.map(name => [name, request.headers()[name] ?? '']));
}

/** Resolves once the page noticed. */
async function cutLine(route: Route): Promise<void> {
  const failed = page.waitForEvent('requestfailed');
  await route.abort('connectionreset');
  await failed;
}

async function clear(): Promise<void> {
  await press(page, 'Clear');
  await tray().waitFor({ state: 'detached' });
}

test('uploads a large file in pieces and resumes it after a reload', async () => {
  const file = await makeFile('long.wav');
  const { held, release } = await holdFrom(pieceBytes * 2);
  await choose(file);
  await held;
  await page.reload();
  await release();
  await tray().getByText('1 upload interrupted').waitFor();
  await tray().getByText('Choose the same file again').waitFor();
  assert(await tray().getByRole('button', { name: 'Clear' }).isDisabled(), 'there is nothing to clear');
  assert.deepEqual(offsets, [0, pieceBytes, pieceBytes * 2]);

  const again = page.getByLabel('long.wav again', { exact: true });
  await again.setInputFiles(await makeFile('other.wav', makeSound()));
  await tray().getByText('This is a different file').waitFor();
  await again.setInputFiles(file);
  await tray().getByText('1 file uploaded').waitFor();
  assert.deepEqual(offsets.slice(3), [pieceBytes * 2], 'nothing that was kept is sent again');
  const link = tray().getByRole('link', { name: 'long.wav' });
  await link.click();
  const address = await page.locator('audio').getAttribute('src');
  const kept = await service.fetch(address ?? '');
  assert.ok(Buffer.from(await kept.arrayBuffer()).equals(sound));
  await page.goto(room);
  assert.equal(await tray().count(), 0, 'what is finished is not remembered');
});

test('resumes a broken piece from the part that was kept', async () => {
  const file = await makeFile('cut.wav');
  offsets.length = 0;
  const { held, release } = await holdFrom(pieceBytes);
  await choose(file);
  const { route, request } = await held;
  // Half of it arrives before the connection breaks.
  const half = sound.subarray(pieceBytes, pieceBytes * 1.5);
  const arrived = await fetch(request.url(), {
    method: 'PATCH',
    headers: headersOf(request),
    body: new Uint8Array(half),
  });
  assert.equal(arrived.status, 204);
  await route.abort('connectionreset');
  await release();
  await tray().getByRole('link', { name: 'cut.wav' }).waitFor();
  assert.deepEqual(offsets, [0, pieceBytes, pieceBytes * 1.5, pieceBytes * 2.5]);
  await clear();
});

test('resumes a file that is chosen again, and does not send it twice meanwhile', async () => {
  const file = await makeFile('again.wav');
  offsets.length = 0;
  const { held, release } = await holdFrom(pieceBytes);
  await choose(file);
  await held;
  await choose(file);
  await tray().getByText('Uploading 1 file').waitFor();
  await page.reload();
  await release();
  await tray().getByText('1 upload interrupted').waitFor();
  await choose(file);
  await tray().getByRole('link', { name: 'again.wav' }).waitFor();
  assert.deepEqual(offsets, [0, pieceBytes, pieceBytes, pieceBytes * 2]);
  assert.equal(await tray().getByRole('listitem').count(), 1);
  await clear();
});

for (const [when, pressed, leave] of [
  ['in the middle of a piece', 'Stop stopped.wav', async () => undefined],
  ['while waiting to retry', 'Stop stopped.wav', cutLine],
  ['after a reload', 'Remove stopped.wav from the list', () => page.reload()],
] as const) {
  test(`an upload stopped ${when} is deleted from the service`, async () => {
    const file = await makeFile('stopped.wav', shorterSound);
    offsets.length = 0;
    const { held, release } = await holdFrom(pieceBytes);
    await choose(file);
    const { route, request } = await held;
    await leave(route);
    const ended = page.waitForResponse(answer => answer.request().method() === 'DELETE');
    await press(page, pressed);
    assert.equal((await ended).status(), 204);
    await tray().waitFor({ state: 'detached' });
    await release();
    const { status } = await fetch(request.url(), { method: 'HEAD', headers: headersOf(request) });
    assert.equal(status, 404);
    await page.reload();
    await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
    assert.equal(await tray().count(), 0, 'it is forgotten');
    assert.deepEqual(offsets, [0, pieceBytes], 'nothing was sent any more');
  });
}

test('deletes an upload that was stopped while the service was creating it', async () => {
  const { promise: begun, resolve } = Promise.withResolvers<Route>();
  await page.route('**/resumable', route => resolve(route));
  await choose(await makeFile('early.wav', shorterSound));
  const route = await begun;
  const ended = page.waitForResponse(answer => answer.request().method() === 'DELETE');
  await press(page, 'Stop early.wav');
  await tray().waitFor({ state: 'detached' });
  await route.continue();
  assert.equal((await ended).status(), 204);
  await page.unroute('**/resumable');
});

test('refuses files that are too large or of the wrong type without sending them', async () => {
  const sent: string[] = [];
  const note = (request: Request) => request.method() !== 'GET' && sent.push(request.url());
  page.on('request', note);
  const words = Buffer.alloc(pieceBytes + 1, 'plain words ');
  const refused = [
    { file: await makeFile('notes.txt', words), reason: 'This file is not an image, video or audio file.' },
    // The file name does not matter.
    { file: await makeFile('notes.mp4', words), reason: 'This file is not an image, video or audio file.' },
    { file: await makeFile('empty.png', Buffer.alloc(0)), reason: 'This file is empty.' },
    { file: await makeFile('huge.wav', Buffer.concat([sound, words])), reason: 'The limit is 26 MiB.' },
  ];
  for (const { file, reason } of refused) {
    await choose(file);
    await tray().getByRole('alert').getByText(reason).waitFor();
    await press(page, `Remove ${path.basename(file)} from the list`);
    await tray().waitFor({ state: 'detached' });
  }
  page.off('request', note);
  assert.deepEqual(sent, []);
});
