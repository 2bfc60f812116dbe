/** If a log request has several faults, every route and both servers report the same one. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { limits } from '@tapedeck/domain/vocabulary';
import { sendEveryWay } from '../support/intakeMethods.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const { token } = await addToken(owner, { kind: 'logs' });
const { token: mediaToken } = await addToken(owner, { kind: 'media' });
const { token: narrowToken } = await addToken(owner, { kind: 'logs', scopes: ['write', 'dataset:mine'] });

const tooLarge = Buffer.alloc(limits.logBatchBytesMax + 1, ' ');

/** The first row has every fault; each row fixes the fault that the row before was refused for. */
const rows: [title: string, changes: Record<string, string>, status: number, says: RegExp][] = [
  [
    'an unknown token',
    {
      authorization: 'nobody',
      'x-service-dataset': 'theirs',
      'content-type': 'image/png',
      'content-encoding': 'lzma',
    },
    401,
    /token/,
  ],
  ['a token of another kind', { authorization: mediaToken }, 403, /logs/],
  ['a token for another dataset', { authorization: narrowToken }, 403, /theirs/],
  ['an oversized body', { authorization: token, 'x-service-dataset': 'no spaces' }, 413, /at most/],
];
const steps = rows.map(([title, , status, says], index) => {
  const headers: Record<string, string> = Object.assign({}, ...rows.slice(0, index + 1).map(row => row[1]));
  return { title, headers, status, says };
});
const { headers: named } = steps.at(-1)!;
const json = { 'content-type': 'application/json', 'content-encoding': 'identity' };
const bodies: [title: string, body: Buffer, headers: Record<string, string>, status: number, says: RegExp][] =
  [
    ['an image', Buffer.from('no JSON'), {}, 415, /application\/json/],
    [
      'an unknown encoding',
      Buffer.from('no JSON'),
      { 'content-type': 'application/json' },
      415,
      /Content-Encoding/,
    ],
    [
      'an oversized compressed body',
      gzipSync(tooLarge),
      { ...json, 'content-encoding': 'gzip' },
      413,
      /decoded/,
    ],
    ['a bad dataset', Buffer.from('no JSON'), json, 400, /dataset/],
    ['no JSON', Buffer.from('no JSON'), { ...json, 'x-service-dataset': 'default' }, 400, /JSON/],
  ];

describe('every path rejects', () => {
  for (const { title, headers, status, says } of steps) {
    test(`${title}: ${status}`, async () => {
      const answer = await sendEveryWay(service.url, { headers, body: tooLarge });
      assert.equal(answer.status, status, answer.body);
      assert.match(answer.body, says);
    });
  }
  for (const [title, body, changes, status, says] of bodies) {
    test(`${title}: ${status}`, async () => {
      const answer = await sendEveryWay(service.url, { headers: { ...named, ...changes }, body });
      assert.equal(answer.status, status, answer.body);
      assert.match(answer.body, says);
    });
  }
});

describe('the chat route rejects', () => {
  const all = [
    ...steps.map(step => ({ ...step, body: tooLarge })),
    ...bodies.map(([title, body, changes, status, says]) => {
      return { title, headers: { ...named, ...changes }, status, says, body };
    }),
  ];
  for (const { title, headers, status, says, body } of all) {
    test(`${title}: ${status}`, async () => {
      const response = await service.fetch('/api/v3/logs/chat', { method: 'POST', headers, body });
      const answer = await response.text();
      assert.equal(response.status, status, answer);
      assert.match(answer, says);
    });
  }
});

test('the oldest routes check the size before the encoding, and accept a bad dataset', async () => {
  const send = async (headers: Record<string, string>, body: string | Buffer) => {
    const sent = { method: 'POST', headers: { authorization: token, ...headers }, body };
    return (await service.fetch('/api/logs', sent)).status;
  };
  const dataset = { 'x-service-dataset': 'no spaces' };
  assert.equal(await send({ ...dataset, 'content-encoding': 'lzma' }, tooLarge), 413);
  assert.equal(await send({ ...dataset, 'content-encoding': 'lzma' }, '{}'), 415);
  assert.equal(await send(dataset, '{"level":"info","message":"m"}'), 200);
});
