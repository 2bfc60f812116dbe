/**
 * Searches for values and identifiers that single entries have, while entries arrive and commands, kills and restarts happen beside them: the
 * service must never claim, from what it remembers of its own inserts, that nothing has one of these. Nor may counts from cached
 * slots miss an entry.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { getFacets, queryLogs } from '@tapedeck/contract/logs';
import { readAs } from '../support/jsonAnswers.ts';
import { findEngineProcess } from '../support/logWriters.ts';
import { makeDirectory } from '../support/service.ts';
import { type ServiceProcess, startProcess, tapedeck } from '../support/tapedeck.ts';

const token = 'logs-token-of-the-sought-values-0';
const headers = { authorization: token, 'content-type': 'application/json' };
const dayMs = 86_400_000;
const pauseMs = 20;
const soughtAtOnce = 4;
const soughtMax = 40; // of the entries known before a step
const stepEntries = 20; // acknowledged before, and again after, each step
const engineMsMax = 30_000;
const firstMs = Date.UTC(2001, 1, 1, 0, 7, 3); // before every entry

const directory = await makeDirectory();
after(() => directory[Symbol.asyncDispose]());
const backup = path.join(directory.path, 'backup');
const environmentOf = (name: string) => ({
  TAPEDECK_DATA_DIR: path.join(directory.path, name),
  TAPEDECK_LOGS_TOKEN: token,
});

/** The numbers of acknowledged entries, the oldest first. */
const stored: number[] = [];
let sent = 0;

const nameValue = (number: number) => `value-${number}`;

/** Returns an identifier whose letters no other entry has in this order. */
function nameIdentifier(number: number): string {
  const letters = [...String(number).padStart(6, '0')].map(digit => 'abcdefghij'[Number(digit)]);
  return `Q7${letters.join('')}8`;
}

/** Asks for every second entry by its identifier. */
function formatQuery(number: number): string {
  return number % 2 === 0 ? `part.serial:"${nameValue(number)}"` : nameIdentifier(number).toLowerCase();
}

/** Stores a few entries of several days, and so of several parts. */
async function store({ url }: { url: string }): Promise<void> {
  const numbers = Array.from({ length: 1 + (sent % 4) }, () => sent++);
  const items = numbers.map((number, index) => ({
    level: 'info',
    message: `made ${nameIdentifier(number)}`,
    metadata: { part: { serial: nameValue(number) } },
    timestamp: Date.now() - index * 40 * dayMs,
  }));
  const init = { method: 'POST', headers, body: JSON.stringify(items) };
  const answer = await fetch(`${url}/api/v3/logs`, init).catch(() => null);
  await answer?.arrayBuffer();
  if (answer?.status === 200) stored.push(...numbers);
}

/** Returns whether the entry is found; null while the engine is away. */
async function find({ url }: { url: string }, number: number): Promise<boolean | null> {
  const parameters = new URLSearchParams({ query: formatQuery(number), includeTotal: 'true' });
  const answer = await fetch(`${url}/api/v3/logs?${parameters}`, { headers });
  if (answer.status === 503) {
    await answer.arrayBuffer();
    return null;
  }
  const { data, pagination } = await readAs(queryLogs.answer, answer);
  return data.length === 1 && pagination.total === 1; // a count uses the filters, however few entries there are
}

async function requireFound(service: { url: string }, numbers: readonly number[]): Promise<void> {
  const queue = [...numbers];
  const deadline = performance.now() + engineMsMax;
  const seek = async () => {
    for (let number = queue.pop(); number !== undefined; number = queue.pop()) {
      let isFound = await find(service, number);
      for (; isFound === null; isFound = await find(service, number)) {
        assert.ok(performance.now() < deadline, 'the engine is back');
        await wait(100);
      }
      assert.ok(isFound, `${formatQuery(number)} is found`);
    }
  };
  await Promise.all(Array.from({ length: soughtAtOnce }, seek));
}

/** Counts all entries, without a range and with one whose beginning is inside a slot. The engine may be away. */
async function requireCounted({ url }: { url: string }): Promise<void> {
  const acknowledged = stored.length;
  const beginnings = [{}, { from: new Date(firstMs).toISOString() }];
  for (const beginning of beginnings) {
    const parameters = new URLSearchParams({ field: 'level', ...beginning });
    const answer = await fetch(`${url}/api/v3/logs/facets?${parameters}`, { headers });
    if (answer.status === 503) {
      await answer.arrayBuffer();
      continue;
    }
    const { data } = await readAs(getFacets.answer, answer);
    const counted = data.reduce((sum, { count }) => sum + count, 0);
    assert.ok(counted >= acknowledged && counted <= sent, `${acknowledged} <= ${counted} <= ${sent}`);
  }
}

/** Chooses entries from the whole time, and the latest ones. */
function choose(): number[] {
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
  const count = async () => {
    for (; !isDone; await wait(pauseMs)) await requireCounted(service);
  };
  const writing = Promise.all([write(), count()]);
  await begun.promise;
  await work();
  await requireFound(service, choose());
  isDone = true;
  await writing;
  await requireFound(service, choose());
  await requireCounted(service);
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

test('each value and identifier is found beside backups, checks, deletions, and after kills', async t => {
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

test('each value and identifier of a backup is found where it was restored, beside new ones', async () => {
  const restored = environmentOf('restored');
  await tapedeck(['restore', backup], restored);
  const saved = stored.slice(0, stepEntries); // acknowledged before the backup began
  stored.length = 0;
  stored.push(...saved);
  await using service = await startProcess(restored);
  await requireFound(service, saved);
  await doBesideWriter(service, async () => {});
});
