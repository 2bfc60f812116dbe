/** Clients that never finish their bodies take a bounded share of the memory; all others are served. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { plainBodyBytesMax } from '../src/http/connection/plainConnections.ts';
import { limits } from '../src/vocabulary.ts';
import { compose, talk } from './rawHttp.ts';
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

async function begin(bytes: number): Promise<Unfinished> {
  const socket = connect({ port: Number(new URL(service.url).port) });
  await once(socket, 'connect');
  let heard = '';
  socket.setEncoding('latin1').on('data', text => {
    heard += text;
  });
  socket.on('error', () => {}); // refused in the middle of what it sends
  socket.write(composeHead(bytes));
  socket.write(Buffer.alloc(bytes - body.length, ' '));
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
    for (const { socket, heard } of begun) if (heard() === '') socket.write(body);
    const isStored = ({ heard }: Unfinished) => heard().startsWith('HTTP/1.1 200 ');
    await until(() => begun.some(isStored), 'nothing of what was being read before is stored');
    for (const { heard } of answered()) assert.match(heard(), /^HTTP\/1\.1 (?:200|503) /);
    for (const { socket } of begun) socket.destroy();
    const again = await talk(service.url, [composeHead(bytes), body.padStart(bytes)], { answersMax: 1 });
    assert.equal(again.answers[0]?.status, 200);
  });
}
