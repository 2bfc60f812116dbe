/** Tests file previews in a real browser: video stills, which play on hover, and waveforms. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { filmWithTone, garble } from '../../server/tests/support/sampleVideos.ts';
import { makeDirectory } from '../../server/tests/support/service.ts';
import { makeSound, mediaEnvironment, uploadFile } from '../../server/tests/support/uploading.ts';
import { type OpenedDashboard, openDashboard } from './openedDashboard.ts';
import { findBroken } from './screenReaderRules.ts';

const filesPath = '/projects/default/files';

let opened: OpenedDashboard;
let page: Page;
const asked: string[] = [];

before(async () => {
  opened = await openDashboard({
    environment: mediaEnvironment,
    prepare: async ({ service }) => {
      await using directory = await makeDirectory();
      const film = filmWithTone(directory.path, 'film.mp4');
      await uploadFile(service, film, { filename: 'clip.mp4' });
      await uploadFile(service, film, { filename: 'secret.mp4', visibility: 'private' });
      await uploadFile(service, garble(film, film.indexOf('mdat') + 64), { filename: 'broken.mp4' });
      await uploadFile(service, makeSound({ seconds: 5, tone: 50 }), { filename: 'voice.wav' });
      return filesPath;
    },
  });
  page = opened.page;
  page.on('request', request => asked.push(request.url()));
});

after(() => opened?.[Symbol.asyncDispose]());

const option = (name: string): Locator =>
  page.getByRole('listbox', { name: 'Files' }).getByRole('option').filter({ hasText: name });
const isShown = (image: Locator) =>
  image.evaluate(
    element =>
      new Promise<boolean>(resolve => {
        // All matches are images.
        const { complete, naturalWidth } = element as HTMLImageElement;
        if (complete) resolve(naturalWidth > 0);
        else element.addEventListener('load', () => resolve(true), { once: true });
        element.addEventListener('error', () => resolve(false), { once: true });
      }),
  );

test('lists videos and sounds with previews, private ones too', async () => {
  for (const [name, query] of [
    ['clip.mp4', 'poster'],
    ['secret.mp4', 'poster'],
    ['voice.wav', 'waveform'],
  ] as const) {
    const image = option(name).locator(`img[src*="${query}&w=320"]`);
    await image.waitFor();
    assert.equal(await isShown(image), true, name);
  }
  assert.deepEqual(await findBroken(page), []);
});

test('shows a video that cannot be decoded by its kind', async () => {
  await option('broken.mp4').locator('svg').first().waitFor();
  await option('broken.mp4').locator('img').waitFor({ state: 'detached' });
});

test('plays stills of a video under the pointer and requests them only then', async () => {
  const image = option('clip.mp4').locator('img').first();
  assert.equal(asked.filter(url => url.includes('strip')).length, 0);
  await image.hover();
  const strip = option('clip.mp4').locator('img[data-strip]');
  await strip.waitFor();
  assert.equal(await isShown(strip), true);
  assert.equal(asked.filter(url => url.includes('strip')).length, 1);
  await option('voice.wav').hover();
  await strip.waitFor({ state: 'detached' });
});

test('shows the loudness of an open sound', async () => {
  await option('voice.wav').click();
  const waveform = page.getByRole('dialog').getByRole('img', { name: 'Loudness over time' });
  await waveform.waitFor();
  assert.equal(await isShown(waveform), true);
  assert.deepEqual(await findBroken(page), []);
});
