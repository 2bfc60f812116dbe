/** Tests the engine's life: it answers only clients with the secret, comes back when it dies, and ends with its parent. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pino from 'pino';
import type { Endpoint } from './requests.ts';
import { type SupervisedEngine, superviseEngine } from './supervision.ts';

const log = pino({ level: 'silent' });
const memoryBytesMax = 600_000_000;
let directory = '';
let engine: SupervisedEngine;

before(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-engine-'));
  engine = await superviseEngine({ directory: path.join(directory, 'engine'), memoryBytesMax }, log);
});

after(async () => {
  await engine[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function ask(
  endpoint: Endpoint | null,
  query: string,
  headers = endpoint?.headers ?? {},
): Promise<string> {
  const answer = await fetch(endpoint?.url ?? '', {
    method: 'POST',
    body: query,
    headers: { ...headers, connection: 'close' },
  });
  const text = await answer.text();
  return answer.ok ? text.trim() : `${answer.status}`;
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}

/** Resolves to whether the process ended within the time. An orphan counts as alive until init has noticed its end. */
async function endsWithin(processId: number, timeMs: number): Promise<boolean> {
  const deadline = Date.now() + timeMs;
  while (isAlive(processId) && Date.now() < deadline) await wait(20);
  return !isAlive(processId);
}

async function keptLogs(): Promise<{ names: string[]; bytes: number }> {
  const names = (await readdir(path.join(directory, 'engine'))).filter(name => name.startsWith('engine.log'));
  const sizes = names.map(
    async name => await stat(path.join(directory, 'engine', name)).catch(() => ({ size: 0 })),
  );
  const bytes = (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
  return { names, bytes };
}

test('answers with the secret, and 404 without', async () => {
  assert.equal(await ask(engine.endpoint(), 'SELECT 1 + 1'), '2');
  assert.equal(await ask(engine.endpoint(), 'SELECT 1 + 1', {}), '404');
  assert.equal(await ask(engine.endpoint(), 'SELECT 1 + 1', { 'x-engine-secret': 'guessed' }), '404');
});

test('inherits no environment variable but that of the compile cache', async () => {
  if (process.platform !== 'linux') return; // only Linux shows the environment of a process
  const environment = await readFile(`/proc/${engine.processId()}/environ`, 'utf8');
  const variables = environment.split('\0').filter(variable => !variable.startsWith('NODE_COMPILE_CACHE='));
  assert.deepEqual(variables, ['TZ=UTC', '']);
});

test('keeps its configuration with the secret readable by the owner alone', async () => {
  const { mode } = await stat(path.join(directory, 'engine', 'engine.xml'));
  assert.equal(mode & 0o077, 0);
});

test('survives the signals of a service manager that stops the whole group', async () => {
  const processId = engine.processId() ?? 0;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(processId, signal);
  assert.equal(await ask(engine.endpoint(), 'SELECT 1'), '1');
  assert.ok(isAlive(processId));
});

test('restarts with all data whenever it is killed', async () => {
  await ask(engine.endpoint(), 'CREATE DATABASE kept ENGINE = Atomic');
  await ask(engine.endpoint(), 'CREATE TABLE kept.numbers (n UInt32) ENGINE = MergeTree ORDER BY n');
  for (let round = 1; round <= 3; round++) {
    await ask(engine.endpoint(), `INSERT INTO kept.numbers VALUES (${round})`);
    const up = Promise.withResolvers<void>();
    const unsubscribe = engine.onUp(up.resolve);
    process.kill(engine.processId() ?? 0, 'SIGKILL');
    await up.promise;
    unsubscribe();
    assert.equal(await ask(engine.endpoint(), 'SELECT count() FROM kept.numbers'), `${round}`);
  }
});

test('ends when the service is killed, and the next service takes over its directory', async () => {
  const own = path.join(directory, 'orphan');
  const source = `
    import { startEngine } from ${JSON.stringify(path.join(import.meta.dirname, 'engine.ts'))};
    const engine = await startEngine({ directory: ${JSON.stringify(own)}, memoryBytesMax: ${memoryBytesMax} });
    console.log(engine.processId);
    setInterval(() => {}, 1000);`;
  const service = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(service.stdout, 'data')) as [Buffer];
  const processId = Number(line.toString());
  service.kill('SIGKILL');
  await using successor = await superviseEngine({ directory: own, memoryBytesMax }, log);
  assert.ok(await endsWithin(processId, 5_000));
  assert.equal(await ask(successor.endpoint(), 'SELECT 1'), '1');
});

test('is gone once disposed of', async () => {
  const stopped = await superviseEngine({ directory: path.join(directory, 'stopped'), memoryBytesMax }, log);
  const processId = stopped.processId() ?? 0;
  await stopped[Symbol.asyncDispose]();
  assert.ok(!isAlive(processId));
  assert.equal(stopped.endpoint(), null);
});

test('its own log stays within its limit even when every query fails', async () => {
  const statement = `SELECT throwIf(1) /* ${'x'.repeat(100_000)} */`;
  const loggedBytesMax = 3 * 4 * 1024 * 1024; // configuration.ts
  // The engine logs each failure with its statement, so this logs twice as much as it keeps.
  for (let bytes = 0; bytes < 2 * loggedBytesMax; bytes += statement.length) {
    assert.equal(await ask(engine.endpoint(), statement), '500');
  }
  // The engine drops the oldest log when it begins a new one, but misses one that it is just compressing. So it has one more until the next
  // time, and both versions while it compresses.
  const deadline = Date.now() + 10_000;
  let kept = await keptLogs();
  while (kept.names.length > 4 && Date.now() < deadline) {
    await wait(20);
    kept = await keptLogs();
  }
  assert.ok(kept.names.length > 1 && kept.names.length <= 4, `${kept.names}`); // six were begun
  assert.ok(kept.bytes < loggedBytesMax + 10 * statement.length, `${kept.bytes} bytes`);
});
