/** For tests: puts blobs and reports each acknowledged one, until the parent kills it. */

import { openDiskBlobs } from '../../src/disk.ts';
import { nameBlob, openStagingIn, stageBytes } from './openBlobs.ts';

const directory = process.argv[2] ?? '';
const store = await openDiskBlobs({ directory, now: Date.now });
const staging = await openStagingIn(directory);

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const newId = () =>
  Array.from({ length: 20 }, () => letters[Math.floor(Math.random() * letters.length)]).join('');

async function putForever(): Promise<never> {
  for (;;) {
    const place = store.placeOf(nameBlob({ fileId: newId() }), null);
    const staged = await stageBytes(staging, Buffer.alloc(50_000, place));
    await store.put(place, staged, 'image/png');
    await staged[Symbol.asyncDispose]();
    process.send?.(place);
  }
}

await Promise.all([putForever(), putForever(), putForever(), putForever()]);
