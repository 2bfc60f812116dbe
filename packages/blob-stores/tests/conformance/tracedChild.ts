/** For tests: makes one call to a blob store between two words on standard output, under strace. */
import { writeSync } from 'node:fs';
import { openDiskBlobs } from '../../src/disk.ts';
import { nameBlob, openStagingIn, stageBytes } from './openBlobs.ts';

const [directory = '', action = ''] = process.argv.slice(2);
const store = await openDiskBlobs({ directory, now: Date.now });
const staging = await openStagingIn(directory);
const place = store.placeOf(nameBlob(), null);

async function put(): Promise<void> {
  await using staged = await stageBytes(staging, Buffer.from('bytes'));
  await store.put(place, staged, 'image/png');
}

const actions: Record<string, () => Promise<unknown>> = { put, delete: () => store.delete(place) };
if (action === 'delete') await put();
writeSync(1, 'begin\n');
await actions[action]?.();
writeSync(1, 'acknowledged\n');
