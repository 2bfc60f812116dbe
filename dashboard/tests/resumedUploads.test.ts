/** Large files from the dashboard: sent in pieces, and after a reload on where they were. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { Locator, Page, Request, Route } from 'playwright-core';
import { addPerson } from '../../server/tests/people.ts';
import { startTestService, type TestService } from '../../server/tests/service.ts';
import { makeSound, mediaEnvironment } from '../../server/tests/uploading.ts';
import { startBrowser, type TestBrowser } from './browser.ts';
import { buildDashboard } from './build.ts';
import { comeIn } from './steps.ts';

const room = '/projects/default/files';
const pieceBytes = 8 * 1024 * 1024;
const sound = makeSound({ seconds: 3_000, tone: 7 }); // three pieces
const pieces = '**/resumable/*';

let service: TestService;
let browser: TestBrowser;
let page: Page;
let place: string;
/** Of each piece that was sent. */
const offsets: number[] = [];

before(async () => {
  await buildDashboard();
  service = await startTestService({ environment: mediaEnvironment });
  browser = await startBrowser(service.url);
  place = await mkdtemp(path.join(tmpdir(), 'tapedeck-uploads-'));
  const member = await addPerson(service, { isOwner: true });
  page = (await browser.openPage()).page;
  page.on('request', request => {
    if (request.method() === 'PATCH') offsets.push(offsetOf(request));
  });
  // The browser asks whether to leave in the middle of an upload.
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

/** Pieces from that offset on never arrive, as if the line had died. Resolves with the first. */
async function holdFrom(offset: number): Promise<{ held: Promise<Request>; release: () => Promise<void> }> {
  const { promise: held, resolve } = Promise.withResolvers<Request>();
  const hold = async (route: Route, request: Request) => {
    if (request.method() !== 'PATCH' || offsetOf(request) < offset) return route.continue();
    resolve(request);
  };
  await page.route(pieces, hold);
  return { held, release: () => page.unroute(pieces, hold) };
}

test('a large file goes in pieces, and after a reload on where it was', async () => {
  const file = await makeFile('long.wav');
  const { held, release } = await holdFrom(pieceBytes * 2);
  await choose(file);
  await held;
  await page.reload();
  await release();
  await tray().getByText('1 upload interrupted').waitFor();
  await tray().getByText('Choose the same file again').waitFor();
  assert.deepEqual(offsets, [0, pieceBytes, pieceBytes * 2]);

  const again = page.getByLabel('long.wav again', { exact: true });
  await again.setInputFiles(await makeFile('other.wav', makeSound()));
  await tray().getByText('This is another file').waitFor();
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
