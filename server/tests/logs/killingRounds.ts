/**
 * Three nodes on a database, a bucket and ClickHouse shards: round after round one process of all of them is killed, a node with its
 * disk, under writers at every node. Whatever was acknowledged anywhere is to be found, once and whole; and in between, what one node
 * takes is found by another at once, or nobody is answered.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { queryLogs } from '../../src/contract/logs.ts';
import { readAs } from '../jsonAnswers.ts';
import { compareFound, startWriters, type Writers, type WriterTarget } from '../logWriters.ts';
import { makeDirectory } from '../service.ts';
import { type ServiceProcess, startProcess } from '../tapedeck.ts';
import { startSharedStores } from './sharedJournal.ts';

const nodeCount = 3;
const load = { writers: 2, rowsMax: 30, pauseMs: 5 };
const progressMsMax = 120_000; // a start of everything on a busy machine
const loadMsSpan = 900; // before a kill, so that it meets groups, notes, imports and merges at every stage
const probesPerRound = 3;

type Stores = Awaited<ReturnType<typeof startSharedStores>>;
type Node = { target: WriterTarget; writers: Writers; kill(): Promise<void>; start(): Promise<void> };

/** `crash` ends it at once; `recover` brings it back. */
type Victim = { name: string; crash(): Promise<void>; recover(): Promise<void> };

type Rounds = { rounds: number; shards: number; chooseRound(round: number): number };

export type RoundsResult = {
  killed: Map<string, number>;
  acknowledged: number;
  found: number;
  lost: string[];
  doubled: string[];
  split: string[];
  /** Questions at one node for what another had just acknowledged: answered whole, and refused with 503. */
  probes: { answered: number; refused: number; partial: string[] };
  slowestMs: number;
};

export async function runKillingRounds({ rounds, shards, chooseRound }: Rounds): Promise<RoundsResult> {
  await using opened = new AsyncDisposableStack();
  const stores = opened.use(await startSharedStores(shards));
  const nodes = await Promise.all(
    Array.from({ length: nodeCount }, (_, index) => openNode(stores, opened, index)),
  );
  const victims = listVictims(stores, nodes);
  const killed = new Map<string, number>();
  const probes: RoundsResult['probes'] = { answered: 0, refused: 0, partial: [] };
  for (let round = 0; round < rounds; round++) {
    const victim = victims[chooseRound(round) % victims.length]!;
    killed.set(victim.name, (killed.get(victim.name) ?? 0) + 1);
    await untilProgress(nodes.filter(({ target }) => target.url !== nowhere));
    await wait((round * 137) % loadMsSpan);
    await victim.crash();
    await probe(nodes, `${round} down`, probes);
    await victim.recover();
    await probe(nodes, `${round} back`, probes);
  }
  await untilProgress(nodes);
  const written = await Promise.all(nodes.map(({ writers }) => writers.stop()));
  const acknowledged = new Map(written.flatMap(each => [...each.acknowledged]));
  const { target } = nodes[0]!;
  await untilAnswered(target);
  const { entries, ...faults } = await compareFound(target, acknowledged);
  const taken = [...acknowledged.values()].reduce((sum, rows) => sum + rows, 0);
  const slowestMs = Math.max(...written.map(each => each.slowestMs));
  return { killed, acknowledged: taken, found: entries, ...faults, probes, slowestMs };
}

const nowhere = 'http://127.0.0.1:9';

async function openNode(stores: Stores, opened: AsyncDisposableStack, index: number): Promise<Node> {
  const { token } = stores;
  const target = { url: nowhere, token };
  const directory = opened.use(await makeDirectory()).path;
  let service: ServiceProcess | null = null;
  const kill = async () => {
    target.url = nowhere;
    await service?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true, maxRetries: 20 });
  };
  const start = async () => {
    service = await startProcess({ ...stores.settings(), TAPEDECK_DATA_DIR: directory });
    target.url = service.url;
  };
  opened.defer(kill);
  await start();
  const writers = opened.use(startWriters(target, { ...load, prefix: `node${index}` }));
  return { target, writers, kill, start };
}

function listVictims({ postgres, swift, shards }: Stores, nodes: readonly Node[]): Victim[] {
  const back = async () => {};
  return [
    ...nodes.map(({ kill, start }, index) => ({ name: `node ${index}`, crash: kill, recover: start })),
    { name: 'database', crash: postgres.crash, recover: postgres.restart },
    { name: 'bucket', crash: swift.crash, recover: swift.restart },
    ...shards.engines.map((engine, index) => ({
      name: `shard ${index}`,
      crash: async () => {
        const pid = engine.processId();
        if (pid !== null) process.kill(pid, 'SIGKILL');
      },
      recover: back, // it is started again at once
    })),
  ];
}

/** Every one of these nodes acknowledges something. */
async function untilProgress(nodes: readonly Node[]): Promise<void> {
  const deadline = performance.now() + progressMsMax;
  const before = nodes.map(({ writers }) => writers.written.acknowledged.size);
  for (const [index, { writers }] of nodes.entries()) {
    while (writers.written.acknowledged.size <= before[index]!) {
      const refusals = JSON.stringify([...writers.written.refusals]);
      assert.ok(performance.now() < deadline, `node ${index} acknowledges nothing: ${refusals}`);
      await wait(10);
    }
  }
}

/** Writes at one node and asks at another: all is found that was acknowledged under the name, or nobody is answered. */
async function probe(nodes: readonly Node[], name: string, probes: RoundsResult['probes']): Promise<void> {
  const dataset = `probe-${name.replace(' ', '-')}`;
  const living = nodes.filter(({ target }) => target.url !== nowhere);
  const sent: string[] = [];
  for (let number = 0; number < probesPerRound; number++) {
    const writer = living[number % living.length]!.target;
    const reader = living[(number + 1) % living.length]!.target;
    const message = `p${number}`;
    if (await post(writer, dataset, message)) sent.push(message);
    const found = await read(reader, dataset);
    if (found === null) probes.refused++;
    else if (sent.every(each => found.includes(each))) probes.answered++;
    else probes.partial.push(`${name}: ${found} of ${sent}`);
  }
}

async function post({ url, token }: WriterTarget, dataset: string, message: string): Promise<boolean> {
  const response = await fetch(`${url}/api/v3/logs?dataset=${dataset}`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify([{ level: 'info', message }]),
  });
  await response.arrayBuffer();
  return response.status === 200;
}

/** null: refused with 503. */
async function read({ url, token }: WriterTarget, dataset: string): Promise<string[] | null> {
  const response = await fetch(`${url}/api/v3/logs?dataset=${dataset}&limit=100`, {
    headers: { authorization: token },
  });
  if (response.status === 503) {
    await response.arrayBuffer();
    return null;
  }
  return (await readAs(queryLogs.answer, response)).data.map(({ body }) => body);
}

async function untilAnswered(target: WriterTarget): Promise<void> {
  const deadline = performance.now() + progressMsMax;
  while ((await read(target, 'default')) === null) {
    assert.ok(performance.now() < deadline, 'questions are answered again');
    await wait(100);
  }
}
