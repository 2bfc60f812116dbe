/** Neither uploads nor request headers block the event loop, whatever their content. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { requireShortHolds } from '../support/eventLoop.ts';
import { fill, fillCounted, nest } from '../support/hostileBodies.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const { token: mediaToken } = await addToken(owner, { kind: 'media' });
const { token: logsToken } = await addToken(owner, { kind: 'logs' });
const upload = '/api/v3/file';
const chat = '/api/v3/logs/chat';
const boundary = 'a-boundary';
const end = `--${boundary}--\r\n`;
const form = { 'content-type': `multipart/form-data; boundary=${boundary}` };
const json = { 'content-type': 'application/json' };
const text = { 'content-type': 'text/plain' };

/** Requires responses without server errors while the event loop keeps turning. */
async function requireAnswer(path: string, init: RequestInit): Promise<void> {
  const authorization = path.includes('/logs') ? logsToken : mediaToken;
  const headers = { authorization, ...init.headers };
  await requireShortHolds(async () => {
    const response = await service.fetch(path, { ...init, headers });
    assert.ok(response.status < 500, `${response.status}: ${await response.text()}`);
  });
}

function part(head: string, content: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="a"${head}\r\n\r\n${content}\r\n`;
}

describe('an upload of', () => {
  const fields = 256 * 1024;
  const file = 4 * 1024 * 1024;
  const picture = '"base64":"iVBORw0KGgo="';
  const rows: [string, Record<string, string>, string][] = [
    ['brackets besides the file', json, nest([`{${picture},"x":`, '}'], fields)],
    ['metadata of empty objects', json, fill([`{${picture},"metadata":{"a":[`, '{},', ']}}'], fields)],
    ['many keys', json, fillCounted(['{', '}'], index => `"k${index}":1`, fields)],
    ['the file again and again', json, fill(['{', '"base64":"",', '}'], file)],
    ['base64 of spaces', json, fill(['{"base64":"', ' ', '"}'], file)],
    ['base64 of escapes', json, fill(['{"base64":"', '\\u0041', '"}'], file)],
    ['padding', text, '='.repeat(file)],
    ['a long data URL', text, `data:${'a'.repeat(900)}${' '.repeat(file)}`],
  ];
  for (const [title, headers, sent] of rows) {
    const body = Buffer.from(sent);
    it(title, () =>
      requireAnswer(`${upload}${headers === json ? '/base64' : ''}`, { method: 'POST', headers, body }),
    );
  }
});

describe('a URL-encoded form of', () => {
  const bytes = 8 * 1024 * 1024;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const rows: [string, string][] = [
    ['a file of escapes', fill(['file=', '%41', ''], bytes)],
    ['a file of percent signs', fill(['file=', '%', ''], bytes)],
    ['empty fields', fill(['', 'a=&', 'file=AAAA'], bytes)],
    ['ampersands', fill(['', '&', 'file=AAAA'], bytes)],
    ['the file again and again', fill(['', 'file=A&', ''], bytes)],
  ];
  for (const [title, sent] of rows) {
    const body = Buffer.from(sent);
    it(title, () => requireAnswer('/v1/media/images', { method: 'POST', headers, body }));
  }
});

describe('a form of', () => {
  const bytes = 2 * 1024 * 1024;
  const rows: [string, string][] = [
    ['empty parts', fill(['', part('', ''), end], bytes)],
    ['empty files', fill(['', part('; filename="x"', ''), end], bytes)],
    ['bare boundaries', fill(['', `--${boundary}\r\n\r\n\r\n`, end], bytes)],
    ['near-boundaries', part('; filename="x"', fill(['', `\r\n--${boundary.slice(1)}`, ''], bytes)) + end],
    ['line ends', part('; filename="x"', fill(['', '\r\n', ''], bytes)) + end],
    ['heads of signs', fill(['', part(';'.repeat(7000), ''), end], bytes)],
    ['heads of spaces', fill(['', part(`${' '.repeat(15_000)}x`, ''), end], bytes)],
    ['heads of lines', fill(['', part(`\r\n${'x: y\r\n'.repeat(2000)}`, ''), end], bytes)],
    ['no boundary at all', '-'.repeat(bytes)],
    [
      'a payload of brackets',
      `--${boundary}\r\nContent-Disposition: form-data; name="payload_json"\r\n\r\n${'['.repeat(bytes)}\r\n${end}`,
    ],
  ];
  for (const path of [upload, chat]) {
    for (const [title, sent] of rows) {
      const body = Buffer.from(sent);
      it(`${title}, at ${path}`, () => requireAnswer(path, { method: 'POST', headers: form, body }));
    }
  }
});

describe('a head whose', () => {
  const bytes = 14_000;
  const runs = ['a', ' ', ';', ',', '"', '\\', 'a=;', 'a, ', '0-0,', 'W/"a", ', ';boundary=', 'x\t '];
  const names = [
    'accept-encoding',
    'content-type',
    'content-encoding',
    'cookie',
    'range',
    'if-none-match',
    'if-range',
    'x-forwarded-for',
    'forwarded',
    'idempotency-key',
    'x-request-id',
    'origin',
    'x-a-dataset',
  ];
  for (const name of names) {
    it(`${name} is long`, async () => {
      for (const run of runs) {
        const headers = { [name]: fill(['x', run, 'x'], bytes) };
        await requireAnswer(`${upload}?limit=1`, { headers });
        await requireAnswer('/media/default/a.png', { headers });
        await requireAnswer('/api/v3/logs', { method: 'POST', body: '[]', headers: { ...json, ...headers } });
      }
    });
  }

  const queries = [
    'level=a,',
    'q=a+',
    'body=%22',
    'metadata.a=b&',
    'metadata.a.a.a=b&',
    '&',
    '%41',
    'q=a*',
    'a=b&',
  ];
  for (const run of queries) {
    it(`query repeats ${run}`, async () => {
      for (const path of [upload, '/api/v3/logs'])
        await requireAnswer(`${path}?${fill(['', run, ''], bytes)}`, {});
      const [name = '', value = ''] = run.split('=');
      for (const path of [upload, '/api/v3/logs'])
        await requireAnswer(`${path}?${name}=${fill(['', value || 'a', ''], bytes)}`, {});
    });
  }
});
