/** V1 and V2 forms with several file parts: which part is stored, and that nothing of the others remains. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { getFile } from '@tapedeck/contract/files';
import { noMedia, smallPng, smallWav } from '@tapedeck/media-facts/samples';
import { describeRefusal, withToken } from '../../../tests/support/client.ts';
import { readAs } from '../../../tests/support/jsonAnswers.ts';
import { startTestService } from '../../../tests/support/service.ts';
import { listTraces, mediaEnvironment, mediaToken, readUsage } from '../../../tests/support/uploading.ts';
import { UploadResponseV1, UploadResponseV2 } from './contract.ts';

const fileBytesMax = 256 * 1024;
const service = await startTestService({
  environment: { ...mediaEnvironment, TAPEDECK_FILE_SIZE_MAX: String(fileBytesMax) },
});
after(() => service[Symbol.asyncDispose]());
const media = withToken(service, mediaToken);
const large = Buffer.concat([smallPng, Buffer.alloc(200 * 1024)]);
const tooLarge = Buffer.concat([smallPng, Buffer.alloc(fileBytesMax)]);

/** Name and content of each part. The file gets the name of its part and its position. */
type Parts = readonly (readonly [name: string, content: Buffer | string])[];
const field = ['metadata', '{"a":1}'] as const;

function makeForm(parts: Parts): FormData {
  const form = new FormData();
  for (const [index, [name, content]] of parts.entries()) {
    if (typeof content === 'string') form.append(name, content);
    else form.append(name, new Blob([new Uint8Array(content)]), `${name}-${index}.bin`);
  }
  return form;
}

async function makeUrl(version: 1 | 2): Promise<string> {
  const path = version === 1 ? '/api/presigned-url' : '/api/v2/presigned-url';
  const response = await service.fetch(`${path}?fileType=image`, { headers: { authorization: mediaToken } });
  // Both versions return the URL somewhere in their JSON.
  const [url = ''] = /http[^"]+/.exec(await response.text()) ?? [];
  return new URL(url).pathname;
}

const ways = {
  V1: { bound: false, path: async () => '/api/image', shape: UploadResponseV1 },
  V2: { bound: false, path: async () => '/api/v2/image', shape: UploadResponseV2 },
  'a V1 URL': { bound: true, path: () => makeUrl(1), shape: UploadResponseV1 },
  'a V2 URL': { bound: true, path: () => makeUrl(2), shape: UploadResponseV2 },
} as const;

/** Which file is stored by an image route, and by a URL whose part must be called image. */
const rows: readonly [title: string, parts: Parts, kept: string, keptByUrl: string][] = [
  [
    'file and image',
    [
      ['file', smallPng],
      ['image', large],
    ],
    'file-0.bin',
    'image-1.bin',
  ],
  ['image and file', [['image', large], field, ['file', smallPng]], 'file-2.bin', 'image-0.bin'],
  [
    'image among others',
    [
      ['a', large],
      ['image', smallPng],
      ['b', smallWav],
    ],
    'image-1.bin',
    'image-1.bin',
  ],
  [
    'the first of several',
    [
      ['a', smallPng],
      ['b', large],
    ],
    'a-0.bin',
    '400 file_missing',
  ],
  [
    'the first of several with the same name',
    [
      ['image', smallPng],
      ['image', large],
    ],
    'image-0.bin',
    'image-0.bin',
  ],
  [
    'others that are not media',
    [
      ['a', noMedia],
      ['image', smallPng],
      ['b', noMedia],
    ],
    'image-1.bin',
    'image-1.bin',
  ],
  [
    'others of another type',
    [
      ['audio', smallWav],
      ['image', smallPng],
    ],
    'image-1.bin',
    'image-1.bin',
  ],
  [
    'others that are too large',
    [
      ['a', tooLarge],
      ['image', smallPng],
      ['b', tooLarge],
    ],
    'image-1.bin',
    'image-1.bin',
  ],
  [
    'no media as file',
    [
      ['image', smallPng],
      ['file', noMedia],
    ],
    '415 unsupported_media',
    'image-0.bin',
  ],
  [
    'no media at all',
    [
      ['a', noMedia],
      ['b', smallPng],
    ],
    '415 unsupported_media',
    '415 unsupported_media',
  ],
  [
    'a first one that is too large',
    [
      ['a', tooLarge],
      ['b', smallPng],
    ],
    '413 file_too_large',
    '413 file_too_large',
  ],
  [
    'more bytes in other parts than four files may have',
    [['image', smallPng], ...Array<['b', Buffer]>(5).fill(['b', tooLarge])],
    '413 file_too_large',
    '413 file_too_large',
  ],
  ['seventeen files', Array<['b', Buffer]>(17).fill(['b', smallPng]), '400 bad_request', '400 bad_request'],
];

for (const [way, { bound, path, shape }] of Object.entries(ways)) {
  for (const [title, parts, kept, keptByUrl] of rows) {
    it(`${way}: ${title}`, async () => {
      const expected = bound ? keptByUrl : kept;
      const before = await countTraces();
      const response = await service.fetch(await path(), {
        method: 'POST',
        headers: bound ? {} : { authorization: mediaToken },
        body: makeForm(parts),
      });
      if (!response.ok) {
        assert.equal(await describeRefusal(response), expected);
        await requireTraces(before);
        return;
      }
      const { id } = await readAs(shape, response);
      const { data } = await media.call(getFile, { params: { file: id } });
      assert.equal(data.filename, expected);
      assert.equal(data.size, parts[Number(/\d/.exec(expected)?.[0])]![1].length);
      assert.deepEqual(data.metadata, parts.includes(field) ? { a: 1 } : {});
      await requireTraces({ files: before.files + 1, blobs: before.blobs + 1 });
    });
  }
}

async function countTraces() {
  const { blobs } = await listTraces(service);
  const { files } = await readUsage(service);
  return { files, blobs: blobs.length };
}

async function requireTraces(expected: { files: number; blobs: number }): Promise<void> {
  const { blobs, staging } = await listTraces(service);
  const { files } = await readUsage(service);
  assert.deepEqual({ files, blobs: blobs.length, staging: staging.length }, { ...expected, staging: 0 });
}
