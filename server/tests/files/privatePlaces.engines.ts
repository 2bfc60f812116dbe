/** A publicly readable bucket on a real S3: private bytes are at every moment stored where no key or URL leads. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openS3Blobs, S3Client } from '@tapedeck/blob-stores';
import * as actions from '@tapedeck/contract/fileActions';
import { deleteFile, getFile } from '@tapedeck/contract/files';
import { updateProject } from '@tapedeck/contract/projects';
import { nameBlob } from '@tapedeck/domain/files/naming';
import { startSwift } from '../../../scripts/engines/swift.ts';
import { withToken } from '../support/client.ts';
import { addPerson } from '../support/people.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { makePicture, mediaEnvironment, mediaToken, pathOf, uploadFile } from '../support/uploading.ts';

await using opened = new AsyncDisposableStack();
const engine = opened.use(await startSwift());
const { path: dataDir } = opened.use(await makeDirectory());
const config = { ...engine, bucket: 'seen', forcePathStyle: true };
const bucket = new S3Client(config);
opened.defer(() => bucket.close());
await bucket.call({ method: 'PUT', key: '' });
const blobs = opened.use(openS3Blobs(config));
const cdn = 'https://cdn.example.org/seen';
const service = opened.use(
  await startTestService({
    dataDir,
    environment: {
      ...mediaEnvironment,
      TAPEDECK_S3_BUCKET: config.bucket,
      TAPEDECK_S3_ENDPOINT: engine.endpoint,
      TAPEDECK_S3_ACCESS_KEY_ID: engine.accessKeyId,
      TAPEDECK_S3_SECRET_ACCESS_KEY: engine.secretAccessKey,
      TAPEDECK_S3_FORCE_PATH_STYLE: 'true',
      TAPEDECK_S3_PUBLIC_URL: cdn,
    },
  }),
);
const store = await service.openStore();
const running = opened.move();
after(() => running.disposeAsync());
const client = withToken(service, mediaToken);
const owner = await addPerson(service, { isOwner: true });
const picture = await makePicture(800, 600);

/** Lists the locations of a file's bytes, including its variants. */
async function listPlaces(id: string): Promise<string[]> {
  const places: string[] = [];
  for await (const { place, fileId } of blobs.list()) if (fileId === id) places.push(place);
  return places;
}

const get = async (id: string) => (await client.call(getFile, { params: { file: id } })).data;
const change = async (id: string, visibility: 'private' | 'public') =>
  (await client.call(actions.updateFile, { params: { file: id }, body: { visibility } })).data;
const readSigned = async (id: string, query = '') => {
  const { data } = await client.call(actions.linkFile, { params: { file: id }, body: {} });
  assert.ok(!data.url.startsWith(cdn));
  return await service.fetch(pathOf(data.url) + query);
};

/** Requires that the bytes are only in private locations whose names reveal nothing of the key. */
async function requireHidden(id: string): Promise<void> {
  const { url, originalUrl } = await get(id);
  for (const one of [url, originalUrl]) assert.ok(!one.startsWith(cdn), one);
  for (const place of await listPlaces(id)) assert.match(place, /^\.private\/\w{20}\/\w{20}\.[\w.]+$/);
  const response = await readSigned(id);
  assert.equal(response.status, 200);
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), picture);
  assert.equal((await service.fetch(pathOf(url))).status, 404);
}

async function requireShown(id: string): Promise<void> {
  const { url, originalUrl, key } = await get(id);
  assert.equal(url, originalUrl);
  assert.ok(url.startsWith(`${cdn}/default/`), url);
  const places = await listPlaces(id);
  assert.ok(places.includes(`default/${key}`));
  assert.ok(!places.some(place => place.startsWith('.private/')));
}

/** Polls, because the sweep runs every ten seconds. */
async function until(isDone: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await isDone())) {
    assert.ok(Date.now() < deadline, 'the sweep did not run');
    await wait(100);
  }
}

const isHidden = async (id: string) =>
  (await listPlaces(id)).every(place => place.startsWith('.private/')) &&
  (await store.files.findMany([id]))[0]?.blobSecret !== null;

describe('bytes of a private file', () => {
  it('have a secret place from the start, and no cache stores them', async () => {
    const { id, url } = await uploadFile(service, picture, { visibility: 'private' });
    assert.ok(!url.startsWith(cdn));
    await requireHidden(id);
    const [place = ''] = await listPlaces(id);
    const { headers } = await bucket.call({ method: 'HEAD', key: place });
    assert.equal(headers['cache-control'], 'private, no-store');
  });

  it('move with their variants when the file becomes private, and back', async () => {
    const { id } = await uploadFile(service, picture);
    await requireShown(id);
    const path = (await get(id)).originalUrl.replace(cdn, '/media');
    assert.equal((await service.fetch(`${path}?w=320`)).status, 200);
    assert.equal((await listPlaces(id)).length, 2);
    assert.equal((await change(id, 'private')).visibility, 'private');
    assert.equal((await listPlaces(id)).length, 1);
    await requireHidden(id);
    assert.equal((await readSigned(id, '&w=320')).status, 200);
    await requireHidden(id);
    assert.ok((await change(id, 'public')).url.startsWith(cdn));
    await requireShown(id);
    const { headers } = await bucket.call({ method: 'HEAD', key: `default/${(await get(id)).key}` });
    assert.match(headers['cache-control'] ?? '', /^public/);
    assert.equal(headers['content-type'], 'image/png');
  });

  it('are in another place each time', async () => {
    const { id } = await uploadFile(service, picture, { visibility: 'private' });
    const before = await listPlaces(id);
    await change(id, 'public');
    await change(id, 'private');
    assert.notDeepEqual(await listPlaces(id), before);
    await requireHidden(id);
  });

  it('are removed when the file is deleted', async () => {
    const { id } = await uploadFile(service, picture, { visibility: 'private' });
    assert.equal((await readSigned(id, '&h=320&format=avif')).status, 200);
    await client.call(deleteFile, { params: { file: id } });
    assert.deepEqual(await listPlaces(id), []);
  });

  it('stay intact when concurrent requests change the visibility', async () => {
    const { id } = await uploadFile(service, picture);
    const wanted = ['private', 'public', 'private', 'public', 'private'] as const;
    await Promise.all(wanted.map(visibility => change(id, visibility)));
    const { visibility } = await get(id);
    await (visibility === 'private' ? requireHidden(id) : requireShown(id));
    assert.equal((await readSigned(id)).status, 200);
  });
});

describe('an interrupted move', () => {
  it('leaves nothing to read: before the record was updated', async () => {
    const { id } = await uploadFile(service, picture, { visibility: 'private' });
    const [file] = await store.files.findMany([id]);
    assert.ok(file);
    await store.fileMoves.mark(id, 0);
    const move = await store.fileMoves.claim(id, 1, 2);
    assert.ok(move !== null && move !== 'held');
    await store.fileMoves.addPlace(move, null);
    const name = nameBlob(file);
    const shown = blobs.placeOf({ ...name, secret: null }, null);
    assert.ok(await blobs.copy(blobs.placeOf(name, null), shown, 'image/png'));
    await until(async () => (await blobs.size(shown)) === null);
    await requireHidden(id);
  });

  it('leaves nothing to read: before the old bytes were removed', async () => {
    const { id } = await uploadFile(service, picture);
    const [file] = await store.files.findMany([id]);
    assert.ok(file);
    await store.files.update(file, one => ({ ...one, visibility: 'private' }));
    await store.fileMoves.mark(id, 0);
    await until(() => isHidden(id));
    await requireHidden(id);
  });
});

describe('a rule for a folder', () => {
  it('hides its files, and shows them again', async () => {
    const { id } = await uploadFile(service, picture, { path: 'evidence/case' });
    await requireShown(id);
    const setRule = (folders: { path: string; visibility: 'private' }[]) =>
      owner.call(updateProject, { params: { project: 'default' }, body: { visibility: { folders } } });
    await setRule([{ path: 'evidence', visibility: 'private' }]);
    assert.ok(!(await get(id)).url.startsWith(cdn), 'at once');
    await until(() => isHidden(id));
    await requireHidden(id);
    const { id: later } = await uploadFile(service, picture, { path: 'evidence' });
    await requireHidden(later);
    await client.call(actions.updateFile, { params: { file: later }, body: { path: 'shown' } });
    await requireShown(later);
    await setRule([]);
    await until(async () => (await listPlaces(id)).every(place => place.startsWith('default/')));
    await requireShown(id);
  });
});

it('bytes in the trash are not public, and return to their URL', async () => {
  await owner.call(updateProject, { params: { project: 'default' }, body: { trashDays: 3 } });
  const { id, url } = await uploadFile(service, picture);
  await client.call(deleteFile, { params: { file: id }, query: { trash: 'true' } });
  for (const place of await listPlaces(id)) assert.match(place, /^\.private\//);
  assert.equal((await listPlaces(id)).length, 1);
  const { data } = await client.call(actions.restoreFile, { params: { file: id } });
  assert.equal(data.url, url);
  await requireShown(id);
});
