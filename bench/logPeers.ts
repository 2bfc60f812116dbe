/**
 * Compares this service with VictoriaLogs on the same entries, one after the other: intake, processor time, disk, idle use, and queries over a
 * different time range each. `BENCH_PEER` is the other program's file, `BENCH_ENTRIES` the number of entries.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Dirent } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { type Bench, median, printTable } from './bench.ts';
import { token } from './benchRequests.ts';
import { spanMs } from './peerEntries.ts';
import type { PeerLoad, PeerLoadResult } from './peerLoad.ts';
import { type PeerQuestion, peerQuestions } from './peerQueries.ts';
import { spawnOnCore, startBenchService } from './processes.ts';
import { readProcessorTimes, readResidentMegabytes } from './processTimes.ts';

type Peer = AsyncDisposable & {
  name: string;
  port: number;
  dataDir: string;
  pid: number;
  intake: Pick<PeerLoad, 'path' | 'headers' | 'form'>;
  ask(question: PeerQuestion, from: number, to: number): Promise<number>;
};

const turns = 11;
const peerPort = 19_428;
const restLookMs = 1000;
const bytesLookMs = 5000; // reads the size of each file, ten thousand among 50,000,000 entries
const restingShare = 0.1; // of one processor: more than either uses when idle
const looksAtRest = 5;
const bytesRestMs = 40_000;

export const logPeers: Bench = {
  name: 'log-peers',
  about: 'the same entries and questions beside VictoriaLogs (BENCH_PEER is its program)',
  run: async () => {
    const entries = Number(process.env.BENCH_ENTRIES ?? 5_000_000);
    const endMs = Date.now() - 60_000;
    const measured: Measured[] = [];
    for (const start of process.env.BENCH_PEER ? [startOurs, startVictoria] : [startOurs]) {
      await using peer = await start();
      measured.push(await measure(peer, entries, endMs));
      print(measured); // if the second run is stopped, the first is already shown
    }
  },
};

type Measured = {
  name: string;
  costs: Record<string, string>;
  questions: Map<string, { found: number; coldMs: number; warmMs: number; processorMs: number }>;
};

async function measure(peer: Peer, entries: number, endMs: number): Promise<Measured> {
  const before = await readProcessorTimes(peer.pid);
  const peak = watchBytes(peer.dataDir);
  const load = await sendEntries({ ...peer.intake, port: peer.port, entries, endMs });
  const endedAt = performance.now();
  await untilResting(peer);
  const restedMs = performance.now() - endedAt - looksAtRest * restLookMs;
  const after = await readProcessorTimes(peer.pid);
  const [service, engine] = [after.service - before.service, after.engine - before.engine];
  const most = await peak.stop();
  const costs = {
    'entries/s': (entries / load.seconds).toFixed(0),
    'p50 · p99 ms': `${load.p50.toFixed(1)} · ${load.p99.toFixed(1)}`,
    'bytes sent': load.bytesEach.toFixed(0),
    'µs an entry, settled': ((service + engine) / entries).toFixed(1),
    'of these the engine': (engine / entries).toFixed(1),
    's until rest': (Math.max(0, restedMs) / 1000).toFixed(0),
    'bytes an entry at most': (most / entries).toFixed(1),
    'bytes an entry at rest': ((await readBytesAtRest(peer.dataDir)) / entries).toFixed(1),
    'resident MB': (await readResidentMb(peer)).toFixed(0),
  };
  console.error(peer.name, costs);
  const questions: Measured['questions'] = new Map();
  for (const question of peerQuestions) {
    const [cold, ...warm] = await askInTurns(peer, question, endMs);
    questions.set(question.name, {
      found: cold!.found,
      coldMs: cold!.tookMs,
      warmMs: median(warm.map(({ tookMs }) => tookMs)),
      processorMs: warm.reduce((sum, { processorMs }) => sum + processorMs, 0) / warm.length,
    });
  }
  return { name: peer.name, costs, questions };
}

async function askInTurns(peer: Peer, question: PeerQuestion, endMs: number) {
  const answered: { tookMs: number; processorMs: number; found: number }[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const before = await readProcessorMs(peer);
    const startedAt = performance.now();
    const found = await peer.ask({ ...question, turn }, endMs - spanMs + turn * 1_003, endMs - turn * 1_009);
    const tookMs = performance.now() - startedAt;
    answered.push({ tookMs, processorMs: (await readProcessorMs(peer)) - before, found });
  }
  return answered;
}

async function startOurs(): Promise<Peer> {
  const service = await startBenchService({ TAPEDECK_LOGS_TOKEN: token }, null);
  const { port, dataDir, pid } = service;
  return {
    name: 'Tapedeck',
    port,
    dataDir,
    pid,
    intake: {
      path: '/api/v3/logs',
      headers: { authorization: token, 'content-type': 'application/json' },
      form: 'array',
    },
    ask: (question, from, to) => question.askOurs({ port, turn: question.turn, from, to }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

async function startVictoria(): Promise<Peer> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'tapedeck-peer-'));
  const child: ChildProcess = spawn(
    process.env.BENCH_PEER ?? '',
    // By default it closes each connection after two minutes, even while a request comes in.
    [`-storageDataPath=${dataDir}`, `-httpListenAddr=127.0.0.1:${peerPort}`, '-http.connTimeout=2h'],
    { stdio: 'ignore' },
  );
  for (;;) {
    const ready = await fetch(`http://127.0.0.1:${peerPort}/health`).catch(() => null);
    if (ready?.ok) break;
    await wait(50);
  }
  return {
    name: 'VictoriaLogs',
    port: peerPort,
    dataDir,
    pid: child.pid ?? 0,
    intake: {
      path: '/insert/jsonline?_stream_fields=resource&_time_field=timestamp&_msg_field=message',
      headers: { 'content-type': 'application/stream+json' },
      form: 'lines',
    },
    ask: (question, from, to) => question.askVictoria({ port: peerPort, turn: question.turn, from, to }),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function sendEntries(load: PeerLoad): Promise<PeerLoadResult> {
  const child = spawnOnCore(null, [path.join(import.meta.dirname, 'peerLoad.ts')], {});
  child.stdin!.end(JSON.stringify(load));
  // peerLoad.ts prints this.
  return JSON.parse(await text(child.stdout!)) as PeerLoadResult;
}

async function untilResting(peer: Peer): Promise<void> {
  for (let atRest = 0; atRest < looksAtRest; ) {
    const before = await readProcessorMs(peer);
    await wait(restLookMs);
    atRest = (await readProcessorMs(peer)) - before < restLookMs * restingShare ? atRest + 1 : 0;
  }
}

/** Measures a program together with its engine, if it has one. */
async function readProcessorMs({ pid }: Peer): Promise<number> {
  const { service, engine } = await readProcessorTimes(pid);
  return (service + engine) / 1000;
}

async function readResidentMb({ pid }: Peer): Promise<number> {
  const { service, engine } = await readResidentMegabytes(pid);
  return service + engine;
}

function watchBytes(directory: string) {
  let most = 0;
  let going = true;
  const done = (async () => {
    for (; going; await wait(bytesLookMs)) most = Math.max(most, await sumBytes(directory));
  })();
  return {
    stop: async () => {
      going = false;
      await done;
      return most;
    },
  };
}

/** Merged parts are deleted some time after the last merge. */
async function readBytesAtRest(directory: string): Promise<number> {
  let bytes = await sumBytes(directory);
  for (let equalMs = 0; equalMs < bytesRestMs; equalMs += restLookMs) {
    await wait(restLookMs);
    const now = await sumBytes(directory);
    if (Math.abs(now - bytes) > bytes / 1000) equalMs = 0;
    bytes = now;
  }
  return bytes;
}

/** Returns the disk usage of the files. Counts a file with several names once, because some parts share files. */
async function sumBytes(directory: string): Promise<number> {
  const blocks = new Map<number, number>();
  for (const entry of await listEntries(directory))
    if (entry.isFile()) {
      const file = await stat(path.join(entry.parentPath, entry.name)).catch(() => null);
      if (file) blocks.set(file.ino, file.blocks * 512);
    }
  return [...blocks.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** Retries if a folder disappears meanwhile, as in a merge. */
async function listEntries(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { recursive: true, withFileTypes: true });
  } catch {
    return await listEntries(directory);
  }
}

function print(measured: readonly Measured[]): void {
  const names = measured.map(({ name }) => name);
  printTable(
    ['', ...names],
    Object.keys(measured[0]!.costs).map(cost => [cost, ...measured.map(({ costs }) => costs[cost] ?? '')]),
  );
  console.log();
  printTable(
    ['question', ...names.flatMap(name => [`${name}: found`, 'cold ms', 'warm ms', 'processor ms'])],
    peerQuestions.map(({ name }) => [
      name,
      ...measured.flatMap(({ questions }) => {
        const row = questions.get(name)!;
        return [String(row.found), row.coldMs.toFixed(1), row.warmMs.toFixed(1), row.processorMs.toFixed(1)];
      }),
    ]),
  );
}
