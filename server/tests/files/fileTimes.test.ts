/** `createdAt` never rises down a list of files, even with many uploads at once or a clock set back. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { listFiles } from '@tapedeck/contract/files';
import { withToken } from '../support/client.ts';
import { startQuietService } from '../support/service.ts';
import { makePicture, mediaEnvironment, mediaToken, pathOf, uploadFile } from '../support/uploading.ts';

const service = await startQuietService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const media = withToken(service, mediaToken);
const picture = await makePicture();
const dayMs = 86_400_000;

it('while the clock jumps back and forth', async () => {
  for (const stepMs of [0, -1, -3 * dayMs, 5 * dayMs, -dayMs]) {
    service.clock.advance(stepMs);
    const uploaded = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        service.clock.advance((index % 3) - 1);
        return uploadFile(service, picture);
      }),
    );
    for (const { url } of uploaded) assert.equal((await service.fetch(pathOf(url))).status, 200);
  }
  const { data } = await media.call(listFiles, { query: { limit: 100 } });
  const times = data.map(({ createdAt }) => createdAt);
  assert.equal(times.length, 100);
  assert.deepEqual(times, times.toSorted().reverse());
});
