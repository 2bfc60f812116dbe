/** Refused resumable uploads: types, scopes, quotas. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { updateProject } from '@tapedeck/contract/projects';
import { addPerson, addProject, addToken } from '../support/people.ts';
import {
  chunkType,
  listPartials,
  locationOf,
  refusalOf,
  requireGone,
  resultOf,
  resumableRoute,
  speakTus,
  type TusClient,
  writeMetadata,
} from '../support/resuming.ts';
import { startTestService } from '../support/service.ts';
import { makeSound, mediaToken, readUsage } from '../support/uploading.ts';

const service = await startTestService({ environment: { TAPEDECK_MEDIA_TOKEN: mediaToken } });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const tus = speakTus(service);
const sound = makeSound({ seconds: 40 });
const half = Math.floor(sound.length / 2);

async function addClient(options: Parameters<typeof addToken>[1] = {}): Promise<TusClient> {
  return speakTus(service, { token: (await addToken(owner, { kind: 'media', ...options })).token });
}

describe('rejects an invalid upload as soon as it is detected, and removes it', () => {
  const junk = randomBytes(200_000);
  const rows: [title: string, bytes: Uint8Array, options: { scopes?: string[] }, expected: string][] = [
    ['bytes of an unknown format', junk, {}, '415 unsupported_media'],
    ['text', Buffer.alloc(200_000, 'text '), {}, '415 unsupported_media'],
    [
      'a picture with only a valid header',
      Buffer.concat([Buffer.from('GIF89a'), junk]),
      {},
      '415 unsupported_media',
    ],
    [
      'a sound where only pictures are allowed',
      sound.subarray(0, 200_000),
      { scopes: ['write', 'type:image'] },
      '403 scope_missing',
    ],
  ];
  for (const [title, bytes, options, expected] of rows) {
    test(`${title}: ${expected}, with ten megabytes still to come`, async () => {
      const client = await addClient(options);
      const at = await client.begin(10 * 1024 * 1024);
      assert.equal(await refusalOf(await client.append(at, 0, bytes)), expected);
      await requireGone(service, client, at);
    });
    test(`${title}: ${expected}, in pieces of 10 KB`, async () => {
      const client = await addClient(options);
      const at = await client.begin(10 * 1024 * 1024);
      for (let offset = 0; ; offset += 10_000) {
        assert.ok(offset <= 64 * 1024, 'detected in the first 64 KiB');
        const response = await client.append(at, offset, bytes.subarray(offset, offset + 10_000));
        if (response.status === 204) continue;
        assert.equal(await refusalOf(response), expected);
        break;
      }
      await requireGone(service, client, at);
    });
    test(`${title}: ${expected}, whole and with its creation`, async () => {
      const client = await addClient(options);
      const before = await listPartials(service);
      for (const body of [bytes, bytes.subarray(0, 20)]) {
        const headers = { 'upload-length': String(body.length), 'content-type': chunkType };
        assert.equal(
          await refusalOf(await client.sendBytes({ method: 'POST', at: resumableRoute, headers }, body)),
          expected,
        );
      }
      assert.deepEqual(await listPartials(service), before);
    });
  }
  test("a folder outside the token's scope", async () => {
    const client = await addClient({ scopes: ['write', 'path:clips'] });
    const metadata = { 'upload-length': '100', 'upload-metadata': writeMetadata({ path: 'other' }) };
    assert.equal(await refusalOf(await client.send('POST', resumableRoute, metadata)), '403 scope_missing');
  });
});

describe('quotas', () => {
  async function openProject(
    slug: string,
    body: { bytesMax?: number; filesMax?: number },
  ): Promise<TusClient> {
    await addProject(owner, slug);
    await owner.call(updateProject, { params: { project: slug }, body });
    return await addClient({ project: slug });
  }
  const create = (client: TusClient, bytes: number) =>
    client.send('POST', resumableRoute, { 'upload-length': String(bytes) });

  test('rejects an upload that will not fit when it begins; begun uploads count', async () => {
    const client = await openProject('narrow', { bytesMax: sound.length + 1000 });
    assert.equal(await refusalOf(await create(client, sound.length + 1001)), '507 quota_exceeded');
    const at = await client.begin(sound.length);
    assert.equal(await refusalOf(await create(client, 1001)), '507 quota_exceeded');
    const other = locationOf(await create(client, 1000));
    await resultOf(await client.append(at, 0, sound));
    assert.deepEqual(await readUsage(service, 'narrow'), { files: 1, bytes: sound.length });
    assert.equal(await refusalOf(await create(client, 1)), '507 quota_exceeded');
    assert.equal((await client.send('DELETE', other)).status, 204);
    assert.equal((await create(client, 1000)).status, 201);
  });
  test('other uploads reserve space for begun ones', async () => {
    const client = await openProject('shared', { bytesMax: sound.length });
    const at = await client.begin(sound.length);
    const { token } = await addToken(owner, { kind: 'media', project: 'shared' });
    const put = { method: 'PUT', body: new Uint8Array(sound), headers: { authorization: token } };
    assert.equal(await refusalOf(await service.fetch('/api/v3/file', put)), '507 quota_exceeded');
    await resultOf(await client.append(at, 0, sound));
  });
  test('the same applies to the number of files', async () => {
    const client = await openProject('few', { filesMax: 2 });
    for (let count = 0; count < 2; count++) assert.equal((await create(client, 100)).status, 201);
    assert.equal(await refusalOf(await create(client, 100)), '507 quota_exceeded');
  });
  test('a reduced quota rejects the end of an upload, and nothing remains', async () => {
    const client = await openProject('shrinks', { bytesMax: sound.length });
    const at = await client.begin(sound.length);
    await client.append(at, 0, sound.subarray(0, half));
    await owner.call(updateProject, { params: { project: 'shrinks' }, body: { bytesMax: half } });
    assert.equal(await refusalOf(await client.append(at, half, sound.subarray(half))), '507 quota_exceeded');
    await requireGone(service, client, at);
    assert.deepEqual(await readUsage(service, 'shrinks'), { files: 0, bytes: 0 });
  });
  test('a project cannot have more than a thousand open uploads', async () => {
    const client = await openProject('eager', {});
    const store = await service.openStore();
    const upload = await store.resumableUploads.find((await client.begin(1000)).split('/').at(-1)!);
    for (let count = 1; count < 1000; count++) {
      const id = `e${String(count).padStart(19, '0')}`;
      await store.resumableUploads.create({ ...upload!, id }, { uploadsMax: 2000, bytesMax: 2 ** 50 });
    }
    assert.equal(await refusalOf(await create(client, 1000)), '507 quota_exceeded');
    assert.equal((await create(tus, 1000)).status, 201);
  });
});
