/** Data directories with lost parts of the log engine, and how a service reports them, for tests. */
import assert from 'node:assert/strict';
import { cp, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describeRefusal } from './client.ts';
import { makeDirectory, startTestService, type TestService } from './service.ts';
import { runTapedeck } from './tapedeck.ts';

const token = 'logs-token-of-the-missing-parts0';
const environment = { TAPEDECK_LOGS_TOKEN: token };
const headers = { authorization: token, 'content-type': 'application/json' };
const patienceMs = 60_000; // the service checks its parts every five seconds
const lostEntries = 300;

export const start = (dataDir: string) => startTestService({ dataDir, environment });
export const ask = (service: TestService, rest: string) => service.fetch(`/api/v3/logs${rest}`, { headers });

export async function store(service: TestService, entries: readonly object[]): Promise<void> {
  const body = JSON.stringify(entries);
  assert.equal((await service.fetch('/api/v3/logs', { method: 'POST', headers, body })).status, 200);
}

export const make = (count: number, day: string, dataset = 'default') =>
  Array.from({ length: count }, (_, index) => ({
    level: 'info',
    dataset,
    message: `entry ${index} of ${day}`,
    metadata: { number: index },
    timestamp: `${day}T12:00:${String(index % 60).padStart(2, '0')}Z`,
  }));

/** Makes data directories with two partitions, one lost and one kept. All are copies of one, so only one service start is needed. */
export function openFilledPlaces() {
  const opened = new AsyncDisposableStack();
  let original: Promise<string> | null = null;
  return {
    fill: async (dataDir: string): Promise<void> => {
      original ??= makeOriginal(opened);
      const exactly = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
      await cp(await original, dataDir, exactly);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function makeOriginal(opened: AsyncDisposableStack): Promise<string> {
  const { path: dataDir } = opened.use(await makeDirectory());
  await using service = await start(dataDir);
  await store(service, make(lostEntries, '2026-09-10'));
  await store(service, make(20, '2026-10-20'));
  assert.equal((await ask(service, '?limit=1')).status, 200);
  return dataDir;
}

/** Returns the part directories of a month, such as `202609`. */
export async function findParts(dataDir: string, month: string): Promise<string[]> {
  const parent = path.join(dataDir, 'logs/data/store');
  const found = await readdir(parent, { recursive: true });
  return found
    .filter(name => new RegExp(`/0-${month}01_\\d+_\\d+_\\d+(_\\d+)?$`).test(name))
    .map(name => path.join(parent, name));
}

export async function until(is: () => Promise<boolean>, what: string): Promise<void> {
  for (const deadline = performance.now() + patienceMs; !(await is()); await wait(50))
    assert.ok(performance.now() < deadline, what);
}

export async function readMetric(service: TestService, name: string): Promise<number> {
  const text = await (await service.fetch('/metrics')).text();
  return Number(new RegExp(`^tapedeck_${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

export const refused = [
  '?from=2026-09-01T00:00:00Z&to=2026-10-01T00:00:00Z',
  '?limit=100',
  '?q=nowhere',
  '/histogram?from=2026-09-01T00:00:00Z&to=2026-11-01T00:00:00Z',
  '/facets?field=metadata.number',
  '/export',
  '/datasets',
  '?from=2026-09-01T00:00:00Z&to=2026-10-01T00:00:00Z&q=entry&order=asc',
];
const answered = [
  '?limit=10', // the newest entries, which lie in the kept partition
  '?from=2026-10-01T00:00:00Z',
  '/histogram?from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:00Z',
  '/facets?field=metadata.number&from=2026-10-01T00:00:00Z',
  '/export?from=2026-10-01T00:00:00Z',
];

export const names = (service: TestService) =>
  service.logged.filter(line => line.includes('"msg":"log entries are missing'));

export async function checkLoss(service: TestService, reason: RegExp): Promise<void> {
  const ready = await service.fetch('/readyz');
  assert.equal(ready.status, 200);
  const { reasons } = (await ready.json()) as { reasons: string[] };
  assert.match(
    reasons.join(),
    /300 log entries are missing, from 2026-09-10T12:00:00Z to 2026-09-10T12:00:59Z/,
  );
  assert.match(reasons.join(), /`tapedeck adopt --missing-parts`/);
  assert.equal((await service.fetch('/readyz?role=query')).status, 200);
  assert.deepEqual(
    [await readMetric(service, 'log_parts_missing'), await readMetric(service, 'log_entries_missing')],
    [1, lostEntries],
  );
  const [line = ''] = names(service);
  assert.equal(names(service).length, 1, names(service).join('\n'));
  assert.match(line, /0-20260901_/);
  assert.match(line, reason);
}

export async function checkQuestions(service: TestService): Promise<void> {
  for (const rest of refused) {
    const answer = await ask(service, rest);
    assert.match(await answer.clone().text(), /300 log entries are missing that may match/, rest);
    assert.equal(await describeRefusal(answer), '503 engine_unavailable');
  }
  for (const rest of answered) {
    const answer = await ask(service, rest);
    assert.equal(answer.status, 200, `${rest}: ${await answer.text()}`);
  }
}

export async function verify(dataDir: string) {
  const { exitCode, printed } = await runTapedeck(['verify'], { TAPEDECK_DATA_DIR: dataDir });
  return { exitCode, printed };
}

export async function checkQuiet(service: TestService): Promise<void> {
  const { reasons } = (await (await service.fetch('/readyz')).json()) as { reasons: string[] };
  assert.deepEqual(reasons, []);
  assert.equal(await readMetric(service, 'log_parts_missing'), 0);
  assert.equal(await readMetric(service, 'log_entries_missing'), 0);
  for (const rest of [...refused, ...answered]) assert.equal((await ask(service, rest)).status, 200, rest);
}
