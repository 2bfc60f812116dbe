/** Metrics by project: entries, uploads and refusals count once each, by whichever route they come. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createPresignedUrl, uploadFile } from '@tapedeck/contract/files';
import { ingestLogs } from '@tapedeck/contract/logs';
import { deleteProject } from '@tapedeck/contract/projects';
import { getMetrics } from '@tapedeck/contract/system';
import { smallPng } from '@tapedeck/media-facts/samples';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { chunkType, locationOf, speakTus } from '../support/resuming.ts';
import { startTestService } from '../support/service.ts';
import { formOf, pathOf } from '../support/uploading.ts';

const service = await startTestService({ environment: { TAPEDECK_FILE_SIZE_MAX: '100KB' } });
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });

type Series = (name: string, labels: string) => number;

async function readSeries(): Promise<Series> {
  const text = await (await service.fetch(getMetrics.path)).text();
  return (name, labels) => {
    const start = `tapedeck_${name}{${labels}} `;
    const line = text.split('\n').find(each => each.startsWith(start));
    return line === undefined ? 0 : Number(line.slice(start.length));
  };
}

/** Returns the project's metrics after some activity. */
async function countWhile(project: string, act: () => Promise<unknown>) {
  const names = ['log_entries_total', 'log_bytes_total', 'uploads_total', 'upload_bytes_total'] as const;
  const before = await readSeries();
  await act();
  const now = await readSeries();
  const [entries, entryBytes, uploads, uploadBytes] = names.map(
    name => now(name, `project="${project}"`) - before(name, `project="${project}"`),
  );
  return { entries, entryBytes, uploads, uploadBytes };
}

async function addTokens(project: string) {
  await addProject(owner, project);
  const [logs, media, webhook] = await Promise.all(
    (['logs', 'media', 'webhook'] as const).map(kind => addToken(owner, { kind, project })),
  );
  return { logs: logs!.token, media: media!.token, webhook: webhook!.token };
}

const harbour = await addTokens('harbour');

type Sent = { body: string | Buffer | FormData; headers?: Record<string, string>; token?: string };

async function post(path: string, { body, headers = {}, token = harbour.logs }: Sent): Promise<Response> {
  const init = { method: 'POST', body: body instanceof Buffer ? new Uint8Array(body) : body };
  const given = token === '' ? {} : { authorization: token };
  return await service.fetch(path, { ...init, headers: { ...given, ...headers } });
}

async function postWell(path: string, sent: Sent): Promise<Response> {
  const response = await post(path, sent);
  assert.ok(response.status < 300, `${path}: ${response.status}`);
  return response;
}

const json = { 'content-type': 'application/json' };
const batch = JSON.stringify([
  { level: 'info', message: 'docked', metadata: { berth: 'seven' } },
  { level: 'warn', message: 'fog', resource: 'tower' },
]);
const batchBytes = 'docked'.length + 'berth'.length + 'seven'.length + 'fog'.length + 'tower'.length;
const loki = JSON.stringify({
  streams: [
    { stream: { app: 'quay' }, values: [[`${Date.now()}000000`, 'one']] },
    { stream: { app: 'pier' }, values: [[`${Date.now()}000000`, 'two']] },
  ],
});
const many = JSON.stringify(
  Array.from({ length: 1000 }, () => ({ level: 'info', message: 'x'.repeat(990) })),
);

describe('counts log entries', () => {
  const rows: [way: string, path: string, Sent, number][] = [
    ['by the fast path', ingestLogs.path, { body: batch, headers: json }, 2],
    [
      'compressed',
      ingestLogs.path,
      { body: gzipSync(batch), headers: { ...json, 'content-encoding': 'gzip' } },
      2,
    ],
    ['with a query', `${ingestLogs.path}?dataset=game`, { body: batch, headers: json }, 2],
    ['a thousand of them', ingestLogs.path, { body: many, headers: json }, 1000],
    ['through an old version', '/api/logs', { body: '{"level":"info","message":"old"}', headers: json }, 1],
    ['as chat', '/api/v3/logs/chat', { body: '{"content":"ahoy"}', headers: json }, 1],
    ['as lines', '/api/v3/logs/lines', { body: 'one\ntwo\nthree\n' }, 3],
    ['of Loki', '/loki/api/v1/push', { body: loki, headers: json }, 2],
    ['of a bulk request for two datasets', '/_bulk', { body: composeBulk(['here', 'there', 'here']) }, 3],
    ['of Splunk', '/services/collector/event', { body: '{"event":"one"}{"event":"two"}' }, 2],
    ['of Datadog', '/api/v2/logs', { body: '[{"message":"one"}]', headers: json }, 1],
  ];
  for (const [way, path, sent, number] of rows) {
    it(way, async () => {
      const counted = await countWhile('harbour', () => postWell(path, sent));
      assert.equal(counted.entries, number);
      assert.ok(counted.entryBytes! > 0);
      assert.equal(counted.uploads, 0);
    });
  }

  it('by the bytes of their text', async () => {
    const counted = await countWhile('harbour', () =>
      postWell(ingestLogs.path, { body: batch, headers: json }),
    );
    assert.ok(counted.entryBytes! >= batchBytes && counted.entryBytes! < batchBytes + 100);
  });

  it('once under an Idempotency-Key', async () => {
    const sent = { body: batch, headers: { ...json, 'idempotency-key': 'tide-table' } };
    const counted = await countWhile('harbour', async () => {
      await postWell(ingestLogs.path, sent);
      await postWell(ingestLogs.path, sent);
    });
    assert.equal(counted.entries, 2);
  });

  it('not when they are rejected', async () => {
    const wrong = '[{"level":"info","message":"fine"},{"level":"loud","message":"not"}]';
    const counted = await countWhile('harbour', () => post(ingestLogs.path, { body: wrong, headers: json }));
    assert.equal(counted.entries, 0);
  });
});

function composeBulk(datasets: readonly string[]): string {
  const lines = datasets.map(_index => `${JSON.stringify({ create: { _index } })}\n{"message":"bulk"}\n`);
  return lines.join('');
}

/** Returns the path of a presigned URL. */
async function presign(): Promise<string> {
  const headers = { authorization: harbour.media };
  const response = await service.fetch(createPresignedUrl.path, { headers });
  const { data } = (await response.json()) as { data: { presignedUrl: string } };
  return pathOf(data.presignedUrl);
}

async function sendByTus(way: { token: string; route?: string }): Promise<void> {
  const tus = speakTus(service, way);
  const at = await tus.begin(smallPng.length, { filename: 'by-and-by.png' });
  const half = smallPng.length >> 1;
  await tus.append(at, 0, smallPng.subarray(0, half));
  assert.equal((await tus.append(at, half, smallPng.subarray(half))).status, 204);
}

async function sendAtOnceByTus(): Promise<void> {
  const headers = { 'content-type': chunkType, 'upload-length': String(smallPng.length) };
  const request = { method: 'POST', at: '/api/v3/file/resumable', headers };
  const response = await speakTus(service, { token: harbour.media }).sendBytes(request, smallPng);
  assert.match(locationOf(response), /resumable/);
}

describe('counts uploads', () => {
  const base64 = JSON.stringify({ base64: smallPng.toString('base64') });
  const form = () => ({ body: formOf(smallPng), token: harbour.media });
  const rows: [way: string, () => Promise<unknown>][] = [
    ['as a form', () => postWell(uploadFile.path, form())],
    ['as base64', () => postWell(`${uploadFile.path}/base64`, { ...form(), body: base64, headers: json })],
    ['through an old version', () => postWell('/api/image', form())],
    ['of Fivemerr', () => postWell('/v1/media/images', form())],
    ['through a presigned URL', async () => postWell(await presign(), { ...form(), token: '' })],
    ['as a resumable upload', () => sendByTus({ token: harbour.media })],
    ['by tus in one request', sendAtOnceByTus],
    [
      'as a resumable upload through a presigned URL',
      async () => sendByTus({ token: '', route: `${await presign()}/resumable` }),
    ],
    ['with a message', () => postWell(`/api/webhooks/1/${harbour.webhook}`, { ...form(), token: '' })],
  ];
  for (const [way, act] of rows) {
    it(way, async () => {
      const { uploads, uploadBytes } = await countWhile('harbour', act);
      assert.deepEqual({ uploads, uploadBytes }, { uploads: 1, uploadBytes: smallPng.length });
    });
  }

  it('not when they are rejected', async () => {
    const counted = await countWhile('harbour', () =>
      post(uploadFile.path, { ...form(), body: formOf(Buffer.from('no picture')) }),
    );
    assert.equal(counted.uploads, 0);
  });
});

describe('counts errors by code', () => {
  const tooLarge = formOf(Buffer.concat([smallPng, Buffer.alloc(200_000)]));
  const wrong = { body: '[{"level":"loud","message":"x"}]', headers: json };
  const rows: [what: string, project: string, code: string, () => Promise<unknown>][] = [
    ['a batch by the fast path', 'harbour', 'invalid_field', () => post(ingestLogs.path, wrong)],
    ['a batch with a query', 'harbour', 'invalid_field', () => post(`${ingestLogs.path}?`, wrong)],
    [
      'of another protocol',
      'harbour',
      'invalid_json',
      () => post('/loki/api/v1/push', { ...wrong, body: '{' }),
    ],
    [
      'a token of another kind',
      'harbour',
      'wrong_token_kind',
      () => post(ingestLogs.path, { ...wrong, token: harbour.media }),
    ],
    [
      'an unknown token',
      '',
      'token_unknown',
      () => post(ingestLogs.path, { ...wrong, token: 'x'.repeat(32) }),
    ],
    [
      'a large file',
      'harbour',
      'file_too_large',
      () => post(uploadFile.path, { body: tooLarge, token: harbour.media }),
    ],
    [
      'a large file through a presigned URL',
      'harbour',
      'file_too_large',
      async () => post(await presign(), { body: tooLarge, token: '' }),
    ],
    ['an unknown file', 'harbour', 'not_found', () => service.fetch('/media/harbour/gone.png')],
    ['an unknown project', '', 'not_found', () => service.fetch('/media/atlantis/gone.png')],
    [
      'a request without a token',
      'harbour',
      'session_missing',
      () => service.fetch('/api/manage/projects/harbour/files'),
    ],
    ['an unknown path', '', 'not_found', () => service.fetch('/nowhere')],
    ['a path that cannot be decoded', '', 'bad_request', () => service.fetch('/api/manage/projects/%ff')],
  ];
  for (const [what, project, code, act] of rows) {
    it(`${what}: ${code}`, async () => {
      const labels = `project="${project}",code="${code}"`;
      const before = await readSeries();
      await act();
      assert.equal((await readSeries())('refusals_total', labels) - before('refusals_total', labels), 1);
    });
  }
});

test('deleting a project removes its series, and invented names create none', async () => {
  const pier = await addTokens('pier');
  await postWell(ingestLogs.path, { body: batch, headers: json, token: pier.logs });
  await post(ingestLogs.path, { body: '{', headers: json, token: pier.logs });
  const read = async () => (await service.fetch(getMetrics.path)).text();
  assert.match(await read(), /^tapedeck_log_entries_total\{project="pier"\} 2$/m);
  await owner.call(deleteProject, { params: { project: 'pier' } });
  await post(ingestLogs.path, { body: batch, headers: json, token: pier.logs });
  await service.fetch('/media/atlantis/gone.png');
  const text = await read();
  assert.doesNotMatch(text, /project="(?:pier|atlantis)"/);
  assert.match(text, /^# TYPE tapedeck_refusals_total counter$/m);
});
