/** Files by V1 and V2: uploads of one type, presigned URLs for one type, deletion by type. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { deleteFile, getFile, UploadResponse } from '@tapedeck/contract/files';
import { mediaTypes } from '@tapedeck/domain/vocabulary';
import { makeSamples, noMedia, smallPng, smallWav } from '@tapedeck/media-facts/samples';
import Type from 'typebox';
import { describeRefusal, withToken } from '../../../tests/support/client.ts';
import { readAs } from '../../../tests/support/jsonAnswers.ts';
import { addPerson, addToken } from '../../../tests/support/people.ts';
import { startTestService } from '../../../tests/support/service.ts';
import { UploadResponseV1, UploadResponseV2 } from './contract.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const { token } = await addToken(owner);
const media = withToken(service, token);
const video = (await makeSamples([{ file: 'clip.webm', make: '-an -c:v libvpx' }])).get('clip.webm')!;
const contents = { image: smallPng, audio: smallWav, video };

type Fields = Readonly<Record<string, Buffer | string>>;

function makeForm(fields: Fields): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value)]), 'clip.bin');
  }
  return form;
}

function post(path: string, fields: Fields, headers: Record<string, string> = { authorization: token }) {
  return service.fetch(path, { method: 'POST', headers, body: makeForm(fields) });
}

function call(method: string, path: string, credential = token): Promise<Response> {
  return service.fetch(path, { method, headers: { authorization: credential } });
}

for (const type of mediaTypes) {
  describe(type, () => {
    for (const part of ['file', type, 'recording', 'files[]']) {
      it(`is accepted in the part ${part}`, async () => {
        const first = await readAs(UploadResponseV1, await post(`/api/${type}`, { [part]: contents[type] }));
        assert.deepEqual(Object.keys(first), ['id', 'url', 'status']);
        const second = await readAs(
          UploadResponseV2,
          await post(`/api/v2/${type}`, { [part]: contents[type] }),
        );
        assert.equal(second.url, second.data.url);
        assert.equal(second.id, second.data.id);
        const { data } = await media.call(getFile, { params: { file: first.id } });
        assert.deepEqual([data.type, data.url, data.size], [type, first.url, contents[type].length]);
      });
    }

    it('is accepted with metadata, and with the token in the query', async () => {
      const metadata = JSON.stringify({ name: 'n', description: 'd', player: { id: 7 } });
      const response = await post(`/api/v2/${type}?apiKey=${token}`, { file: contents[type], metadata }, {});
      const { id } = await readAs(UploadResponseV2, response);
      const { data } = await media.call(getFile, { params: { file: id } });
      assert.deepEqual(data.metadata, JSON.parse(metadata));
    });

    const other = type === 'image' ? 'audio' : 'image';
    for (const path of [`/api/${type}`, `/api/v2/${type}`]) {
      const refusals: readonly [string, () => Promise<Response>, string][] = [
        [`a file that is ${other}`, () => post(path, { [type]: contents[other] }), '415 unsupported_media'],
        ['a file that is not media', () => post(path, { file: noMedia }), '415 unsupported_media'],
        ['a form without a file', () => post(path, { metadata: '{}' }), '400 file_missing'],
        [
          'metadata that is not an object',
          () => post(path, { file: contents[type], metadata: '[]' }),
          '400 metadata_invalid',
        ],
        ['no token', () => post(path, { file: contents[type] }, {}), '401 token_missing'],
        [
          'an unknown token',
          () => post(path, { file: contents[type] }, { authorization: 'x'.repeat(32) }),
          '401 token_unknown',
        ],
        [
          'a logs token',
          async () =>
            post(
              path,
              { file: contents[type] },
              { authorization: (await addToken(owner, { kind: 'logs' })).token },
            ),
          '403 wrong_token_kind',
        ],
        [
          'a read-only token',
          async () =>
            post(
              path,
              { file: contents[type] },
              { authorization: (await addToken(owner, { scopes: ['read'] })).token },
            ),
          '403 scope_missing',
        ],
        [
          'JSON',
          () =>
            service.fetch(path, {
              method: 'POST',
              headers: { authorization: token, 'content-type': 'application/json' },
              body: '{}',
            }),
          '415 unsupported_content_type',
        ],
      ];
      for (const [name, send, refusal] of refusals) {
        it(`${path} rejects ${name}`, async () => assert.equal(await describeRefusal(await send()), refusal));
      }
    }

    it('is deleted once by its id', async () => {
      const { id, url } = await readAs(
        UploadResponseV1,
        await post(`/api/${type}`, { file: contents[type] }),
      );
      const wrong = await call('DELETE', `/api/${other}/delete/${id}`);
      assert.equal(await describeRefusal(wrong), '404 not_found');
      const response = await call('DELETE', `/api/${type}/delete/${id}`);
      const { message, status } = await readAs(deleteFile.answer, response);
      assert.deepEqual([message, status], ['File deleted.', 'ok']);
      assert.equal((await service.fetch(new URL(url).pathname)).status, 404);
      assert.equal(await describeRefusal(await call('DELETE', `/api/${type}/delete/${id}`)), '404 not_found');
    });
  });
}

/** Changes the first character of the signature. */
function forge(presigned: string): string {
  const at = presigned.lastIndexOf('.') + 1;
  return presigned.slice(0, at) + (presigned[at] === 'A' ? 'B' : 'A') + presigned.slice(at + 1);
}

describe('presigned URLs', () => {
  const PresignedV1 = Type.Object({ presignedUrl: Type.String() });
  const PresignedV2 = Type.Object({ data: PresignedV1, status: Type.Literal('ok') });

  /** The tokens that each version makes for images. */
  const makers: Readonly<Record<string, (search?: string) => Promise<string>>> = {
    V1: async (search = '') =>
      (await readAs(PresignedV1, await call('GET', `/api/presigned-url?fileType=image${search}`)))
        .presignedUrl,
    V2: async (search = '') =>
      (await readAs(PresignedV2, await call('GET', `/api/v2/presigned-url?fileType=image${search}`))).data
        .presignedUrl,
    V3: async (search = '') =>
      (await readAs(PresignedV2, await call('GET', `/api/v3/file/presigned-url?fileType=image${search}`)))
        .data.presignedUrl,
  };
  const uploadPaths: Readonly<Record<string, string>> = {
    V1: '/api/presigned-url/',
    V2: '/api/v2/presigned-url/',
    V3: '/api/v3/file/presigned-url/',
  };
  const answers = { V1: UploadResponseV1, V2: UploadResponseV2, V3: UploadResponse };
  const readToken = (url: string) => url.slice(url.lastIndexOf('/') + 1);

  for (const [made, make] of Object.entries(makers)) {
    it(`of ${made} point to the upload of their version and contain teamId and exp`, async () => {
      const { pathname } = new URL(await make());
      assert.ok(pathname.startsWith(uploadPaths[made]!), pathname);
      const payload = JSON.parse(
        Buffer.from(readToken(pathname).split('.')[1] ?? '', 'base64url').toString(),
      );
      assert.equal(payload.teamId, 'default');
      const minutes = (payload.exp * 1000 - service.clock.now()) / 60_000;
      assert.ok(Math.abs(minutes - (made === 'V3' ? 15 : 5)) < 0.5, `${minutes} minutes`);
    });

    for (const [used, path] of Object.entries(uploadPaths)) {
      it(`of ${made} are accepted by ${used}`, async () => {
        const response = await post(path + readToken(await make()), { image: smallPng }, {});
        // `used` is always a name from the table.
        await readAs(answers[used as keyof typeof answers], response);
      });
    }
  }

  for (const version of ['V1', 'V2'] as const) {
    const path = uploadPaths[version]!;
    const rows: readonly [string, (presigned: string) => Promise<Response>, string][] = [
      [
        'whose part has another name',
        presigned => post(path + presigned, { file: smallPng }, {}),
        '400 file_missing',
      ],
      [
        'of another type',
        presigned => post(path + presigned, { image: smallWav }, {}),
        '415 unsupported_media',
      ],
      ['without a file', presigned => post(path + presigned, { metadata: '{}' }, {}), '400 file_missing'],
      [
        'with a forged token',
        presigned => post(path + forge(presigned), { image: smallPng }, {}),
        '401 presigned_unknown',
      ],
      [
        'after it expired',
        presigned => {
          service.clock.advance(5 * 60_000);
          return post(path + presigned, { image: smallPng }, {});
        },
        '410 presigned_expired',
      ],
      [
        'a second time',
        async presigned => {
          await post(path + presigned, { image: smallPng }, {});
          return post(path + presigned, { image: smallPng }, {});
        },
        '409 presigned_used',
      ],
    ];
    for (const [name, send, refusal] of rows) {
      it(`of ${version} reject an upload ${name}`, async () => {
        assert.equal(await describeRefusal(await send(readToken(await makers[version]!()))), refusal);
      });
    }

    it(`of ${version} can be retried after a failure`, async () => {
      const presigned = path + readToken(await makers[version]!());
      assert.equal((await post(presigned, { file: smallPng }, {})).status, 400);
      assert.equal((await post(presigned, { image: smallPng }, {})).status, 200);
    });

    it(`of ${version} expire as requested, in seconds or milliseconds`, async () => {
      const at = Math.floor(service.clock.now() / 1000) + 3600;
      for (const expiresAt of [at, at * 1000]) {
        const presigned = readToken(await makers[version]!(`&expiresAt=${expiresAt}`));
        const { exp } = JSON.parse(Buffer.from(presigned.split('.')[1] ?? '', 'base64url').toString());
        assert.equal(exp, at);
      }
    });

    const base = version === 'V1' ? '/api/presigned-url' : '/api/v2/presigned-url';
    for (const search of [
      '',
      '?fileType=',
      '?fileType=text',
      '?fileType=image&expiresAt=1',
      '?fileType=image&expiresAt=x',
    ]) {
      it(`rejects ${base}${search}`, async () => {
        assert.equal(await describeRefusal(await call('GET', base + search)), '400 invalid_field');
      });
    }
  }

  it('are not created for a type that the token does not cover', async () => {
    const narrow = (await addToken(owner, { scopes: ['type:audio'] })).token;
    const response = await call('GET', '/api/v2/presigned-url?fileType=image', narrow);
    assert.equal(await describeRefusal(response), '403 scope_missing');
  });
});
