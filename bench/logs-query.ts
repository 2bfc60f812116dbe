/**
 * How long log queries take, end to end over the engine's HTTP interface, in a table of so many million entries:
 * `node bench/logs-query.ts [millions] [repetitions]`. Loads them itself, politely, and cleans up. Takes minutes.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startEngine } from '../server/src/stores/logs/engine/engine.ts';
import type { EngineAccess } from '../server/src/stores/logs/engine/supervision.ts';
import { createLogQueries } from '../server/src/stores/logs/query/queries.ts';
import { queryRows, runCommand } from '../server/src/stores/logs/query/statements.ts';
import { createSchema, localTable } from '../server/src/stores/logs/schema.ts';
import { measureQuestions, type Spread } from './logs-query-questions.ts';
import { formatRows } from './logs-query-rows.ts';

const millions = Number(process.argv[2] ?? 20);
const repetitions = Number(process.argv[3] ?? 9);
const entries = millions * 1_000_000;
const chunkEntries = 1_000_000;
const engineMemoryBytes = 1_500_000_000; // room for the loading; questions take far less
const questionMemoryBytes = 600_000_000;
const tenDaysMicros = 864_000_000_000;
const spread: Spread = {
  entries,
  startMicros: Date.UTC(2026, 5, 1) * 1000,
  intervalMicros: Math.floor(tenDaysMicros / entries),
};

async function load(access: EngineAccess): Promise<void> {
  const columns = 'project, dataset, timestamp, identity, level, resource, parentId, body, metadata';
  for (let first = 0; first < entries; first += chunkEntries) {
    const rows = formatRows({ ...spread, first, count: Math.min(chunkEntries, entries - first) });
    await runCommand(
      access,
      `INSERT INTO ${localTable} (${columns}) ${rows}
       SETTINGS max_threads = 1, max_insert_threads = 1, insert_deduplicate = 0`,
    );
  }
  await runCommand(access, `OPTIMIZE TABLE ${localTable} FINAL`);
}

async function describeDisk(access: EngineAccess): Promise<string> {
  const [parts] = await queryRows(access, {
    sql: `SELECT count(), sum(bytes_on_disk) / sum(rows) FROM system.parts WHERE active AND table = 'logs'`,
  });
  const sent = 'level, resource, body AS message, metadata';
  const answered =
    "repeat('0', 32) AS traceId, parentId, repeat('0', 27) AS timestamp, level, resource, body, metadata";
  const [json] = await queryRows(access, {
    sql: `SELECT avg(length(formatRow('JSONEachRow', ${sent}))), avg(length(formatRow('JSONEachRow', ${answered})))
      FROM (${formatRows({ ...spread, first: 0, count: 100_000 })})`,
  });
  const [count, stored] = parts as [number, number]; // as selected
  const [sentBytes, answeredBytes] = json as [number, number];
  return (
    `${count} parts, ${stored.toFixed(1)} bytes an entry on disk: 1/${(sentBytes / stored).toFixed(1)} of the JSON ` +
    `as sent (${sentBytes.toFixed(0)} bytes), 1/${(answeredBytes / stored).toFixed(1)} as answered (${answeredBytes.toFixed(0)})`
  );
}

os.setPriority(10);
const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-bench-'));
const engine = await startEngine({ directory, memoryBytesMax: engineMemoryBytes });
const access: EngineAccess = { endpoint: () => engine.endpoint, onUp: () => () => {} };
try {
  await createSchema({ access, clusterName: null });
  const startedAt = performance.now();
  await load(access);
  console.log(`${entries} entries loaded in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  console.log(await describeDisk(access));
  const queries = createLogQueries({
    shards: [access],
    clusterName: null,
    memoryBytesMax: questionMemoryBytes,
    settle: async () => {},
  });
  await measureQuestions(queries, spread, repetitions);
} finally {
  engine.kill();
  await engine.ended;
  await rm(directory, { recursive: true });
}
