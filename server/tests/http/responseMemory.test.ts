/** Clients that do not read their long answers: a project keeps a bounded part of the memory, and leaves others theirs. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { heldResponsesBytesMax } from '../../src/http/responseMemory.ts';
import { summariseAnswer } from '../support/jsonAnswers.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { compose } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const { token } = await addToken(owner, { kind: 'logs' });
const { token: other } = await addToken(owner, { kind: 'logs', project: await addProject(owner, 'other') });

const entries = 100;
const batchEntries = 10;
const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, key) => [`k${key}`, 'x'.repeat(16_000)]));
const pageBytesMin = entries * 16 * 16_000; // more than the system buffers for a connection
const heldPageBytes = 8 * 1024 * 1024; // of a page in parts
const waitMsMax = 30_000;

const page = '/api/v3/logs?limit=100';
const lines = '/loki/api/v1/query_range?query=%7Bdataset%3D%22default%22%7D&limit=100';
/** `another`: an answer that has no room then. */
const rows: readonly [name: string, path: string, answersMax: number, another: string][] = [
  ['pages of entries', page, heldResponsesBytesMax / 2 / heldPageBytes, lines],
  ['lines for Grafana', lines, heldResponsesBytesMax / 2 / pageBytesMin, page],
];

before(async () => {
  for (const authorization of [token, other]) {
    for (let batch = 0; batch < entries / batchEntries; batch++) {
      const items = Array.from({ length: batchEntries }, (_, index) => ({
        level: 'info',
        message: 'm',
        metadata: { ...metadata, n: batch * batchEntries + index }, // so that each is a separate stream
      }));
      const headers = { authorization, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(items) };
      assert.equal((await service.fetch('/api/v3/logs', init)).status, 200);
    }
  }
});

/** Reads only the beginning of the answer. */
async function begin(path: string): Promise<{ socket: Socket; status: number }> {
  const socket = connect({ port: Number(new URL(service.url).port) });
  socket.on('error', () => {});
  socket.write(compose(`GET ${path}`, { Authorization: token }));
  await once(socket, 'readable');
  return { socket, status: Number(String(socket.read(12)).slice(-3)) };
}

async function read(path: string, authorization: string): Promise<number> {
  const response = await service.fetch(path, { headers: { authorization } });
  await response.arrayBuffer();
  return response.status;
}

for (const [name, path, answersMax, another] of rows) {
  describe(`${name} that nobody reads`, () => {
    const begun: Socket[] = [];
    after(() => begun.forEach(socket => void socket.destroy()));

    it('are refused once they take half of the memory for answers', async () => {
      for (let status = 200; status === 200; ) {
        const next = await begin(path);
        status = next.status;
        if (status === 200) begun.push(next.socket);
        else {
          next.socket.destroy();
          assert.equal(status, 503);
        }
        assert.ok(begun.length <= answersMax, `${begun.length} of at most ${answersMax} are held`);
      }
      assert.ok(begun.length >= answersMax / 2, `only ${begun.length} are held`);
    });

    it('say when to try again', async () => {
      const response = await service.fetch(path, { headers: { authorization: token } });
      assert.equal(response.headers.get('retry-after'), '5');
      if (path === page) assert.equal(await summariseAnswer(response), '503 overloaded');
      else assert.match(await response.text(), /^Too many long answers /);
    });

    it('leave no room for other long answers of the project', async () => {
      assert.equal(await read(another, token), 503);
    });

    it('leave the project its short answers, and other projects all of theirs', async () => {
      assert.equal(await read('/api/v3/logs?limit=1', token), 200);
      assert.equal(await read(path, other), 200);
    });

    it('leave their room when the clients go', async () => {
      for (const socket of begun) socket.destroy();
      const deadline = performance.now() + waitMsMax;
      while ((await read(path, token)) !== 200) {
        assert.ok(performance.now() < deadline, 'there is still no room');
        await wait(50);
      }
    });
  });
}
