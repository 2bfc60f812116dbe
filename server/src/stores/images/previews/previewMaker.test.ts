/** Tests that a busy machine's failure to make a preview isn't blamed on the file. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { makeSound } from '../../../../tests/support/uploading.ts';
import { openPreviewMaker } from './previewMaker.ts';

const wanted = { kind: 'waveform', mimeType: 'audio/wav', durationSeconds: 2 } as const;
const make = (bytes: Buffer, limits?: Parameters<typeof openPreviewMaker>[0]) =>
  openPreviewMaker(limits).make(Readable.from([bytes]), wanted);

const brief = { timeMs: 1, processorSeconds: 10 };
const sound = makeSound({ seconds: 2, tone: 440 });

test('creates a preview within the time limit', async () => {
  assert.ok((await make(sound)) !== null);
});

test('reports a timeout, which can be retried', async () => {
  await assert.rejects(make(sound, { picture: brief, sound: brief }), {
    code: 'overloaded',
    retryAfterSeconds: 30,
  });
});

test('blames the file for bytes that are not sound', async () => {
  assert.equal(await make(Buffer.from('no sound at all')), null);
});
