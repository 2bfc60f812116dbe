/** Presigned URLs opened in a browser show a page, even if the URL is dead; for programs nothing changes. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as contract from '@tapedeck/contract/files';
import { withToken } from '../support/client.ts';
import { startQuietService } from '../support/service.ts';
import { formOf, makePicture, mediaEnvironment, mediaToken } from '../support/uploading.ts';

const service = await startQuietService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const client = withToken(service, mediaToken);
const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function makeUrl(query: object = {}): Promise<string> {
  const { data } = await client.call(contract.createPresignedUrl, { query });
  return new URL(data.presignedUrl).pathname;
}

const openPage = (address: string, accept = browserAccept) => service.fetch(address, { headers: { accept } });

test('the page states what the URL allows, and has no inline scripts or styles', async () => {
  const address = await makeUrl({ uses: 3, path: 'clips/<b>', type: 'image', maxSize: 2 * 1024 ** 2 });
  const response = await openPage(address);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(
    response.headers.get('content-security-policy') ?? '',
    /^default-src 'none'; .*script-src 'self'/,
  );
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const page = await response.text();
  assert.match(page, /Up to 3 images, at most 2 MiB each, into the folder clips\/&lt;b>/);
  assert.match(page, /accept="image\/\*" multiple/);
  assert.match(page, /capture="environment"/);
  assert.doesNotMatch(page, /<script(?![^>]*src=)|style=|<b>/);
});

test('opening the page does not count as a use', async () => {
  const address = await makeUrl();
  for (let times = 0; times < 3; times += 1) assert.equal((await openPage(address)).status, 200);
  assert.equal(
    (await service.fetch(address, { method: 'POST', body: formOf(await makePicture()) })).status,
    200,
  );
});

test('explains a dead URL in plain words', async () => {
  const used = await makeUrl();
  await service.fetch(used, { method: 'POST', body: formOf(await makePicture()) });
  const expired = await makeUrl({ expiresAt: Math.floor(service.clock.now() / 1000) + 60 });
  service.clock.advance(61_000);
  const forged = `${await makeUrl()}x`;
  for (const [address, status, code, words] of [
    [used, 409, 'presigned_used', 'This link has been used up'],
    [expired, 410, 'presigned_expired', 'This link has expired'],
    [forged, 401, 'presigned_unknown', 'This link doesn’t work'],
    ['/api/v3/file/presigned-url/nothing', 401, 'presigned_unknown', 'This link doesn’t work'],
  ] as const) {
    const response = await openPage(address);
    assert.equal(response.status, status, code);
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(response.headers.get('x-error-code'), code);
    assert.ok((await response.text()).includes(`<h1>${words}</h1>`), words);
  }
});

for (const accept of ['*/*', 'application/json']) {
  test(`tells a program that accepts ${accept} to upload with POST`, async () => {
    const response = await openPage(await makeUrl(), accept);
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('allow'), 'POST, PUT, OPTIONS');
    // Every failure of the service has this shape.
    const { code } = (await response.json()) as { code: string };
    assert.equal(code, 'method_not_allowed');
  });
}
