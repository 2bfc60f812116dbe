/** Makes a file private at one of two nodes on one PostgreSQL and S3: after a second the other serves none of its cached forms. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { S3Client } from '@tapedeck/blob-stores';
import * as actions from '@tapedeck/contract/fileActions';
import { getFile } from '@tapedeck/contract/files';
import { updateProject } from '@tapedeck/contract/projects';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { startSwift } from '../../../scripts/engines/swift.ts';
import { withToken } from '../support/client.ts';
import { addPerson } from '../support/people.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { makePicture, mediaEnvironment, mediaToken, pathOf, uploadFile } from '../support/uploading.ts';

await using opened = new AsyncDisposableStack();
const postgres = opened.use(await startPostgres());
const engine = opened.use(await startSwift());
const config = { ...engine, bucket: 'media', forcePathStyle: true };
const client = new S3Client(config);
await client.call({ method: 'PUT', key: '' });
client.close();
const environment = {
  ...mediaEnvironment,
  TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'),
  TAPEDECK_SECRET: 's'.repeat(40),
  TAPEDECK_S3_BUCKET: config.bucket,
  TAPEDECK_S3_ENDPOINT: engine.endpoint,
  TAPEDECK_S3_ACCESS_KEY_ID: engine.accessKeyId,
  TAPEDECK_S3_SECRET_ACCESS_KEY: engine.secretAccessKey,
  TAPEDECK_S3_FORCE_PATH_STYLE: 'true',
};
const first = opened.use(await startTestService({ environment }));
const second = opened.use(await startTestService({ environment }));
const running = opened.move();
after(() => running.disposeAsync());
const owner = await addPerson(first, { isOwner: true });
const picture = await makePicture(800, 600);

const removalMsMax = 1_000; // CONTRACT.md, 2
const forms: readonly [name: string, query: string, init?: RequestInit][] = [
  ['the file', ''],
  ['its head', '', { method: 'HEAD' }],
  ['a range', '', { headers: { range: 'bytes=0-99' } }],
  ['a size', '?w=320'],
  ['another format', '?format=webp'],
  ['a download', '?download=1'],
];

async function readStatuses(node: TestService, path: string, more = ''): Promise<number[]> {
  const answers = forms.map(async ([, query, init]) => {
    const joined = more === '' ? query : `${query === '' ? '?' : `${query}&`}${more}`;
    const response = await node.fetch(path + joined, init);
    await response.arrayBuffer();
    return response.status;
  });
  return await Promise.all(answers);
}

/** Reads all forms at a node without a pause until it serves none, and requires that it serves none again. */
async function requireGone(node: TestService, path: string): Promise<void> {
  const beganAt = performance.now();
  for (;;) {
    const askedAt = performance.now();
    const statuses = await readStatuses(node, path);
    if (statuses.every(status => status === 404)) break;
    const served = forms.filter((_, index) => statuses[index] !== 404).map(([name]) => name);
    assert.ok(askedAt - beganAt < removalMsMax, `${served.join(', ')} requested later`);
  }
  for (let turn = 0; turn < 3; turn++)
    assert.deepEqual(new Set(await readStatuses(node, path)), new Set([404]));
}

const ways: readonly [name: string, hide: (id: string) => Promise<unknown>][] = [
  [
    'by itself',
    id =>
      withToken(first, mediaToken).call(actions.updateFile, {
        params: { file: id },
        body: { visibility: 'private' },
      }),
  ],
  [
    'by a rule for its folder',
    () =>
      owner.call(updateProject, {
        params: { project: 'default' },
        body: { visibility: { folders: [{ path: 'secret', visibility: 'private' }] } },
      }),
  ],
];

for (const [name, hide] of ways)
  test(`a file that becomes private ${name} at one node is hidden at both, and a link opens it at both`, async () => {
    const { id } = await uploadFile(first, picture, { path: name === 'by itself' ? 'open' : 'secret' });
    const { data } = await withToken(first, mediaToken).call(getFile, { params: { file: id } });
    const path = pathOf(data.originalUrl);
    for (let turn = 0; turn < 2; turn++)
      for (const node of [first, second])
        assert.ok((await readStatuses(node, path)).every(status => status === 200 || status === 206));
    await hide(id);
    await Promise.all([requireGone(first, path), requireGone(second, path)]);
    const link = await withToken(second, mediaToken).call(actions.linkFile, {
      params: { file: id },
      body: {},
    });
    const signed = new URL(link.data.url).search.slice(1);
    for (const node of [first, second])
      assert.ok((await readStatuses(node, path, signed)).every(status => status === 200 || status === 206));
    assert.deepEqual(new Set(await readStatuses(second, path)), new Set([404]));
  });
