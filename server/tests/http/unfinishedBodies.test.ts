/** Clients that never finish their bodies take a bounded share of memory; all others are served. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { limits } from '@tapedeck/domain/vocabulary';
import { HeldBytes, heldBytesMax } from '@tapedeck/request-bodies';
import { directBodyBytesMax } from '../../src/http/server.ts';
import { summariseAnswer } from '../support/jsonAnswers.ts';
import { compose, describeAnswer, talk } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';

const token = 'a-logs-token-of-thirty-two-chars';
const service = await startTestService({ environment: { TAPEDECK_LOGS_TOKEN: token } });
after(() => service[Symbol.asyncDispose]());

const headers = { Authorization: token, 'Content-Type': 'application/json' };
const body = '[{"level":"info","message":"small"}]';
const refusedMin = 5;
const slowBodyMs = 10_000; // a body that stalls for less is not slow
const waitMsMax = 60_000; // an eighth of a gigabyte is on its way
const composeHead = (bytes: number) => compose('POST /api/v3/logs', { ...headers, 'Content-Length': bytes });

/** `tookMs` counts from begin to response; NaN without a response. */
type Unfinished = { socket: Socket; heard(): string; tookMs(): number };

/** Resolves when its bytes are sent, or when the service responds. */
async function begin(bytes: number): Promise<Unfinished> {
  const socket = connect({ port: Number(new URL(service.url).port) });
  await once(socket, 'connect');
  const begunAt = performance.now();
  let [heard, tookMs] = ['', Number.NaN];
  const answered = new Promise<void>(resolve => {
    socket.setEncoding('latin1').on('data', text => {
      if (heard === '') tookMs = performance.now() - begunAt;
      heard += text;
      resolve();
    });
  });
  socket.on('error', () => {}); // the service refuses it midway
  socket.write(composeHead(bytes));
  const written = new Promise(resolve => socket.write(Buffer.alloc(bytes - body.length, ' '), resolve));
  await Promise.race([written, answered]);
  return { socket, heard: () => heard, tookMs: () => tookMs };
}

const isRefused = ({ heard }: Unfinished) =>
  /^HTTP\/1\.1 503 .*\r\nretry-after: [1-9].*"code":"overloaded"/is.test(heard());
const isStored = ({ heard }: Unfinished) => heard().startsWith('HTTP/1.1 200 ');
/** On a slow machine the first bodies may have stalled so long that they give way to the last ones. */
const hasGivenWay = ({ heard, tookMs }: Unfinished) =>
  tookMs() >= slowBodyMs && /^HTTP\/1\.1 408 .*"code":"request_timeout"/is.test(heard());

/** Begins a few at a time until enough are refused, and at most as many more as there is room for. */
async function beginUntilRefused(bytes: number, begun: Unfinished[]): Promise<void> {
  const countMax = Math.floor(heldBytesMax / 2 / bytes) + 3 * refusedMin;
  const deadline = performance.now() + waitMsMax;
  while (begun.filter(isRefused).length < refusedMin) {
    assert.ok(performance.now() < deadline, 'too few are rejected');
    const left = countMax - begun.filter(each => !hasGivenWay(each)).length;
    if (left <= 0) await wait(20);
    const few = Array.from({ length: Math.min(left, refusedMin) }, () => begin(bytes));
    begun.push(...(await Promise.all(few)));
  }
}

async function until(isSo: () => boolean, complaint: string): Promise<void> {
  const deadline = performance.now() + waitMsMax;
  while (!isSo()) {
    assert.ok(performance.now() < deadline, complaint);
    await wait(20);
  }
}

const rows: [title: string, bytes: number][] = [
  ['of the maximum size', limits.logBatchBytesMax],
  ['buffered by the fast path', directBodyBytesMax],
];
for (const [title, bytes] of rows) {
  test(`beyond a limit, rejects bodies ${title} until earlier ones are done`, async () => {
    const begun: Unfinished[] = [];
    const endAll = () => begun.forEach(({ socket }) => void socket.destroy());
    using ends = new DisposableStack();
    ends.defer(endAll);
    await beginUntilRefused(bytes, begun);
    const small = await service.fetch('/api/v3/logs', { method: 'POST', headers, body });
    assert.equal(small.status, 200, 'small bodies are accepted');
    const answered = () => begun.filter(({ heard }) => heard().includes('\r\n\r\n'));
    const others = answered().filter(each => !isRefused(each) && !hasGivenWay(each));
    assert.deepEqual(
      others.map(({ heard }) => heard()),
      [],
    );
    for (const { socket, heard } of begun) if (heard() === '') socket.write(body);
    await until(() => begun.some(isStored), 'no body that was being read is stored');
    for (const each of answered()) {
      const isRight = isStored(each) || hasGivenWay(each) || each.heard().startsWith('HTTP/1.1 503 ');
      assert.ok(isRight, each.heard());
    }
    endAll();
    const again = await talk(service.url, [composeHead(bytes), body.padStart(bytes)], { answersMax: 1 });
    assert.equal(again.answers[0]?.status, 200);
  });
}

/** Takes all but `bytes` of the project's share. */
function leaveRoom(bytes: number): Disposable {
  const held = new HeldBytes('default');
  assert.ok(held.add(heldBytesMax / 2 - bytes));
  return { [Symbol.dispose]: () => held.release() };
}

for (const [title, bytes] of rows) {
  for (const route of ['/api/v3/logs', '/api/v3/logs?dataset=other']) {
    test(`${route}: rejects bodies ${title} without a reset, even when the sender reads last`, async () => {
      using _others = leaveRoom(bytes / 2);
      const head = compose(`POST ${route}`, { ...headers, 'Content-Length': bytes });
      const parts = [head, body.padStart(bytes)];
      const { answers } = await talk(service.url, parts, { answersMax: 1, readsLast: true });
      assert.deepEqual(answers.map(describeAnswer), ['503 overloaded']);
    });
  }
}

const mebibyte = 1024 * 1024;
const composePart = (name: string, rest: string, bytes: number) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"${rest}\r\n\r\n${'a'.repeat(bytes)}\r\n`;
const field = (bytes: number) => composePart('content', '', bytes);
const file = (bytes: number) => composePart('file', '; filename="big.bin"', bytes);

const forms: [title: string, roomBytes: number, form: string, answer: string][] = [
  ['a field as large as the budget', 4 * mebibyte, field(3 * mebibyte), '200'],
  ['a field larger than the budget', 4 * mebibyte, field(5 * mebibyte), '503 overloaded'],
  ['a file larger than the budget', 4 * mebibyte, file(20 * mebibyte) + field(4), '200'],
  [
    'more in its fields than another body',
    64 * mebibyte,
    field(6 * mebibyte).repeat(2),
    '413 body_too_large',
  ],
];
for (const [title, roomBytes, form, answer] of forms) {
  test(`a form holds what the parser buffers: ${title}`, async () => {
    using _others = leaveRoom(roomBytes);
    const type = 'multipart/form-data; boundary=b';
    const request = {
      method: 'POST',
      headers: { ...headers, 'Content-Type': type },
      body: `${form}--b--\r\n`,
    };
    assert.equal(await summariseAnswer(await service.fetch('/api/v3/logs/chat', request)), answer);
  });
}
