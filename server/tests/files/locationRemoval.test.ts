/** Locations in pictures: with `stripLocation` none is stored, however the picture is uploaded. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, it, test } from 'node:test';
import { createPresignedUrl } from '@tapedeck/contract/files';
import { updateProject } from '@tapedeck/contract/projects';
import sharp from 'sharp';
import { withToken } from '../support/client.ts';
import { openMessages } from '../support/messageForms.ts';
import { speakTus } from '../support/resuming.ts';
import { startTestService } from '../support/service.ts';
import {
  formOf,
  makePoster,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readUploaded,
  sendForm,
  uploadFile,
  uploadRoute,
} from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const { owner, send } = await openMessages(service);
const setStripping = (stripLocation: boolean) =>
  owner.call(updateProject, { params: { project: 'default' }, body: { stripLocation } });
const client = withToken(service, mediaToken);

let shade = 0;
const nextShade = () => {
  shade += 1;
  return shade;
};
const makeSeen = () =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: { r: nextShade(), g: 90, b: 60 } } })
    .withExif({
      IFD0: { Copyright: 'somebody' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 32315/100' },
    })
    .jpeg()
    .toBuffer();
const place = Buffer.of(51, 0, 0, 0, 1, 0, 0, 0, 30, 0, 0, 0, 1);

const { post, postJson, postText } = makePoster(service);
const urlOf = async (response: Response) => (await readUploaded(response)).url;
const ways: [string, (bytes: Buffer) => Promise<string>][] = [
  ['as a form', async bytes => (await uploadFile(service, bytes)).url],
  [
    'as the whole body',
    async bytes => urlOf(await post(uploadRoute, { 'content-type': 'image/jpeg' }, new Uint8Array(bytes))),
  ],
  ['as base64', async bytes => urlOf(await postJson({ base64: bytes.toString('base64') }))],
  ['as text', async bytes => urlOf(await postText('', bytes.toString('base64')))],
  [
    'through a presigned URL',
    async bytes => {
      const { data } = await client.call(createPresignedUrl);
      return urlOf(await sendForm(service, formOf(bytes), { route: pathOf(data.presignedUrl), token: '' }));
    },
  ],
  [
    'in parts',
    async bytes => {
      const tus = speakTus(service);
      const at = await tus.begin(bytes.length);
      await tus.append(at, 0, bytes.subarray(0, 200));
      await tus.append(at, 200, bytes.subarray(200));
      return urlOf(await tus.result(at));
    },
  ],
  [
    'through the older routes',
    async bytes => urlOf(await sendForm(service, formOf(bytes), { route: '/api/v2/image' })),
  ],
  [
    'with a chat message',
    async bytes => {
      const { message } = await send([['files[]', { bytes, filename: 'seen.jpg' }]]);
      return message.attachments[0]?.url ?? '';
    },
  ],
];

describe('a location', () => {
  for (const [title, upload] of ways) {
    it(`is removed from a picture sent ${title}`, async () => {
      await setStripping(true);
      const bytes = await makeSeen();
      assert.ok(bytes.includes(place));
      const response = await service.fetch(pathOf(await upload(bytes)));
      const stored = Buffer.from(await response.arrayBuffer());
      assert.ok(!stored.includes(place));
      assert.ok(stored.includes('somebody'));
      assert.equal(stored.length, bytes.length);
      assert.equal(response.headers.get('etag'), `"${createHash('sha256').update(stored).digest('hex')}"`);
      assert.deepEqual(await sharp(stored).raw().toBuffer(), await sharp(bytes).raw().toBuffer());
    });
  }

  it('stays unless the project removes it', async () => {
    await setStripping(false);
    const bytes = await makeSeen();
    const { url } = await uploadFile(service, bytes);
    assert.deepEqual(Buffer.from(await (await service.fetch(pathOf(url))).arrayBuffer()), bytes);
  });
});

test('a repeated upload with its key is the same file, also after the project stops removing locations', async () => {
  const bytes = await makeSeen();
  const headers = { 'content-type': 'image/jpeg', 'idempotency-key': 'a picture with a place' };
  const urls = [];
  for (const strips of [true, true, false]) {
    await setStripping(strips);
    urls.push(await urlOf(await post(uploadRoute, headers, new Uint8Array(bytes))));
  }
  assert.equal(new Set(urls).size, 1);
});
