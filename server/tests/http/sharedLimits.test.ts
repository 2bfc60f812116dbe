/** A project at its limits leaves other projects their share of memory for bodies, exports and password checks. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { signIn } from '@tapedeck/contract/accounts';
import { openPasswords } from '@tapedeck/domain/identity/passwords';
import { HeldBytes, heldBytesMax, slowBodyBytesPerSecondMin } from '@tapedeck/request-bodies';
import { directBodyBytesMax } from '../../src/http/server.ts';
import { makeClient } from '../support/client.ts';
import { openLogClient } from '../support/logSender.ts';
import { addPerson, addProject, addToken, password } from '../support/people.ts';
import { compose, describeAnswer, talk } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService({ passwords: openPasswords() }); // hashes as slowly as in production
after(() => service[Symbol.asyncDispose]());
const { owner, token: crowd, store } = await openLogClient(service);
const { token: other } = await addToken(owner, {
  kind: 'logs',
  project: await addProject(owner, 'other'),
});

const mebibyte = 1024 * 1024;
const waitMsMax = 60_000;
const large = { bytes: 7 * mebibyte, missingBytes: mebibyte, query: '' };
const largeBytes = 8 * mebibyte;

function composeHead(token: string, bytes: number, query = ''): string {
  return compose(`POST /api/v3/logs${query}`, {
    Authorization: token,
    'Content-Type': 'application/json',
    'Content-Length': bytes,
  });
}

/** Sends a large batch in one piece. */
async function sendBatch(token: string): Promise<string> {
  const body = Buffer.alloc(largeBytes, ' ');
  body.write('[{"level":"info","message":"large"}]');
  const { answers } = await talk(service.url, [composeHead(token, largeBytes), body], {
    answersMax: 1,
    timeMsMax: waitMsMax,
  });
  return answers[0] === undefined ? 'nothing' : describeAnswer(answers[0]);
}

type Way = { bytes: number; missingBytes: number; query: string };
type Slow = { socket: Socket; heard(): string };

/** Sends most of a body, then a byte now and then. Resolves when the service has most of it, or has refused it. */
async function beginSlowly(token: string, { bytes, missingBytes, query }: Way): Promise<Slow> {
  const socket = connect({ port: Number(new URL(service.url).port) });
  await once(socket, 'connect');
  let heard = '';
  socket.setEncoding('latin1').on('data', text => {
    heard += text;
  });
  socket.on('error', () => {}); // the service refuses it midway
  socket.write(composeHead(token, bytes + missingBytes, query));
  const sent = Promise.withResolvers<void>();
  socket.write(Buffer.alloc(bytes, ' '), () => sent.resolve());
  const timer = setInterval(() => socket.write(' '), 500);
  socket.once('close', () => clearInterval(timer));
  await Promise.race([sent.promise, once(socket, 'data'), once(socket, 'close')]);
  return { socket, heard: () => heard };
}

const isAnswered = ({ heard }: Slow) => heard() !== '';

/** Begins requests in sequence until the service refuses one. */
async function beginMany(token: string, way: Way): Promise<Slow[]> {
  const begun: Slow[] = [];
  const countMax = heldBytesMax / way.bytes;
  while (!begun.some(isAnswered)) {
    assert.ok(begun.length < countMax, 'one project may use the whole limit');
    begun.push(await beginSlowly(token, way));
  }
  return begun;
}

test("slow bodies of one project leave room for another's, and make way for its own", async () => {
  const slow = await beginMany(crowd, large);
  assert.equal(await sendBatch(other), '200');
  const deadline = performance.now() + waitMsMax;
  for (let answer = '503 overloaded'; answer !== '200'; answer = await sendBatch(crowd)) {
    assert.ok(performance.now() < deadline, 'slow bodies do not make way');
    assert.equal(answer, '503 overloaded');
    assert.equal(await sendBatch(other), '200');
  }
  for (const { heard } of slow) assert.match(heard(), /^(?:$|HTTP\/1\.1 (?:408|503) )/);
  for (const { socket } of slow) socket.destroy();
});

/** Takes all but `bytes` of the project's share, once the bodies of earlier tests are gone. */
async function leaveRoom(bytes: number): Promise<Disposable> {
  const deadline = performance.now() + waitMsMax;
  for (;;) {
    const held = new HeldBytes('default');
    if (held.add(heldBytesMax / 2 - bytes)) return { [Symbol.dispose]: () => held.release() };
    held.release();
    assert.ok(performance.now() < deadline, 'bodies of closed connections are still held');
    await wait(20);
  }
}

const ways: [title: string, way: Way][] = [
  ['read by Node.js', { bytes: mebibyte, missingBytes: mebibyte, query: '' }],
  ['through the router', { bytes: mebibyte, missingBytes: mebibyte, query: '?dataset=slow' }],
  ['of the fast path', { bytes: directBodyBytesMax - 1024, missingBytes: 1024, query: '' }],
];

test('slow bodies end with 408 when others wait', async () => {
  using _others = await leaveRoom(7 * mebibyte);
  const begun = await Promise.all(ways.map(([, way]) => beginSlowly(crowd, way)));
  assert.equal(await sendBatch(crowd), '503 overloaded');
  const deadline = performance.now() + waitMsMax;
  for (const [index, slow] of begun.entries()) {
    while (!isAnswered(slow)) {
      assert.ok(performance.now() < deadline, `${ways[index]![0]}: it does not make way`);
      await wait(50);
    }
    assert.match(slow.heard(), /^HTTP\/1\.1 408 .*"code":"request_timeout"/s, ways[index]![0]);
    slow.socket.destroy();
  }
});

test('bodies that are fast enough, and slow ones of a project with room, do not make way', async () => {
  using _others = await leaveRoom(7 * mebibyte);
  const way = { bytes: mebibyte, missingBytes: 8 * mebibyte, query: '' };
  const [slow, quick] = await Promise.all([beginSlowly(crowd, way), beginSlowly(crowd, way)]);
  const elsewhere = await beginSlowly(other, way);
  const pieceBytes = slowBodyBytesPerSecondMin;
  const timer = setInterval(() => quick.socket.write(Buffer.alloc(pieceBytes, ' ')), 500);
  assert.equal(await sendBatch(crowd), '503 overloaded');
  const deadline = performance.now() + waitMsMax;
  while (!isAnswered(slow)) {
    assert.ok(performance.now() < deadline, 'it does not make way');
    await wait(50);
  }
  clearInterval(timer);
  assert.deepEqual([quick.heard(), elsewhere.heard()], ['', '']);
  for (const { socket } of [slow, quick, elsewhere]) socket.destroy();
});

test("unread exports of one project do not block another's", async () => {
  const text = 'x'.repeat(60_000);
  for (let batch = 0; batch < 4; batch += 1) {
    await store(
      Array.from({ length: 150 }, () => ({ level: 'info', message: text })),
      'unread',
    );
  }
  const { port } = new URL(service.url);
  const unread = Array.from({ length: 12 }, () => {
    const socket = connect({ port: Number(port) }).on('error', () => {});
    socket.write(compose('GET /api/v3/logs/export?dataset=unread', { Authorization: crowd }));
    return socket;
  });
  const first = await Promise.any(unread.map(socket => once(socket, 'readable').then(() => socket)));
  assert.ok(!first.destroyed);
  await store([{ level: 'info', message: 'mine' }], 'default', { authorization: other });
  for (let round = 0; round < 3; round += 1) {
    const response = await service.fetch('/api/v3/logs/export', {
      headers: { authorization: other },
      signal: AbortSignal.timeout(15_000),
    });
    assert.equal(response.status, 200);
    assert.match(await response.text(), /"mine"/);
  }
  for (const socket of unread) socket.destroy();
});

test('sixty concurrent attempts from forged addresses of one /64 lock nobody out', async () => {
  const person = await addPerson(service);
  const forged = Array.from({ length: 60 }, (_, index) =>
    makeClient(service).send(signIn, {
      body: { email: `nobody${index}@example.org`, password: 'wrong password' },
      headers: { 'x-forwarded-for': `2001:db8:0:1::${index.toString(16)}` },
    }),
  );
  const mine = await makeClient(service).send(signIn, {
    body: { email: person.email, password },
    headers: { 'x-forwarded-for': '2001:db8:0:2::1' },
  });
  assert.equal(mine.status, 200);
  const statuses = (await Promise.all(forged)).map(({ status }) => status);
  assert.deepEqual([...new Set(statuses)].sort(), [401, 429]);
});
