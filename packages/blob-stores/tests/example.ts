/** For tests: the example in the README. */
import { Readable } from 'node:stream';
import { openBlobStore, openOwnStaging } from '@tapedeck/blob-stores';

await using store = await openBlobStore({ kind: 'disk', directory: 'media' }, Date.now);
using staging = await openOwnStaging('staging'); // on the same file system

const refuse = () => new Error('That is too long.');
await using staged = await staging.stage(Readable.from([Buffer.from('meow')]), {
  bytesMax: 32_000_000,
  refuse,
});

const fileId = 'cat00000000000000001'; // twenty letters and digits, never used again
const name = {
  project: 'pets',
  fileId,
  storageKey: `cat-${fileId}.txt`,
  createdAt: Date.now(),
  secret: null,
};
const place = store.placeOf(name, null);
await store.put(place, staged, 'text/plain'); // resolves once the bytes survive a power cut

const bytes = await store.readBytes(place, { start: 0, end: 4 });
process.stdout.write(`${place} ${bytes}\n`);
