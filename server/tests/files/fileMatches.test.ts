/** Finds stored files that may equal those about to be uploaded; only present files that will stay count. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, it, test } from 'node:test';
import * as actions from '@tapedeck/contract/fileActions';
import * as files from '@tapedeck/contract/files';
import { matchProjectFiles } from '@tapedeck/contract/projectFiles';
import { updateProject } from '@tapedeck/contract/projects';
import sharp from 'sharp';
import { withToken } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { speakTus } from '../support/resuming.ts';
import { startTestService } from '../support/service.ts';
import { makeSound, mediaEnvironment, mediaToken, uploadFile } from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const client = withToken(service, mediaToken);
const owner = await addPerson(service, { isOwner: true });
const params = { project: 'default' };

type Sent = { filename: string; path?: string; size: number };

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const request = async (...sent: Sent[]) =>
  (await client.call(actions.matchFiles, { body: { files: sent } })).data;

const sound = makeSound();
const other = makeSound({ tone: 3 }); // of the same size
const size = sound.length;
const stored = await uploadFile(service, sound, { filename: 'shot.wav', path: 'clips/Été' });
const match = { index: 0, id: stored.id, sha256: hashOf(sound) };

describe('a stored file', () => {
  const rows: [title: string, sent: Sent, isFound: boolean][] = [
    ['is found by folder, name and size', { filename: 'shot.wav', path: 'clips/Été', size }, true],
    [
      'is found by another spelling of its folder',
      { filename: 'shot.wav', path: 'clips/Été/'.normalize('NFD'), size },
      true,
    ],
    ['is not found by another name', { filename: 'Shot.wav', path: 'clips/Été', size }, false],
    ['is not found in the parent folder', { filename: 'shot.wav', path: 'clips', size }, false],
    ['is not found without a folder', { filename: 'shot.wav', size }, false],
    ['is not found by another size', { filename: 'shot.wav', path: 'clips/Été', size: size + 1 }, false],
  ];
  for (const [title, sent, isFound] of rows)
    it(title, async () => {
      assert.deepEqual(await request(sent), isFound ? [match] : []);
      const body = { files: [sent] };
      const { data } = await owner.call(matchProjectFiles, { params, body });
      assert.deepEqual(data, isFound ? [match] : []);
    });
});

test('reports each file of a request by its index, and matches nothing for invalid names', async () => {
  const shot = { filename: 'shot.wav', path: 'clips/Été', size };
  const found = await request(shot, { ...shot, path: '../up' }, { ...shot, filename: '' }, shot, {
    ...shot,
    filename: 'a'.repeat(1025),
  });
  assert.deepEqual(found, [match, { ...match, index: 3 }]);
});

test('reports each content under a name once, by its newest file', async () => {
  const sent = { filename: 'twice.wav', path: 'twice' };
  for (const bytes of [sound, other]) await uploadFile(service, bytes, sent);
  const { id } = await uploadFile(service, sound, sent);
  const found = await request({ ...sent, size });
  assert.deepEqual(new Set(found.map(({ sha256 }) => sha256)), new Set([hashOf(sound), hashOf(other)]));
  assert.equal(found.find(({ sha256 }) => sha256 === hashOf(sound))?.id, id);
  assert.equal(found.length, 2);
});

test('a renamed or moved file is found at its new place', async () => {
  const { id } = await uploadFile(service, sound, { filename: 'old.wav', path: 'moving' });
  const body = { filename: 'new.wav', path: 'moved' };
  await client.call(actions.updateFile, { params: { file: id }, body });
  assert.deepEqual(await request({ filename: 'old.wav', path: 'moving', size }), []);
  assert.deepEqual(await request({ ...body, size }), [{ ...match, id }]);
});

test('a file in the trash does not match, and a restored one does', async () => {
  await owner.call(updateProject, { params, body: { trashDays: 30 } });
  const sent = { filename: 'trash.wav', path: 'trash' };
  const file = (await uploadFile(service, sound, sent)).id;
  await client.call(files.deleteFile, { params: { file }, query: { trash: 'true' } });
  assert.deepEqual(await request({ ...sent, size }), []);
  await client.call(actions.restoreFile, { params: { file } });
  assert.deepEqual(await request({ ...sent, size }), [{ ...match, id: file }]);
  await client.call(files.deleteFile, { params: { file } });
  assert.deepEqual(await request({ ...sent, size }), []);
});

describe('when locations are removed, the hash is that of the upload', () => {
  const makeSeen = (red: number) =>
    sharp({ create: { width: 40, height: 30, channels: 3, background: { r: red, g: 90, b: 60 } } })
      .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 32315/100' } })
      .jpeg()
      .toBuffer();
  for (const [title, red, send] of [
    ['in one piece', 1, (bytes: Buffer) => uploadFile(service, bytes, { filename: 'in one piece' })],
    [
      'in parts',
      2,
      async (bytes: Buffer) => {
        const tus = speakTus(service);
        const at = await tus.begin(bytes.length, { filename: 'in parts' });
        await tus.append(at, 0, bytes);
        await tus.result(at);
      },
    ],
  ] as const)
    it(title, async () => {
      await owner.call(updateProject, { params, body: { stripLocation: true } });
      const bytes = await makeSeen(red);
      await send(bytes);
      await owner.call(updateProject, { params, body: { stripLocation: false } });
      const [found] = await request({ filename: title, size: bytes.length });
      assert.equal(found?.sha256, hashOf(bytes));
    });
});

test('a token sees only the files that it may read', async () => {
  const shot = { filename: 'shot.wav', path: 'clips/Été', size };
  const countMatches = async (token: string) =>
    (await withToken(service, token).call(actions.matchFiles, { body: { files: [shot] } })).data.length;
  const other = await addProject(owner, 'other');
  const readers: [Parameters<typeof addToken>[1], number][] = [
    [{ kind: 'media', scopes: ['read', 'path:clips'] }, 1],
    [{ kind: 'media', scopes: ['read', 'path:pictures'] }, 0],
    [{ kind: 'media', scopes: ['read', 'type:image'] }, 0],
    [{ kind: 'media', project: other }, 0],
  ];
  for (const [options, expected] of readers)
    assert.equal(
      await countMatches((await addToken(owner, options)).token),
      expected,
      JSON.stringify(options),
    );
});

describe('rejects a request', () => {
  const shot = { filename: 'shot.wav', size };
  const rows: [title: string, sent: Sent[]][] = [
    ['without a file', []],
    ['about more than a thousand files', Array.from({ length: 1001 }, () => shot)],
    ['about a size below zero', [{ ...shot, size: -1 }]],
  ];
  for (const [title, sent] of rows)
    it(title, async () => {
      assert.equal(await client.refuse(actions.matchFiles, { body: { files: sent } }), '400 invalid_field');
    });
});

test('accepts a thousand files at once', async () => {
  const sent = Array.from({ length: 999 }, (_, index) => ({
    filename: `${index}`.repeat(300),
    path: 'é'.repeat(250),
    size,
  }));
  assert.deepEqual(await request(...sent, { filename: 'shot.wav', path: 'clips/Été', size }), [
    { ...match, index: 999 },
  ]);
});

// Runs last: sessions expire when time advances.
test('a file that expires within a week does not match', async () => {
  const project = await addProject(owner, 'expiring');
  const { token } = await addToken(owner, { project, kind: 'media' });
  const folders = [
    { path: 'short', days: 7 },
    { path: 'short/kept', days: null },
  ];
  const retention = { image: null, video: null, audio: 30, folders };
  await owner.call(updateProject, { params: { project }, body: { retention } });
  const places: [path: string, fields: Record<string, string>, isThere: boolean][] = [
    ['long', {}, true],
    ['short', {}, false],
    ['short/below', {}, false],
    ['short/kept', {}, true],
    ['short/exempt', { retentionExempt: 'true' }, true],
  ];
  for (const [path, fields] of places)
    await uploadFile(service, sound, { filename: 'a.wav', path, ...fields }, { token });
  const sent = places.map(([path]) => ({ filename: 'a.wav', path, size }));
  const indexes = async () => {
    const { data } = await withToken(service, token).call(actions.matchFiles, { body: { files: sent } });
    return data.map(({ index }) => index);
  };
  assert.deepEqual(
    await indexes(),
    places.flatMap(([, , isThere], index) => (isThere ? [index] : [])),
  );
  service.clock.advance(24 * 86_400_000);
  assert.deepEqual(await indexes(), [3, 4]);
});
