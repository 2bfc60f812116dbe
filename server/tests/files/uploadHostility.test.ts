/** Uploads that break off, lie or attack leave nothing behind: no row, blob, staging file or descriptor. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { compose, describeAnswer, talk } from '../support/rawHttp.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import {
  formOf,
  listTraces,
  makePicture,
  mediaEnvironment,
  mediaToken,
  readUsage,
  sendForm,
  uploadFile,
} from '../support/uploading.ts';

const service = await startTestService({
  environment: { ...mediaEnvironment, TAPEDECK_FILE_SIZE_MAX: '2MiB' },
});
after(() => service[Symbol.asyncDispose]());
const picture = Buffer.concat([await makePicture(), randomBytes(300_000)]);
await uploadFile(service, picture);
const before = { usage: await readUsage(service), traces: await listTraces(service) };

/** Polls, since the service notices a closed connection after a moment. */
async function requireNothingLeft(): Promise<void> {
  const timeMsMax = 3000;
  const startedAt = performance.now();
  for (;;) {
    const now = { usage: await readUsage(service), traces: await listTraces(service) };
    try {
      assert.deepEqual(now, before);
      break;
    } catch (error) {
      if (performance.now() - startedAt > timeMsMax) throw error;
    }
    await wait(10);
  }
  // A failed request is the client's problem; an entry here would be a bug of ours.
  assert.deepEqual(
    service.logged.filter(line => /"level":[56]0/.test(line)),
    [],
  );
}
afterEach(requireNothingLeft);

const crlf = '\r\n';
const boundary = 'boundary';
const partHead = (more = 'filename="a.png"') =>
  `--${boundary}${crlf}Content-Disposition: form-data; name="file"; ${more}${crlf}Content-Type: image/png${crlf}${crlf}`;
const form = Buffer.concat([Buffer.from(partHead()), picture, Buffer.from(`${crlf}--${boundary}--${crlf}`)]);
const json = Buffer.from(JSON.stringify({ filename: 'x', base64: picture.toString('base64') }));
const text = Buffer.from(picture.toString('base64'));
const multipart = `multipart/form-data; boundary=${boundary}`;
const forms: [string, string, Buffer, string][] = [
  ['a form', '/api/v3/file', form, multipart],
  ['JSON', '/api/v3/file/base64', json, 'application/json'],
  ['text', '/api/v3/file', text, 'text/plain'],
];

function breakOff(request: string, body: Uint8Array, reset: boolean): Promise<void> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  return new Promise(resolve => {
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
    socket.once('connect', () =>
      socket.write(Buffer.concat([Buffer.from(request), body]), () => {
        if (reset) socket.resetAndDestroy();
        else socket.destroy();
      }),
    );
  });
}

describe('interrupted uploads', () => {
  for (const [name, route, body, type] of forms) {
    for (const share of [0, 0.001, 0.3, 0.999]) {
      for (const length of ['declared', 'chunked']) {
        test(`${name}, ${length}, after ${share * 100} %`, async () => {
          const at = Math.min(body.length - 1, Math.ceil(body.length * share));
          const sent = body.subarray(0, at);
          const isChunked = length === 'chunked';
          const headers = {
            Authorization: mediaToken,
            'Content-Type': type,
            ...(isChunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': body.length }),
          };
          const bytes =
            isChunked && at > 0
              ? Buffer.concat([Buffer.from(`${(at + 10).toString(16)}${crlf}`), sent])
              : sent;
          await breakOff(compose(`POST ${route}`, headers), bytes, share === 0.3);
        });
      }
    }
  }
});

const headers = (length: number, type = multipart) => ({
  Authorization: mediaToken,
  'Content-Type': type,
  'Content-Length': length,
  Connection: 'close',
});
async function sendRaw(body: Uint8Array | string, type = multipart, route = '/api/v3/file'): Promise<string> {
  const bytes = Buffer.from(body);
  const { answers, end } = await talk(service.url, [
    compose(`POST ${route}`, headers(bytes.length, type)),
    bytes,
  ]);
  assert.equal(end, 'closed', 'a response, never a reset');
  return describeAnswer(answers[0]!);
}

const end = `${crlf}--${boundary}--${crlf}`;
const fields = (count: number) =>
  Array.from(
    { length: count },
    (_, index) =>
      `--${boundary}${crlf}Content-Disposition: form-data; name="f${index}"${crlf}${crlf}x${crlf}`,
  ).join('');
const small = (await makePicture()).toString('latin1');
const latin = (body: string) => Buffer.from(body, 'latin1');
const rows: [string, Buffer | string, string, string][] = [
  ['an empty form', '', multipart, '400 multipart_broken'],
  ['no boundary', form, 'multipart/form-data', '400 multipart_broken'],
  ['an empty boundary', form, 'multipart/form-data; boundary=""', '400 multipart_broken'],
  ['another boundary', form, 'multipart/form-data; boundary=other', '400 multipart_broken'],
  ['no end', form.subarray(0, form.length - 20), multipart, '400 multipart_broken'],
  [
    'an endless header',
    `--${boundary}${crlf}Content-Disposition: form-data; name="file"; filename="${'x'.repeat(100_000)}`,
    multipart,
    '400 multipart_broken',
  ],
  ['a thousand fields', latin(`${fields(1000)}${partHead()}${small}${end}`), multipart, '400 bad_request'],
  [
    'two files',
    latin(`${partHead()}${small}${crlf}${partHead()}${small}${end}`),
    multipart,
    '400 bad_request',
  ],
  [
    'a field of a megabyte',
    latin(
      `--${boundary}${crlf}Content-Disposition: form-data; name="metadata"${crlf}${crlf}${'x'.repeat(1_000_000)}${crlf}${partHead()}${small}${end}`,
    ),
    multipart,
    '400 invalid_field',
  ],
  [
    'a name of two kilobytes',
    latin(`${partHead(`filename="${'x'.repeat(2000)}"`)}${small}${end}`),
    multipart,
    '400 invalid_field',
  ],
  ['base64 of nothing', '{"base64":"===="}', 'application/json', '400 base64_invalid'],
  ['endless JSON', '{"base64":"iVBORw0KGgo', 'application/json', '400 invalid_json'],
  [
    'a megabyte of JSON besides the file',
    `{"x":"${'y'.repeat(1_000_000)}","base64":""}`,
    'application/json',
    '413 body_too_large',
  ],
  [
    'two files in JSON',
    `{"base64":"${text.toString()}","base64":"AAAA"}`,
    'application/json',
    '400 invalid_field',
  ],
  ['UTF-16', Buffer.from('\ufeff{"base64":""}', 'utf16le'), 'application/json', '400 invalid_json'],
];
describe('malformed and hostile bodies', () => {
  for (const [title, body, type, expected] of rows) {
    test(`${title}: ${expected}`, async () => {
      const route = type === 'application/json' ? '/api/v3/file/base64' : '/api/v3/file';
      assert.equal(await sendRaw(body, type, route), expected);
    });
  }
  test('a file one byte over its own limit, without Content-Length', async () => {
    const bytes = Buffer.concat([
      Buffer.from(partHead()),
      picture,
      Buffer.alloc(2 * 1024 * 1024),
      Buffer.from(end),
    ]);
    const head = compose('POST /api/v3/file', {
      Authorization: mediaToken,
      'Content-Type': multipart,
      'Transfer-Encoding': 'chunked',
    });
    const chunk = Buffer.concat([
      Buffer.from(`${bytes.length.toString(16)}${crlf}`),
      bytes,
      Buffer.from(`${crlf}0${crlf}${crlf}`),
    ]);
    const { answers } = await talk(service.url, [head, chunk], { answersMax: 1 });
    assert.equal(describeAnswer(answers[0]!), '413 file_too_large');
  });
  test('returns 413 at once if Content-Length exceeds the limit', async () => {
    const length = 3 * 1024 * 1024 + 200;
    const { answers, ms } = await talk(service.url, [compose('POST /api/v3/file', headers(length))], {
      answersMax: 1,
    });
    assert.equal(describeAnswer(answers[0]!), '413 file_too_large');
    assert.ok(ms < 2000);
  });
});

test('returns 408 for a stalled body', async () => {
  await using impatient = await startTestService({
    environment: mediaEnvironment,
    timeouts: { bodyIdleMsMax: 300 },
  });
  for (const [, route, body, type] of forms) {
    const request = [compose(`POST ${route}`, headers(body.length, type)), body.subarray(0, 1000)];
    const { answers } = await talk(impatient.url, request, { answersMax: 1 });
    assert.equal(describeAnswer(answers[0]!), '408 request_timeout');
  }
  for (let turn = 0; turn < 100 && (await listTraces(impatient)).staging.length > 0; turn += 1)
    await wait(10);
  assert.deepEqual(await listTraces(impatient), { blobs: [], staging: [], open: [] });
});

test('does not follow a link planted in the blob directory', async () => {
  await using planted = await startTestService({ environment: mediaEnvironment });
  await using elsewhere = await makeDirectory();
  await mkdir(path.join(planted.dataDir, 'media', 'files'), { recursive: true });
  await symlink(elsewhere.path, path.join(planted.dataDir, 'media', 'files', 'default'));
  assert.equal((await sendForm(planted, formOf(picture))).status, 503);
  assert.deepEqual(await readUsage(planted), { files: 0, bytes: 0 });
  const { staging, open } = await listTraces(planted);
  assert.deepEqual({ staging, open }, { staging: [], open: [] });
});
