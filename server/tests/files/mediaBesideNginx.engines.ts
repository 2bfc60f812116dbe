/** Compares media over HTTP with nginx serving the same bytes: both must send the same status, headers and body. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type http from 'node:http';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { type Asked, askOnce, startNginx } from '../support/nginx.ts';
import { startQuietService } from '../support/service.ts';
import { makePicture, mediaEnvironment, pathOf, uploadFile } from '../support/uploading.ts';

await using opened = new AsyncDisposableStack();
const service = opened.use(await startQuietService({ environment: mediaEnvironment }));
const picture = await makePicture();
/** Two files: memory caches one; the other is read from disk in pieces. */
const files = {
  small: Buffer.concat([picture, randomBytes(200)]),
  large: Buffer.concat([picture, randomBytes(2_200_000)]), // no file above 2 MiB is cached
};
const ours: Record<string, string> = {};
for (const [name, bytes] of Object.entries(files))
  ours[name] = `${service.url}${pathOf((await uploadFile(service, bytes)).url)}`;
const { headers: told } = await askOnce(ours.small!, { method: 'HEAD' });
const modified = told['last-modified']!;
const modifiedAt = Date.parse(modified);
const nginx = opened.use(await startNginx({ files, mimeType: 'image/png', modifiedAt }));
const cleanUp = opened.move();
after(() => cleanUp.disposeAsync());

type Headers = Readonly<Record<string, string>>;
/** Builds a request's headers with the entity tag of the side asked. */
type Ask = (etag: string, modified: string) => Headers;

/** Reads what must be equal. A boundary may differ, but not in length. */
function readShared({ status, headers, body }: Asked) {
  const type = headers['content-type'] ?? '';
  const boundary = /boundary=(\S+)/.exec(type)?.[1];
  const mask = (text: string) => (boundary ? text.replaceAll(boundary, 'B'.repeat(boundary.length)) : text);
  // Errors have a body in our format.
  const isError = status >= 400;
  return {
    status,
    range: headers['content-range'],
    ...(!isError && {
      type: mask(type),
      length: headers['content-length'],
      body: mask(body),
      hasTag: headers.etag !== undefined,
      modified: headers['last-modified'],
    }),
  };
}

const conditions = new Map<string, Promise<http.IncomingHttpHeaders>>();

/** Returns what a side said about the file, which never changes. */
function readConditions(url: string): Promise<http.IncomingHttpHeaders> {
  return conditions.getOrInsertComputed(url, async () => (await askOnce(url, { method: 'HEAD' })).headers);
}

async function requireSame(name: string, method: string, request: Ask): Promise<void> {
  const sides = [ours[name]!, `${nginx.url}/${name}`];
  const [mine, theirs] = await Promise.all(
    sides.map(async url => {
      const told = await readConditions(url);
      const headers = request(told.etag!, told['last-modified']!);
      return readShared(await askOnce(url, { method, headers }));
    }),
  );
  // A large file's bytes would make a failure unreadable.
  const { body, ...told } = mine!;
  const { body: theirBody, ...theirTold } = theirs!;
  const described = `${method} ${name} ${JSON.stringify(request('"etag"', modified))}`;
  assert.deepEqual(told, theirTold, described);
  assert.ok(body === theirBody, `the bodies differ: ${described}`);
}

const earlier = new Date(modifiedAt - 1000).toUTCString();
const later = new Date(modifiedAt + 1000).toUTCString();
/** Leaves out malformed ranges: nginx refuses them, while RFC 9110 (14.2) says to ignore them. */
const rows: readonly Ask[] = [
  () => ({}),
  () => ({ range: 'bytes=0-0' }),
  () => ({ range: 'bytes=0-' }),
  () => ({ range: 'bytes=5-9' }),
  () => ({ range: 'bytes=-5' }),
  () => ({ range: 'bytes=-99999999' }),
  () => ({ range: 'bytes=5-99999999' }),
  () => ({ range: 'bytes=99999999-' }),
  () => ({ range: 'bytes=0-1,5-9' }),
  () => ({ range: 'bytes=5-9, 0-1 ,-3' }),
  () => ({ range: 'bytes=0-9,5-19' }),
  () => ({ range: 'bytes=0-1,99999999-' }),
  () => ({ range: 'bytes=99999999-,99999998-' }),
  () => ({ range: `bytes=0-${',0-'.repeat(5)}` }),
  () => ({ range: 'lines=0-1' }),
  etag => ({ 'if-range': etag, range: 'bytes=0-4' }),
  () => ({ 'if-range': '"x"', range: 'bytes=0-4' }),
  (_, modified) => ({ 'if-range': modified, range: 'bytes=0-4' }),
  () => ({ 'if-range': earlier, range: 'bytes=0-4,7-8' }),
  etag => ({ 'if-match': etag }),
  etag => ({ 'if-match': `"x", ${etag}`, range: 'bytes=1-2' }),
  () => ({ 'if-match': '"x"' }),
  () => ({ 'if-match': '*' }),
  etag => ({ 'if-none-match': etag }),
  etag => ({ 'if-none-match': `W/${etag}, "x"` }),
  () => ({ 'if-none-match': '"x"' }),
  () => ({ 'if-none-match': '*' }),
  etag => ({ 'if-none-match': etag, range: 'bytes=0-4' }),
  (_, modified) => ({ 'if-modified-since': modified }),
  () => ({ 'if-modified-since': earlier }),
  () => ({ 'if-modified-since': 'yesterday' }),
  () => ({ 'if-unmodified-since': later }),
  () => ({ 'if-unmodified-since': earlier }),
  (_, modified) => ({ 'if-none-match': '"x"', 'if-modified-since': modified }),
  (etag, modified) => ({ 'if-match': etag, 'if-none-match': etag, 'if-modified-since': modified }),
];

describe('over HTTP', () => {
  for (const name of Object.keys(files)) {
    for (const method of ['GET', 'HEAD']) {
      it(`${method} of a ${name} file`, async () => {
        // nginx honours a range on HEAD, which RFC 9110 (14.2) leaves undefined and says to ignore.
        const chosen =
          method === 'GET' ? rows : rows.filter(request => request('', modified).range === undefined);
        for (const request of chosen) await requireSame(name, method, request);
      });
    }
  }

  it('all kinds of ranges under all conditions', async () => {
    const position = fc.integer({ min: 0, max: files.large.length + 100 });
    const spec = fc.oneof(
      fc.tuple(position, fc.nat(100_000)).map(([start, more]) => `${start}-${start + more}`),
      position.map(last => `-${last}`),
      fc.nat(2_000).map(back => `${files.large.length - back}-`),
    );
    const range = fc.array(spec, { minLength: 1, maxLength: 10 }).map(specs => `bytes=${specs.join(',')}`);
    const condition = fc.constantFrom<Ask>(
      () => ({}),
      etag => ({ 'if-range': etag }),
      () => ({ 'if-range': earlier }),
      etag => ({ 'if-match': etag }),
      (_, modified) => ({ 'if-modified-since': modified }),
    );
    const property = fc.asyncProperty(
      range,
      condition,
      fc.constantFrom('small', 'large'),
      (range, request, name) =>
        requireSame(name, 'GET', (etag, modified) => ({ range, ...request(etag, modified) })),
    );
    await fc.assert(property, { numRuns: 400 });
  });
});
