/**
 * Searches for values that single entries have, while entries arrive and commands, kills and restarts happen beside them: the service must
 * never claim, from what it remembers of its own inserts, that nothing has such a value.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { queryLogs } from '@tapedeck/contract/logs';
import { readAs } from '../support/jsonAnswers.ts';
import { findEngineProcess } from '../support/logWriters.ts';
import { makeDirectory } from '../support/service.ts';
import { type ServiceProcess, startProcess, tapedeck } from '../support/tapedeck.ts';

const token = 'logs-token-of-the-sought-values-0';
const headers = { authorization: token, 'content-type': 'application/json' };
const dayMs = 86_400_000;
const pauseMs = 20;
const soughtAtOnce = 4;
const soughtMax = 40; // of the values known before a step
const stepEntries = 20; // acknowledged before, and again after, each step
const engineMsMax = 30_000;

const directory = await makeDirectory();
after(() => directory[Symbol.asyncDispose]());
const backup = path.join(directory.path, 'backup');
const environmentOf = (name: string) => ({
  TAPEDECK_DATA_DIR: path.join(directory.path, name),
  TAPEDECK_LOGS_TOKEN: token,
});

/** The values of acknowledged entries, the oldest first. */
const stored: string[] = [];
let sent = 0;

/** Stores a few entries of several days, and so of several parts, each with a unique value. */
async function store({ url }: { url: string }): Promise<void> {
  const values = Array.from({ length: 1 + (sent % 4) }, () => `value-${sent++}`);
  const items = values.map((serial, index) => ({
    level: 'info',
    message: 'made',
    metadata: { part: { serial } },
    timestamp: Date.now() - index * 40 * dayMs,
  }));
  const init = { method: 'POST', headers, body: JSON.stringify(items) };
  const answer = await fetch(`${url}/api/v3/logs`, init).catch(() => null);
  await answer?.arrayBuffer();
  if (answer?.status === 200) stored.push(...values);
}

/** Returns whether an entry has the value; null while the engine is away. */
async function find({ url }: { url: string }, value: string): Promise<boolean | null> {
  const parameters = new URLSearchParams({ query: `part.serial:"${value}"`, includeTotal: 'true' });
  const answer = await fetch(`${url}/api/v3/logs?${parameters}`, { headers });
  if (answer.status === 503) {
    await answer.arrayBuffer();
    return null;
  }
  const { data, pagination } = await readAs(queryLogs.answer, answer);
  return data.length === 1 && pagination.total === 1; // a count uses the filters, however few entries there are
}

async function requireFound(service: { url: string }, values: readonly string[]): Promise<void> {
  const queue = [...values];
  const deadline = performance.now() + engineMsMax;
  const seek = async () => {
    for (let value = queue.pop(); value !== undefined; value = queue.pop()) {
      let isFound = await find(service, value);
      for (; isFound === null; isFound = await find(service, value)) {
        assert.ok(performance.now() < deadline, 'the engine is back');
        await wait(100);
      }
      assert.ok(isFound, `${value} is found`);
    }
  };
  await Promise.all(Array.from({ length: soughtAtOnce }, seek));
}

/** Values from the whole time, and the latest ones. */
function choose(): string[] {
  const step = Math.max(1, Math.ceil((2 * stored.length) / soughtMax));
  return [...new Set([...stored.filter((_, index) => index % step === 0), ...stored.slice(-soughtMax / 2)])];
}

/** Does the work while entries arrive. */
async function doBesideWriter(service: ServiceProcess, work: () => Promise<unknown>): Promise<void> {
  let isDone = false;
  const wanted = stored.length + stepEntries;
  const begun = Promise.withResolvers<void>();
  const write = async () => {
    for (let rest = stepEntries; !isDone || rest > 0; await wait(pauseMs)) {
      const before = stored.length;
      await store(service);
      if (stored.length >= wanted) begun.resolve();
      if (isDone) rest -= stored.length - before;
    }
  };
  const writing = write();
  await begun.promise;
  await work();
  await requireFound(service, choose());
  isDone = true;
  await writing;
  await requireFound(service, choose());
}

async function killEngine({ child }: ServiceProcess): Promise<void> {
  const engine = await findEngineProcess(child.pid!);
  assert.ok(engine !== null);
  process.kill(engine, 'SIGKILL');
}

const own = environmentOf('own');
const steps: readonly [title: string, work: (service: ServiceProcess) => Promise<unknown>][] = [
  ['a backup', () => tapedeck(['backup', backup], own)],
  ['a check', () => tapedeck(['verify', '--repair'], own)],
  ['a deletion of old entries', () => tapedeck(['retention', 'run'], own)],
  ['a kill of the engine', killEngine],
];

test('each value is found beside backups, checks, deletions, and after kills', async t => {
  {
    await using service = await startProcess(own);
    for (const [title, work] of steps)
      await t.test(title, () => doBesideWriter(service, () => work(service)));
    await killEngine(service);
    service.child.kill('SIGKILL');
    await service.exit;
  }
  await using service = await startProcess(own);
  await requireFound(service, choose());
  await doBesideWriter(service, async () => {});
});

test('each value of a backup is found where it was restored, beside new ones', async () => {
  const restored = environmentOf('restored');
  await tapedeck(['restore', backup], restored);
  const saved = stored.slice(0, stepEntries); // acknowledged before the backup began
  stored.length = 0;
  stored.push(...saved);
  await using service = await startProcess(restored);
  await requireFound(service, saved);
  await doBesideWriter(service, async () => {});
});
