/** Batches that an earlier run may have sent: resent while the service keeps their keys, whatever the clock showed. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { ImportState } from './importState.ts';
import { sendPending } from './pendingBatch.ts';
import { Remote } from './remote.ts';

const hourMs = 3_600_000;
const keys: unknown[] = [];
const service = createServer((request, response) => {
  keys.push(request.headers['idempotency-key']);
  request.resume();
  response.setHeader('content-type', 'application/json').end('{}');
});
let folder = '';

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tapedeck-pending-'));
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
});
after(async () => {
  service.close();
  await rm(folder, { recursive: true });
});

for (const [title, ageHours, isSent] of [
  ['of an hour ago', 1, true],
  ['of a day ago, whose key is gone', 24, false],
  ['of a clock that was an hour ahead', -1, true],
  ['of a clock that was a year ahead, whose age nobody knows', -8_760, false],
] as const) {
  test(`${isSent ? 'resends' : 'drops'} a batch ${title}`, async () => {
    using state = await ImportState.open(folder, [title], undefined);
    const batch = { path: '/api/v3/logs', query: {}, type: 'application/json', body: '[]' };
    await state.write('pending.json', { ...batch, key: title, at: Date.now() - ageHours * hourMs });
    const { port } = service.address() as AddressInfo; // it listens on a port
    const patience = { requestTimeoutMs: 5_000, retryForMs: 0 };
    const remote = new Remote({ baseUrl: `http://127.0.0.1:${port}`, token: 'token' }, patience);
    await sendPending(remote, state, true);
    assert.equal(keys.includes(title), isSent);
    assert.equal(await state.read('pending.json'), null);
  });
}
