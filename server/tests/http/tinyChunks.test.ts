/** Bodies in chunks of one byte: no number of them blocks the event loop longer than CONTRACT.md, 14, allows. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { smallPng } from '@tapedeck/media-facts/samples';
import { requireShortHolds } from '../support/eventLoop.ts';
import { addPerson, addToken } from '../support/people.ts';
import { compose, talk } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const { token: logs } = await addToken(owner, { kind: 'logs' });
const { token: media } = await addToken(owner, { kind: 'media' });

const chunks = 400_000; // some megabytes on the wire
const blanks = ' '.repeat(chunks);
const picture = Buffer.concat([smallPng, Buffer.from(blanks)]);
const partHead = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
const form = Buffer.concat([Buffer.from(partHead), picture, Buffer.from('\r\n--b--\r\n')]);
const json = 'application/json';
const text = (words: string) => Buffer.from(words);

type Row = readonly [path: string, token: string, type: string, body: Buffer, status: number];
const rows: readonly Row[] = [
  ['/api/v3/logs', logs, json, text(`[{"level":"info","message":"m"}${blanks}]`), 200],
  ['/api/v3/logs/chat', logs, json, text(`{"content":"m"${blanks}}`), 200],
  ['/api/v3/file', media, 'multipart/form-data; boundary=b', form, 200],
  ['/api/v3/file', media, 'image/png', picture, 200],
  ['/api/v3/file', media, 'text/plain', text(blanks), 415],
  ['/api/v3/logs/nowhere', logs, 'text/plain', text(blanks), 405],
];
for (const [path, token, type, body, status] of rows) {
  const headers = { Authorization: token, 'Content-Type': type, 'Transfer-Encoding': 'chunked' };
  const head = compose(`POST ${path}`, headers);
  const bytes = divide(body);
  it(`${type} for ${path}: ${status}`, () =>
    requireShortHolds(async () => {
      const { answers } = await talk(service.url, [head, bytes], { answersMax: 1, timeMsMax: 30_000 });
      assert.equal(answers[0]?.status, status, `${answers[0]?.body}`);
    }));
}

it('chunks of one byte arrive in order, with larger ones between them', async () => {
  const message = Array.from({ length: 3_000 }, (_, index) => `${index},`).join('');
  const body = Buffer.from(JSON.stringify([{ level: 'info', message }]));
  const lengths = (at: number) => (at % 700 === 0 ? 1_500 : (at % 3) + 1);
  const headers = { Authorization: logs, 'Content-Type': json, 'Transfer-Encoding': 'chunked' };
  const parts = [compose('POST /api/v3/logs?dataset=order', headers), divide(body, lengths)];
  const { answers } = await talk(service.url, parts, { answersMax: 1 });
  assert.equal(answers[0]?.status, 200, `${answers[0]?.body}`);
  const found = await service.fetch('/api/v3/logs?dataset=order', { headers: { authorization: logs } });
  // As documented.
  const { data } = (await found.json()) as { data: { body: string }[] };
  assert.equal(data[0]?.body, message);
});

/** Writes the bytes as HTTP chunks. */
function divide(bytes: Buffer, lengths: (at: number) => number = () => 1): Buffer {
  const parts: (Buffer | string)[] = [];
  for (let at = 0, count = 0; at < bytes.length; count++) {
    const chunk = bytes.subarray(at, at + lengths(count));
    parts.push(`${chunk.length.toString(16)}\r\n`, chunk, '\r\n');
    at += chunk.length;
  }
  return Buffer.concat([...parts, '0\r\n\r\n'].map(part => Buffer.from(part)));
}
