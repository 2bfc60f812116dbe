/** Clients that never finish their bodies take a bounded share of the memory; all others are served. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { plainBodyBytesMax } from '../src/http/connection/plainConnections.ts';
import { limits } from '../src/vocabulary.ts';
import { summariseAnswer } from './jsonAnswers.ts';
import { compose, describeAnswer, talk } from './rawHttp.ts';
import { startTestService } from './service.ts';

const token = 'a-logs-token-of-thirty-two-chars';
const service = await startTestService({ environment: { TAPEDECK_LOGS_TOKEN: token } });
after(() => service[Symbol.asyncDispose]());

const headers = { Authorization: token, 'Content-Type': 'application/json' };
const body = '[{"level":"info","message":"small"}]';
const refusedMin = 5;
const waitMsMax = 60_000; // a quarter of a gigabyte is on its way
const composeHead = (bytes: number) => compose('POST /api/v3/logs', { ...headers, 'Content-Length': bytes });

type Unfinished = { socket: Socket; heard(): string };

function begin(bytes: number): Promise<Unfinished> {
  return beginWith([composeHead(bytes), Buffer.alloc(bytes - body.length, ' ')]);
}

async function beginWith(pieces: readonly (string | Buffer)[]): Promise<Unfinished> {
  const socket = connect({ port: Number(new URL(service.url).port) });
  await once(socket, 'connect');
  let heard = '';
  socket.setEncoding('latin1').on('data', text => {
    heard += text;
  });
  socket.on('error', () => {}); // refused in the middle of what it sends
  for (const piece of pieces) socket.write(piece);
  return { socket, heard: () => heard };
}

async function until(isSo: () => boolean, complaint: string): Promise<void> {
  const deadline = performance.now() + waitMsMax;
  while (!isSo()) {
    assert.ok(performance.now() < deadline, complaint);
    await wait(20);
  }
}

const rows: [title: string, bytes: number][] = [
  ['as large as may be', limits.logBatchBytesMax],
  ['that plain connections gather', plainBodyBytesMax],
];
for (const [title, bytes] of rows) {
  test(`beyond a bound bodies ${title} are refused, until those before them are gone`, async () => {
    const count = Math.floor(limits.unfinishedBodiesBytesMax / bytes) + 3 * refusedMin;
    const begun = await Promise.all(Array.from({ length: count }, () => begin(bytes)));
    const answered = () => begun.filter(({ heard }) => heard().includes('\r\n\r\n'));
    await until(() => answered().length >= refusedMin, 'too few are refused');
    const small = await service.fetch('/api/v3/logs', { method: 'POST', headers, body });
    assert.equal(small.status, 200, 'what is small is taken');
    for (const { heard } of answered()) {
      assert.match(heard(), /^HTTP\/1\.1 503 .*\r\nretry-after: [1-9].*"code":"overloaded"/is);
    }
    const blind = await talk(service.url, [composeHead(bytes), body.padStart(bytes)], {
      answersMax: 1,
      readsLast: true,
    });
    assert.deepEqual(blind.answers.map(describeAnswer), ['503 overloaded'], 'no reset before the answer');
    for (const { socket, heard } of begun) if (heard() === '') socket.write(body);
    const isStored = ({ heard }: Unfinished) => heard().startsWith('HTTP/1.1 200 ');
    await until(() => begun.some(isStored), 'nothing of what was being read before is stored');
    for (const { heard } of answered()) assert.match(heard(), /^HTTP\/1\.1 (?:200|503) /);
    for (const { socket } of begun) socket.destroy();
    const again = await talk(service.url, [composeHead(bytes), body.padStart(bytes)], { answersMax: 1 });
    assert.equal(again.answers[0]?.status, 200);
  });
}

const formHeaders = { ...headers, 'Content-Type': 'multipart/form-data; boundary=b' };
const composePart = (name: string, rest = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n\r\n`;
const mebibyte = 1024 * 1024;

test('forms count with what the parser keeps of them, which are their fields and not their files', async () => {
  const formBytes = 9 * mebibyte;
  const head = compose('POST /api/v3/logs/chat', { ...formHeaders, 'Content-Length': 2 * formBytes });
  const count = Math.floor(limits.unfinishedBodiesBytesMax / formBytes) + refusedMin;
  const sendForm = () => beginWith([head, composePart('content'), Buffer.alloc(formBytes, 'a')]);
  const begun = await Promise.all(Array.from({ length: count }, sendForm));
  const answered = () => begun.filter(({ heard }) => heard().includes('\r\n\r\n'));
  await until(() => answered().length > 0, 'none is refused');
  for (const { heard } of answered()) assert.match(heard(), /^HTTP\/1\.1 503 .*"code":"overloaded"/s);
  for (const { socket } of begun) socket.destroy();
  const file = composePart('file', '; filename="big.bin"') + 'a'.repeat(3 * formBytes);
  const form = `${file}\r\n${composePart('content')}said\r\n--b--\r\n`;
  const request = { method: 'POST', headers: formHeaders, body: form };
  const stored = await Promise.all(
    Array.from({ length: 12 }, () => service.fetch('/api/v3/logs/chat', request)),
  );
  assert.deepEqual(new Set(stored.map(({ status }) => status)), new Set([200]), 'files do not count');
});

test('the fields of a form hold no more than another body', async () => {
  const field = `${composePart('content')}${'a'.repeat(6 * mebibyte)}\r\n`;
  const request = { method: 'POST', headers: formHeaders, body: `${field}${field}--b--\r\n` };
  const refused = await service.fetch('/api/v3/logs/chat', request);
  assert.equal(await summariseAnswer(refused), '413 body_too_large');
});
