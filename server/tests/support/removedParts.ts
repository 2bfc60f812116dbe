/** A service whose log entries are removed on purpose, for tests. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { findEngineProcess } from './logWriters.ts';
import { type ServiceProcess, tapedeck } from './tapedeck.ts';

const logsToken = 'logs-token-of-the-removed-parts0';
export const perMonth = 40;
export const mergingMs = 15_000;
const patienceMs = 60_000;
export const clearedMs = 30_000; // longer than the engine shows an emptied part

type Place = { environment: Record<string, string>; admin: string };

export async function openPlace(dataDir: string): Promise<Place> {
  const environment = { TAPEDECK_DATA_DIR: dataDir, TAPEDECK_LOGS_TOKEN: logsToken };
  const admin = (await tapedeck(['token', 'create', '--kind', 'admin'], environment)).trim();
  return { environment, admin };
}

export async function send(
  service: ServiceProcess,
  place: Place,
  [method, path, body]: [string, string, unknown?],
) {
  const authorization = path.startsWith('/api/v3') ? logsToken : place.admin;
  const headers = { authorization, 'content-type': 'application/json' };
  const options = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const answer = await fetch(`${service.url}${path}`, options);
  assert.equal(answer.status, 200, `${method} ${path}: ${await answer.clone().text()}`);
  return answer;
}

/** Spans several partitions: some hold only this dataset, others are shared. */
const make = (months: readonly number[]) =>
  months.flatMap(month =>
    Array.from({ length: perMonth }, (_, index) => ({
      level: 'info',
      message: `entry ${index}`,
      timestamp: `2026-0${month}-10T12:00:${String(index % 60).padStart(2, '0')}Z`,
    })),
  );

export const store = (
  service: ServiceProcess,
  place: Place,
  [dataset, months]: [string, readonly number[]],
) => send(service, place, ['POST', `/api/v3/logs?dataset=${dataset}`, make(months)]);

/** Retries, because a busy machine may refuse a query for a while. */
export async function count(service: ServiceProcess): Promise<number> {
  const path = '/api/v3/logs?limit=1&includeTotal=true&dataset=*';
  for (const deadline = performance.now() + patienceMs; ; await wait(200)) {
    const answer = await fetch(`${service.url}${path}`, { headers: { authorization: logsToken } });
    if (answer.status === 503 && performance.now() < deadline) continue;
    assert.equal(answer.status, 200, await answer.clone().text());
    return ((await answer.json()) as { pagination: { total: number } }).pagination.total; // the contract declares this shape
  }
}

export async function kill(service: ServiceProcess): Promise<void> {
  const engine = await findEngineProcess(service.child.pid!);
  service.child.kill('SIGKILL');
  if (engine !== null) process.kill(engine, 'SIGKILL');
  await service.exit;
}

export async function checkNothingMissed(service: ServiceProcess): Promise<void> {
  const { reasons } = (await (await fetch(`${service.url}/readyz`)).json()) as { reasons: string[] };
  assert.deepEqual(reasons, []);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  assert.match(metrics, /^tapedeck_log_parts_missing 0$/m);
  assert.deepEqual(
    service.lines.filter(line => /are missing|created a new list/.test(line)),
    [],
  );
}
