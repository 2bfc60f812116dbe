/** Two installations name the same bucket of a real S3: the second is refused, and takes it over only when told to. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openS3Blobs, S3Client } from '@tapedeck/blob-stores';
import { startSwift } from '../../../scripts/engines/swift.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { tapedeck } from '../support/tapedeck.ts';
import { makePicture, mediaEnvironment, uploadFile } from '../support/uploading.ts';

await using opened = new AsyncDisposableStack();
const engine = opened.use(await startSwift());
const [one, other] = [opened.use(await makeDirectory()), opened.use(await makeDirectory())];
const config = { ...engine, bucket: 'clips', forcePathStyle: true };
const blobs = opened.use(openS3Blobs(config));
const running = opened.move();
after(() => running.disposeAsync());
const environment = {
  ...mediaEnvironment,
  TAPEDECK_S3_BUCKET: config.bucket,
  TAPEDECK_S3_ENDPOINT: engine.endpoint,
  TAPEDECK_S3_ACCESS_KEY_ID: engine.accessKeyId,
  TAPEDECK_S3_SECRET_ACCESS_KEY: engine.secretAccessKey,
  TAPEDECK_S3_FORCE_PATH_STYLE: 'true',
};
const start = (dataDir: string, more: Record<string, string> = {}) =>
  startTestService({ dataDir, environment: { ...environment, ...more } });

test('names a missing bucket and wrong keys', async () => {
  await assert.rejects(start(one.path), {
    message: /^The bucket clips at http:\S+ does not exist: create it/,
  });
  await assert.rejects(start(one.path, { TAPEDECK_S3_SECRET_ACCESS_KEY: 'wrong' }), {
    message: /^The bucket clips at http:\S+ is closed: TAPEDECK_S3_SECRET_ACCESS_KEY is not the secret/,
  });
});

test('a bucket belongs to one installation, and its files are found from any directory', async () => {
  const client = new S3Client(config);
  await client.call({ method: 'PUT', key: '' });
  client.close();
  {
    await using service = await start(one.path);
    for (let index = 0; index < 3; index += 1) await uploadFile(service, await makePicture(10 + index, 10));
  }
  const places: string[] = [];
  for await (const { place } of blobs.list()) places.push(place);
  assert.equal(places.length, 3, 'the mark is not one of them');
  for (const [index, after] of places.entries()) {
    const rest: string[] = [];
    for await (const { place } of blobs.list(after)) rest.push(place);
    assert.deepEqual(rest, places.slice(index + 1));
  }
  const refusal = { message: /^The bucket clips at http:\S+ belongs to the installation \w{20}/ };
  await assert.rejects(start(other.path), refusal);
  await tapedeck(['adopt'], { ...environment, TAPEDECK_DATA_DIR: other.path });
  {
    await using _service = await start(other.path);
  }
  await assert.rejects(start(one.path), refusal);
});
