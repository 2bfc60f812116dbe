/** Kills the service with its engine, or the engine alone, repeatedly under load, and counts the entries afterwards. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import {
  compareFound,
  findEngineProcess,
  startWriters,
  type Writers,
} from '../server/tests/support/logWriters.ts';
import { makeDirectory } from '../server/tests/support/service.ts';
import { type ServiceProcess, startProcess } from '../server/tests/support/tapedeck.ts';
import { type Bench, printTable } from './bench.ts';
import { token } from './benchRequests.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 20);
const load = { writers: 6, rowsMax: 40 };
const loadMsMin = 150; // before a kill, so that it hits groups, inserts and merges at every stage
const loadMsSpan = 900;
const acknowledgeMsMax = 60_000; // a start takes two seconds, three on a busy machine
const answerMsMax = 10_000; // CONTRACT.md, 4.5
const settledBatches = 20; // acknowledged after the last kill, to show that the service works

export const logKills: Bench = {
  name: 'log-kills',
  about: `${rounds} rounds of kill -9 of everything, and of the engine alone, under load`,
  run: async () => {
    const head = ['killed', 'rounds', 'acknowledged', 'found', 'lost', 'doubled', 'split', 'longest wait ms'];
    printTable([...head, 'found again after ms', 'other answers'], [await killAll(), await killEngines()]);
  },
};

async function killAll(): Promise<string[]> {
  await using directory = await makeDirectory();
  const target = { url: 'http://127.0.0.1:9', token };
  using writers = startWriters(target, load);
  for (let round = 0; round < rounds; round++) {
    await using service = await startService(directory.path);
    target.url = service.url;
    await loadUntil(writers, round);
    const engine = await findEngineProcess(service.child.pid ?? 0);
    service.child.kill('SIGKILL');
    if (engine !== null && round % 2 === 0) process.kill(engine, 'SIGKILL'); // otherwise the engine ends by itself
    await service.exit;
  }
  await using service = await startService(directory.path);
  target.url = service.url;
  return await describe('everything', target, writers);
}

async function killEngines(): Promise<string[]> {
  await using directory = await makeDirectory();
  await using service = await startService(directory.path);
  const target = { url: service.url, token };
  using writers = startWriters(target, load);
  for (let round = 0; round < rounds; round++) {
    await loadUntil(writers, round);
    const engine = await findEngineProcess(service.child.pid ?? 0);
    if (engine !== null) process.kill(engine, 'SIGKILL');
  }
  return await describe('the engine', target, writers);
}

function startService(directory: string): Promise<ServiceProcess> {
  return startProcess({ TAPEDECK_DATA_DIR: directory, TAPEDECK_LOGS_TOKEN: token });
}

/** Loads at least a few batches, then continues for a time that varies by round. */
async function loadUntil(writers: Writers, round: number): Promise<void> {
  await untilAcknowledged(writers, 1);
  await wait(loadMsMin + ((round * 137) % loadMsSpan));
}

async function untilAcknowledged({ written }: Writers, batches: number): Promise<void> {
  const wanted = written.acknowledged.size + batches;
  const deadline = performance.now() + acknowledgeMsMax;
  while (written.acknowledged.size < wanted) {
    assert.ok(
      performance.now() < deadline,
      `nothing is acknowledged: ${JSON.stringify([...written.refusals])}`,
    );
    await wait(5);
  }
}

/** If engines live for less than a second, the next start is delayed by up to three. */
async function untilAnswering({ url }: { url: string }): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const response = await fetch(`${url}/api/v3/logs?limit=1`, { headers: { authorization: token } });
    await response.arrayBuffer();
    const tookMs = performance.now() - startedAt;
    if (response.ok) return tookMs;
    assert.ok(tookMs < answerMsMax, `queries are still answered ${response.status}`);
    await wait(50);
  }
}

async function describe(
  killed: string,
  target: { url: string; token: string },
  writers: Writers,
): Promise<string[]> {
  await untilAcknowledged(writers, settledBatches);
  const { acknowledged, refusals, slowestMs } = await writers.stop();
  const recoveredMs = await untilAnswering(target);
  const { entries, lost, doubled, split } = await compareFound(target, acknowledged);
  const taken = [...acknowledged.values()].reduce((sum, rows) => sum + rows, 0);
  const faults = [lost.length, doubled.length, split.length];
  const counts = [rounds, taken, entries, ...faults, Math.round(slowestMs), Math.round(recoveredMs)];
  assert.deepEqual({ lost, doubled, split }, { lost: [], doubled: [], split: [] });
  return [killed, ...counts.map(String), JSON.stringify(Object.fromEntries(refusals))];
}
