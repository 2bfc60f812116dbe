/** Presigned URLs that carry metadata for the files uploaded through them. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { composePath, describeRefusal } from '../support/client.ts';
import { startQuietService } from '../support/service.ts';
import {
  formOf,
  makePicture,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readRecord,
  readUploaded,
  sendForm,
} from '../support/uploading.ts';

const service = await startQuietService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const picture = await makePicture();

function request(query: Record<string, string | number>): Promise<Response> {
  const path = composePath({ path: '/api/v3/file/presigned-url' }, { query });
  return service.fetch(path, { headers: { authorization: mediaToken } });
}

test('every file gets the metadata of the URL, which the uploader cannot change', async () => {
  const metadata = JSON.stringify({ player: { id: 43 }, reason: 'report' });
  const response = await request({ metadata, uses: 2 });
  // CONTRACT.md, 3: the response for a presigned URL.
  const { data } = (await response.json()) as { data: { presignedUrl: string } };
  const send = (form: FormData) => sendForm(service, form, { route: pathOf(data.presignedUrl), token: '' });
  const { id } = await readUploaded(await send(formOf(picture)));
  assert.deepEqual((await readRecord(service, id)).metadata, { player: { id: 43 }, reason: 'report' });
  const form = formOf(picture, { metadata: '{"player":{"id":1},"map":"harbour"}' });
  const other = await readUploaded(await send(form));
  const expected = { player: { id: 43 }, map: 'harbour', reason: 'report' };
  assert.deepEqual((await readRecord(service, other.id)).metadata, expected);
  for (const wrong of ['[]', '{', JSON.stringify({ long: 'x'.repeat(1024) })])
    assert.equal(await describeRefusal(await request({ metadata: wrong })), '400 metadata_invalid');
});
