/** Tests that entries arrive even if programs end or are killed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startTestService } from '../../server/tests/support/service.ts';
import { Tapedeck } from '../src/kit/node.ts';
import { startRelay } from './relay.ts';

const token = 'logs-token-of-the-tests-012345678';
const service = await startTestService({ environment: { TAPEDECK_LOGS_TOKEN: token } });
const relay = await startRelay(service.url);
const spool = await mkdtemp(join(tmpdir(), 'tapedeck-spool-'));
after(async () => {
  await relay[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  await rm(spool, { recursive: true });
});
const program = join(import.meta.dirname, 'program.ts');

function start(settings: object) {
  const child = spawn(process.execPath, [program, JSON.stringify({ url: relay.url, token, ...settings })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  return { child, written: Promise.race([once(child.stdout, 'data'), ended]), ended };
}

async function countEntries(dataset: string): Promise<number> {
  const query = `/api/v3/logs?dataset=${dataset}&includeTotal=true&limit=1`;
  const response = await service.fetch(query, { headers: { authorization: token } });
  // CONTRACT.md, 4.2: a page of entries.
  const { pagination } = (await response.json()) as { pagination: { total: number } };
  return pagination.total;
}

async function listSpooled(): Promise<string[]> {
  const names = await readdir(spool, { recursive: true });
  return names.filter(name => name.includes('/'));
}

test('a program that exits normally sends queued entries', async () => {
  relay.behave(() => 'pass');
  const { ended } = start({ count: 1500, dataset: 'natural' });
  assert.deepEqual(await ended, [0, null]);
  assert.equal(await countEntries('natural'), 1500);
});

test('a service that is silent holds the end of a program no longer than exitTimeoutMs', async () => {
  relay.behave(() => 'silence');
  const { written, ended } = start({ count: 1500, dataset: 'silent', exitTimeoutMs: 1000 });
  await written;
  const startedAt = performance.now();
  assert.deepEqual(await ended, [0, null]);
  assert.ok(performance.now() - startedAt < 8000, `it took ${performance.now() - startedAt} ms`);
});

test('spooled entries survive kill -9 and are sent once by the next process', async () => {
  relay.behave(() => ({ status: 503 }));
  const settings = { count: 2500, dataset: 'spooled', spool, ending: 'wait' };
  const { child, written, ended } = start(settings);
  await written;
  child.kill('SIGKILL');
  await ended;
  const files = await listSpooled();
  assert.equal(files.length, 3); // two full batches and an open one
  for (const file of files) {
    assert.equal((await stat(join(spool, file))).mode & 0o777, 0o600);
    assert.ok(!(await readFile(join(spool, file), 'utf8')).includes(token));
  }
  // Its response is lost, so another process sends the batch again. The key must be the same.
  relay.passed.length = 0;
  relay.behave((_, number) => (number === 1 ? 'lose' : 'break'));
  const second = start({ ...settings, count: 0 });
  await waitForRequests(2);
  second.child.kill('SIGKILL');
  await second.ended;
  relay.behave(() => 'pass');
  const tapedeck = new Tapedeck({ url: relay.url, token, logs: { spool } });
  assert.ok(await tapedeck.close());
  assert.equal(await countEntries('spooled'), 2500);
  assert.deepEqual(await listSpooled(), []);
});

/** The relay has no events; a sender's next request comes within a second. */
async function waitForRequests(count: number): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (relay.passed.length < count && performance.now() < deadline)
    await new Promise(resolve => setTimeout(resolve, 20));
}

test('two processes share one spool', async () => {
  relay.behave(() => 'pass');
  const both = [
    start({ count: 1200, dataset: 'shared', spool }),
    start({ count: 1300, dataset: 'shared', spool }),
  ];
  for (const { ended } of both) assert.deepEqual(await ended, [0, null]);
  assert.equal(await countEntries('shared'), 2500);
  assert.deepEqual(await listSpooled(), []);
});

test('a spool keeps entries when the token is refused, and is bounded', async () => {
  relay.behave(() => ({ status: 401 }));
  const logs = { spool, dataset: 'refused', spoolBytesMax: 10_000 };
  const refused = new Tapedeck({ url: relay.url, token, logs });
  for (let index = 0; index < 200; index++) refused.logs.write({ level: 'info', message: `entry ${index}` });
  assert.equal(await refused.close(), false);
  const { queued, dropped } = refused.logs.stats();
  assert.ok(dropped > 0 && queued > 50 && queued + dropped === 200, `${queued} queued, ${dropped} dropped`);
  relay.behave(() => 'pass');
  const { ended } = start({ count: 0, spool }); // a process would take its own directory for one in use
  assert.deepEqual(await ended, [0, null]);
});
