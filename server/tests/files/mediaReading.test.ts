/** Reads media as every client does: headers, conditions, ranges, downloads, the project's custom domain, deletion. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { updateProject } from '@tapedeck/contract/projects';
import { describeRefusal } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { compose, talk } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';
import {
  makePicture,
  makeSound,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readRecord,
  uploadFile,
} from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });

const picture = await makePicture(40, 30);
/** Longer than one read takes in. */
const longSound = makeSound({ seconds: 300 });
const small = await uploadFile(service, picture, { filename: 'Bild "1"; \u00fc/\u202e.png' });
const large = await uploadFile(service, longSound, { filename: 'long' });
const at = pathOf(small.url);
const largeAt = pathOf(large.url);
const head = await service.fetch(at, { method: 'HEAD' });
const etag = head.headers.get('etag')!;
const lastModified = head.headers.get('last-modified')!;

test('GET and HEAD have the same headers', async () => {
  const got = await service.fetch(at);
  const expected = {
    'content-type': 'image/png',
    'content-length': String(picture.length),
    'cache-control': 'public, max-age=31536000, immutable',
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
  };
  for (const response of [got, head]) {
    assert.equal(response.status, 200);
    for (const [name, value] of Object.entries(expected))
      assert.equal(response.headers.get(name), value, name);
    assert.match(response.headers.get('etag')!, /^"[^"]+"$/);
    assert.ok(!Number.isNaN(Date.parse(response.headers.get('last-modified')!)));
    assert.ok(response.headers.get('x-request-id'));
  }
  assert.deepEqual(Buffer.from(await got.arrayBuffer()), picture);
  assert.equal((await head.arrayBuffer()).byteLength, 0);
});

test('serves ten concurrent ranges without a warning', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  const range = Array.from({ length: 10 }, (_, index) => `${index * 3}-${index * 3 + 1}`).join(',');
  const response = await service.fetch(at, { headers: { range: `bytes=${range}` } });
  assert.equal(response.status, 206);
  assert.equal((await response.text()).match(/content-range/gi)?.length, 10);
  process.off('warning', note);
  assert.deepEqual(warnings, []);
});

test('HEAD on a raw connection sends the length and no body', async () => {
  for (const [path, bytes] of [
    [at, picture.length],
    [largeAt, longSound.length],
  ] as const) {
    const { answers } = await talk(service.url, [compose(`HEAD ${path}`, { Connection: 'close' })], {});
    // The parser waits for a body that rightly never comes, so it counts no complete response.
    assert.deepEqual(answers, []);
    const parts = [compose(`HEAD ${path}`, {}), compose(`HEAD ${path}`, { Connection: 'close' })];
    const both = await talk(service.url, parts);
    assert.equal(both.end, 'closed');
    assert.ok(bytes > 0);
  }
});

test('the filename is safe in both forms, inline or as an attachment', async () => {
  const inline = head.headers.get('content-disposition')!;
  assert.match(inline, /^inline; filename="Bild _1__ ___\.png"; filename\*=UTF-8''Bild%20/);
  assert.doesNotMatch(inline, /%2F|%E2%80%AE/);
  const saved = (await service.fetch(`${at}?download=1`)).headers.get('content-disposition')!;
  assert.equal(saved, inline.replace('inline', 'attachment'));
  const other = (await service.fetch(`${at}?download=0`)).headers.get('content-disposition')!;
  assert.equal(other, inline);
  assert.match((await service.fetch(largeAt)).headers.get('content-disposition')!, /filename="long\.wav"/);
});

const earlier = new Date(Date.parse(lastModified) - 1000).toUTCString();
const conditionRows: [Record<string, string>, number][] = [
  [{ 'if-none-match': etag }, 304],
  [{ 'if-none-match': `W/${etag}` }, 304],
  [{ 'if-none-match': `"x", ${etag}` }, 304],
  [{ 'if-none-match': '*' }, 304],
  [{ 'if-none-match': '"x"' }, 200],
  [{ 'if-modified-since': lastModified }, 304],
  [{ 'if-modified-since': earlier }, 200],
  [{ 'if-modified-since': 'yesterday' }, 200],
  [{ 'if-none-match': '"x"', 'if-modified-since': lastModified }, 200],
  [{ 'if-match': etag }, 200],
  [{ 'if-match': '"x"' }, 412],
  [{ 'if-match': `W/${etag}` }, 412],
  [{ 'if-match': '*' }, 200],
  [{ 'if-unmodified-since': earlier }, 412],
  [{ 'if-unmodified-since': lastModified }, 200],
  [{ 'if-match': etag, 'if-none-match': etag }, 304],
  [{ 'if-none-match': etag, range: 'bytes=0-1' }, 304],
];
describe('conditions', () => {
  for (const method of ['GET', 'HEAD']) {
    for (const [headers, status] of conditionRows) {
      test(`${method} ${JSON.stringify(headers)} is ${status}`, async () => {
        const response = await service.fetch(at, { method, headers });
        assert.equal(response.status, status);
        assert.equal(response.headers.get('etag'), etag);
        if (status === 412 && method === 'GET') {
          assert.equal(await describeRefusal(response), '412 precondition_failed');
          assert.notEqual(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
        }
        if (status === 304) {
          assert.equal(response.headers.get('content-length'), null);
          assert.equal(response.headers.get('content-type'), null);
          assert.ok(response.headers.get('cache-control')!.includes('immutable'));
        }
      });
    }
  }
});

const size = longSound.length;
const rangeRows: [string, string, [number, number] | number][] = [
  ['bytes=0-0', 'the first byte', [0, 1]],
  ['bytes=10-19', 'ten bytes', [10, 20]],
  [`bytes=${size - 1}-`, 'the last byte', [size - 1, size]],
  ['bytes=-5', 'the last five', [size - 5, size]],
  [`bytes=-${size * 2}`, 'more than there are, from the end', [0, size]],
  [`bytes=5-${size * 2}`, 'beyond the end', [5, size]],
  ['bytes=0-', 'everything', [0, size]],
  ['BYTES=0-0', 'a unit in capitals', [0, 1]],
  [`bytes=${size}-`, 'behind the end', 416],
  ['bytes=-0', 'nothing', 416],
  ['bytes=5-1', 'turned round', 200],
  ['bytes=a-b', 'no numbers', 200],
  ['lines=0-1', 'another unit', 200],
  [`bytes=${Array.from({ length: 11 }, (_, index) => `${index}-${index}`).join()}`, 'eleven ranges', 200],
];
describe('ranges', () => {
  for (const [range, title, expected] of rangeRows) {
    test(`${title}: ${range.slice(0, 30)}`, async () => {
      const response = await service.fetch(largeAt, { headers: { range } });
      if (expected === 416) {
        assert.equal(response.headers.get('content-range'), `bytes */${size}`);
        assert.equal(await describeRefusal(response), '416 range_unsatisfiable');
        return;
      }
      const [start, end] = typeof expected === 'number' ? [0, size] : expected;
      assert.equal(response.status, typeof expected === 'number' ? 200 : 206);
      assert.equal(response.headers.get('content-length'), String(end - start));
      if (response.status === 206)
        assert.equal(response.headers.get('content-range'), `bytes ${start}-${end - 1}/${size}`);
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), longSound.subarray(start, end));
    });
  }

  test('sends several as multipart/byteranges', async () => {
    const response = await service.fetch(largeAt, { headers: { range: 'bytes=0-1,5-9,-2' } });
    assert.equal(response.status, 206);
    const boundary = /^multipart\/byteranges; boundary=(\d{20})$/.exec(
      response.headers.get('content-type')!,
    )![1]!;
    const parts = [
      [0, 2],
      [5, 10],
      [size - 2, size],
    ].map(([start, end]) =>
      Buffer.concat([
        Buffer.from(
          `\r\n--${boundary}\r\nContent-Type: audio/wav\r\nContent-Range: bytes ${start}-${end! - 1}/${size}\r\n\r\n`,
        ),
        longSound.subarray(start, end),
      ]),
    );
    const whole = Buffer.concat([...parts, Buffer.from(`\r\n--${boundary}--\r\n`)]);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), whole);
    assert.equal(response.headers.get('content-length'), String(whole.length));
  });

  test('If-Range applies a range only to the same bytes', async () => {
    const current = (await service.fetch(largeAt, { method: 'HEAD' })).headers.get('etag')!;
    for (const [condition, status] of [
      [current, 206],
      ['"x"', 200],
      [`W/${current}`, 200],
    ] as const) {
      const response = await service.fetch(largeAt, {
        headers: { range: 'bytes=0-0', 'if-range': condition },
      });
      await response.arrayBuffer();
      assert.equal(response.status, status);
    }
  });

  test('HEAD ignores ranges', async () => {
    const response = await service.fetch(at, { method: 'HEAD', headers: { range: 'bytes=0-0' } });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-length'), String(picture.length));
  });
});

test('returns 404 for an unknown key, and for an id instead of a key', async () => {
  for (const path of [
    '/media/default/none.png',
    '/media/none/x.png',
    `/media/default/${small.id}`,
    '/media/default/',
    '/media/default/..%2f..%2ftapedeck.db',
    '/media/default/a%00b.png',
  ])
    assert.equal(await describeRefusal(await service.fetch(path)), '404 not_found', path);
});

test('a deleted file leaves its URL at once, even if it was just read', async () => {
  const { id, url } = await uploadFile(service, await makePicture(5, 5));
  for (let round = 0; round < 3; round += 1) assert.equal((await service.fetch(pathOf(url))).status, 200);
  const init = { method: 'DELETE', headers: { authorization: mediaToken } };
  const deleted = await service.fetch(`/api/v3/file/${id}`, init);
  assert.deepEqual(await deleted.json(), { status: 'ok', message: 'File deleted.' });
  assert.equal(await describeRefusal(await service.fetch(pathOf(url))), '404 not_found');
  assert.equal(await describeRefusal(await service.fetch(`/api/v3/file/${id}`, init)), '404 not_found');
});

describe('a project’s own domain', () => {
  const slug = 'films';
  const setDomain = (body: { cdnDomain?: string | null; cdnEnabled?: boolean }) =>
    owner.call(updateProject, { params: { project: slug }, body });

  test('enabling it changes URLs at once, and it serves requests', async () => {
    await addProject(owner, slug);
    const { token } = await addToken(owner, { project: slug });
    const { id, url } = await uploadFile(service, picture, { path: 'a b' }, { token });
    const key = pathOf(url).replace('/media', '');
    const read = async () => {
      const record = await readRecord(service, id, token);
      return [record.url, record.originalUrl];
    };
    assert.deepEqual(await read(), [url, url]);
    await setDomain({ cdnDomain: 'CDN.example.org' });
    assert.deepEqual(await read(), [url, url], 'a disabled domain changes nothing');
    await setDomain({ cdnEnabled: true });
    assert.deepEqual(await read(), [`https://cdn.example.org${key}`, url]);
    const uploaded = await uploadFile(service, picture, {}, { token });
    assert.ok(uploaded.url.startsWith(`https://cdn.example.org/${slug}/`));
    assert.ok(
      uploaded.originalUrl.startsWith(`${service.url.replace('127.0.0.1', 'localhost')}/media/${slug}/`),
    );
    const list = await service.fetch('/api/v3/file', { headers: { authorization: token } });
    const { data } = (await list.json()) as { data: { url: string }[] };
    assert.ok(data.every(each => each.url.startsWith('https://cdn.example.org/')));
    const request = async (path: string, host: string) =>
      (await talk(service.url, [compose(`GET ${path}`, { Host: host, Connection: 'close' })])).answers[0]!;
    assert.equal((await request(key, 'cdn.example.org')).status, 200);
    assert.equal((await request(key, 'CDN.EXAMPLE.ORG:443')).status, 200);
    assert.equal((await request(`${key}?w=320`, 'cdn.example.org')).headers['content-type'], 'image/webp');
    assert.equal((await request(key, 'other.example.org')).status, 404);
    assert.equal((await request(at.replace('/media', ''), 'cdn.example.org')).status, 404, 'another project');
    assert.equal((await request('/healthz', 'cdn.example.org')).status, 200);
    await setDomain({ cdnEnabled: false });
    assert.deepEqual(await read(), [url, url]);
    assert.equal((await request(key, 'cdn.example.org')).status, 404);
  });
});
