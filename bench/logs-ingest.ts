/** How many log entries a second are acknowledged durably. Usage: logs-ingest.ts [entries per request] [seconds] [connections] */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { createKeyGate } from '../server/src/domain/logs/idempotency.ts';
import { createStamper, systemMicros } from '../server/src/domain/logs/identity.ts';
import { type IngestDeps, ingestLogs } from '../server/src/domain/logs/ingest.ts';
import { systemClock } from '../server/src/domain/ports/clock.ts';
import { superviseEngine } from '../server/src/stores/logs/engine/supervision.ts';
import { openLogIntake } from '../server/src/stores/logs/intake.ts';
import { localDisk } from '../server/src/stores/logs/journal/disk.ts';
import { createSchema, localTable } from '../server/src/stores/logs/schema.ts';
import { ServiceError } from '../server/src/vocabulary.ts';

const [batch = 100, seconds = 10, connections = 32] = process.argv.slice(2).map(Number);
const log = pino({ level: 'warn' });
const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-bench-'));
const engine = await superviseEngine(
  { directory: path.join(directory, 'engine'), memoryBytesMax: 2_000_000_000 },
  log,
);

async function ask(query: string): Promise<string> {
  const { url, headers } = engine.endpoint()!;
  const answer = await fetch(url, {
    method: 'POST',
    body: query,
    headers: { ...headers, connection: 'close' },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text.trim();
}

await createSchema({ access: engine, clusterName: null });

const intake = await openLogIntake(
  { disk: localDisk, log },
  {
    directory: path.join(directory, 'journal'),
    shards: [{ url: 'embedded', access: engine }],

    isLocal: true,
  },
);
const deps: IngestDeps = {
  intake,
  clock: systemClock,
  stamper: createStamper(systemMicros),
  keyGate: createKeyGate(intake),
  levelSynonyms: null,
  readRetentionDays: () => null,
};

const ok = Buffer.from('{"status":"ok"}');
const server = http.createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    ingestLogs(deps, {
      project: 'default',
      dataset: 'game',
      body,
      contentEncoding: undefined,
      idempotencyKey: null,
    }).then(
      () =>
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': ok.length }).end(ok),
      error => {
        const status = error instanceof ServiceError ? 503 : 500;
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error: String(error) }));
      },
    );
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo; // listens on a port, not on a socket's path

/** Microseconds of processor time that the engine has taken; 0 where the system does not show it. */
async function readEngineMicros(): Promise<number> {
  const fields = await readFile(`/proc/${engine.processId()}/stat`, 'utf8').catch(() => '');
  const [userTicks = 0, systemTicks = 0] = fields
    .slice(fields.lastIndexOf(')'))
    .split(' ')
    .slice(12, 14)
    .map(Number);
  return (userTicks + systemTicks) * 10_000; // Linux counts hundredths of a second
}

const engineBefore = await readEngineMicros();
const before = process.cpuUsage();
const load = fork(path.join(import.meta.dirname, 'logs-load.ts'), [
  String(port),
  String(batch),
  String(seconds),
  String(connections),
]);
const [result] = await once(load, 'message');
const cpu = process.cpuUsage(before);
const endedAt = Date.now();
await intake.settle(30_000);
const settledMs = Date.now() - endedAt;
const engineAfter = await readEngineMicros();
const { requests, elapsedMs, p50Ms, p99Ms, maxMs, failures } = result as Record<string, number>;
const entries = requests! * batch;
const stored = Number(await ask(`SELECT count() FROM ${localTable}`));
console.table([
  {
    batch,
    connections,
    'entries/s': Math.round((entries / elapsedMs!) * 1000),
    'requests/s': Math.round((requests! / elapsedMs!) * 1000),
    p50Ms,
    p99Ms,
    maxMs,
    failures,
    settledMs,
    'service µs/entry': ((cpu.user + cpu.system) / entries).toFixed(2),
    'engine µs/entry': ((engineAfter - engineBefore) / entries).toFixed(2),
    exact: stored === entries,
  },
]);
const parts = await ask(
  "SELECT count(), sum(rows), formatReadableSize(sum(bytes_on_disk)), round(sum(bytes_on_disk) / sum(rows), 1) FROM system.parts WHERE database = 'tapedeck' AND active",
);
console.log(`parts, rows, bytes, bytes/row: ${parts}; stored ${stored}, acknowledged ${entries}`);
server.close();
server.closeAllConnections();
await intake[Symbol.asyncDispose]();
await engine[Symbol.asyncDispose]();
await rm(directory, { recursive: true });
