/** Lists of files by query and sort order, and the errors for queries that do not parse. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import * as contract from '@tapedeck/contract/files';
import { listProjectFiles } from '@tapedeck/contract/projectFiles';
import { withToken } from '../support/client.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { makePicture, makeSound, mediaEnvironment, mediaToken, uploadFile } from '../support/uploading.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const client = withToken(service, mediaToken);
const owner = await addPerson(service, { isOwner: true });
const picture = await makePicture(640, 480);

const uploads: [bytes: Buffer, fields: Record<string, string>][] = [
  [picture, { filename: 'crash-1.png', path: 'shots/today', metadata: '{"player":{"id":43,"name":"Anna"}}' }],
  [makeSound({ seconds: 2 }), { filename: 'Voice.wav', path: 'sounds', metadata: '{"player":{"id":7}}' }],
  [makeSound(), { filename: 'apple.wav', retentionExempt: 'true' }],
  [picture, { filename: 'Zebra.png', metadata: '{"note":"a crash happened"}' }],
];
const ids: string[] = [];
for (const [bytes, fields] of uploads) ids.push((await uploadFile(service, bytes, fields)).id);

async function request(query: Record<string, string>): Promise<{ names: string[]; total: number }> {
  // The contract checks orders and sorts, and rows below send wrong ones.
  const { data, pagination } = await client.call(contract.listFiles, { query: query as { query: string } });
  return { names: data.map(({ filename }) => filename), total: pagination.total };
}

describe('a query finds', () => {
  const rows: [query: string, names: string[]][] = [
    ['name:*crash*', ['crash-1.png']],
    ['crash', ['Zebra.png', 'crash-1.png']],
    ['player.id:43', ['crash-1.png']],
    ['player.id:(43,7)', ['Voice.wav', 'crash-1.png']],
    ['player.id:<40', ['Voice.wav']],
    ['size:>8000', ['apple.wav', 'Voice.wav']],
    ['-path:*', ['Zebra.png', 'apple.wav']],
    ['path:shots/*', ['crash-1.png']],
    ['type:audio -exempt:true', ['Voice.wav']],
    ['mimeType:image/png width:640', ['Zebra.png', 'crash-1.png']],
    ['duration:>=2', ['Voice.wav']],
    ['ANNA OR sounds', ['Voice.wav', 'crash-1.png']],
    [`id:${ids[1]}`, ['Voice.wav']],
    [`${ids[2]}`, ['apple.wav']],
    ['key:shots/*', ['crash-1.png']],
    ['nothing', []],
    ['*', ['Zebra.png', 'apple.wav', 'Voice.wav', 'crash-1.png']],
    [' ', ['Zebra.png', 'apple.wav', 'Voice.wav', 'crash-1.png']],
  ];
  for (const [query, names] of rows)
    it(`${names.length} by ${query}`, async () => {
      assert.deepEqual(await request({ query }), { names, total: names.length });
    });
});

describe('a list is sorted', () => {
  const rows: [query: Record<string, string>, names: string[]][] = [
    [{ sort: 'name', order: 'asc' }, ['apple.wav', 'crash-1.png', 'Voice.wav', 'Zebra.png']],
    [{ sort: 'name' }, ['Zebra.png', 'Voice.wav', 'crash-1.png', 'apple.wav']],
    [
      { sort: 'duration', order: 'asc', query: 'type:(audio,image)' },
      ['apple.wav', 'Voice.wav', 'crash-1.png', 'Zebra.png'],
    ],
    [{ sort: 'duration' }, ['Voice.wav', 'apple.wav', 'Zebra.png', 'crash-1.png']],
    [{ order: 'asc' }, ['crash-1.png', 'Voice.wav', 'apple.wav', 'Zebra.png']],
    [{ sort: 'size', type: 'audio' }, ['Voice.wav', 'apple.wav']],
    [{ sort: 'name', order: 'asc', path: 'shots' }, ['crash-1.png']],
  ];
  for (const [query, names] of rows)
    it(`by ${JSON.stringify(query)}`, async () => {
      assert.deepEqual(await request(query), { names, total: names.length });
    });

  it('in pages that a cursor continues, which other orders reject', async () => {
    const query = { sort: 'name', order: 'asc', limit: 3 } as const;
    const first = await client.call(contract.listFiles, { query });
    const cursor = first.pagination.nextCursor ?? '';
    const second = await client.call(contract.listFiles, { query: { ...query, cursor } });
    assert.deepEqual(
      second.data.map(({ filename }) => filename),
      ['Zebra.png'],
    );
    assert.equal(second.pagination.nextCursor, null);
    for (const other of [{ cursor }, { cursor, sort: 'size' as const }, { ...query, cursor: `${cursor}x` }])
      assert.equal(await client.refuse(contract.listFiles, { query: other }), '400 cursor_invalid');
  });
});

describe('rejects', () => {
  it('a query that does not parse, with the position of the mistake', async () => {
    const response = await service.fetch(`/api/v3/file?query=${encodeURIComponent('name:a (b')}`, {
      headers: { authorization: mediaToken },
    });
    // The shape of an error; compared below.
    const body = (await response.json()) as { code: string; position: number };
    assert.deepEqual([response.status, body.code, body.position], [400, 'query_invalid', 7]);
    const input = { params: { project: 'default' }, query: { query: 'name:' } };
    assert.equal(await owner.refuse(listProjectFiles, input), '400 query_invalid');
  });
  for (const [query, code] of [
    [{ sort: 'colour' }, '400 invalid_field'],
    [{ order: 'up' }, '400 invalid_field'],
    [{ trash: 'maybe' }, '400 invalid_field'],
    [{ query: 'a', path: '../b' }, '400 path_invalid'],
  ] as const)
    it(`${JSON.stringify(query)}`, async () => {
      // Wrong on purpose.
      assert.equal(await client.refuse(contract.listFiles, { query: query as object }), code);
    });
});

test('a token for a folder finds nothing outside it, by any query', async () => {
  const { token } = await addToken(owner, { kind: 'media', scopes: ['read', 'path:sounds'] });
  const narrow = withToken(service, token);
  for (const query of ['*', 'crash', `id:${ids[0]}`, '-path:sounds OR *']) {
    const { data } = await narrow.call(contract.listFiles, { query: { query } });
    assert.ok(
      data.every(({ path }) => path === 'sounds'),
      query,
    );
  }
});
