/** Measures the disk space of entries sent over HTTP, after the engine has merged its parts. */

import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { attachEngine, type EngineAccess, queryRows } from '@tapedeck/log-store/testing';
import { type Bench, printTable } from './bench.ts';
import { ask, token } from './benchRequests.ts';
import { makeEntry } from './logEntries.ts';
import { type BenchService, startBenchService } from './processes.ts';

const entries = 2_000_000;
const entriesAtOnce = 1_000;
const senders = 8;
const restMs = 20_000; // the last merges begin within three seconds
const restlessMsMax = 180_000;

export const logDisk: Bench = {
  name: 'log-disk',
  about: `bytes an entry on disk, ${entries.toLocaleString('en')} entries like those of log-intake, no two alike`,
  run: async () => {
    await using service = await startBenchService({ TAPEDECK_LOGS_TOKEN: token }, null);
    const sentBytes = (await sendAll(service)) / entries;
    const access = await attachEngine(path.join(service.dataDir, 'logs'));
    const storedBytes = (await awaitRest(access)) / entries;
    const answeredBytes = await measureAnswer(service);
    const share = (bytes: number) => `1/${(bytes / storedBytes).toFixed(1)}`;
    printTable(
      ['bytes sent', 'bytes on disk', 'of the JSON as sent', 'as answered', 'target'],
      [[sentBytes.toFixed(1), storedBytes.toFixed(1), share(sentBytes), share(answeredBytes), '1/8']],
    );
  },
};

/** Resolves to the bytes of all bodies. */
async function sendAll({ port }: BenchService): Promise<number> {
  let next = 0;
  let bytes = 0;
  const send = async () => {
    while (next < entries) {
      const first = next;
      next += entriesAtOnce;
      const batch = Array.from({ length: entriesAtOnce }, (_, index) => makeEntry(first + index));
      const body = JSON.stringify(batch);
      bytes += Buffer.byteLength(body);
      const headers = { authorization: token, 'content-type': 'application/json' };
      const response = await fetch(`http://127.0.0.1:${port}/api/v3/logs`, { method: 'POST', headers, body });
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: senders }, send));
  return bytes;
}

/** Resolves to the table's bytes once its parts have not changed for a while. */
async function awaitRest(access: EngineAccess): Promise<number> {
  const deadline = performance.now() + restlessMsMax;
  const sql = `SELECT groupArray(name), sum(bytes_on_disk) FROM system.parts WHERE active AND table = 'logs'`;
  let seen = '';
  for (let since = performance.now(); performance.now() < deadline; await wait(1_000)) {
    const [row] = await queryRows(access, { sql });
    const [names, bytes] = row as [string[], number]; // the selected columns
    if (names.join() === seen) {
      if (performance.now() - since > restMs) return bytes;
      continue;
    }
    seen = names.join();
    since = performance.now();
  }
  throw new Error('The parts of the table do not come to rest.');
}

/** Returns the bytes of JSON per entry in an answer. */
async function measureAnswer(service: BenchService): Promise<number> {
  const response = await ask(service, '/logs?limit=1000');
  // Per the contract.
  const { data } = (await response.json()) as { data: unknown[] };
  return Buffer.byteLength(JSON.stringify(data)) / data.length;
}
