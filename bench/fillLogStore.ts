/** Fills a log store with entries, as a separate program. The engine generates them, so that none must be sent. */
import {
  createSchema,
  type EngineAccess,
  localTable,
  queryRows,
  runCommand,
  startEngine,
} from '@tapedeck/log-store/testing';

/** The number of entries in the table, and the time over which they are spread evenly. */
export type Spread = { entries: number; startMicros: number; intervalMicros: number };

export type RowRange = { first: number; count: number; startMicros: number; intervalMicros: number };

/** Returns a SELECT of the range's entries, with the columns of `schema.ts`; `message` is the body. */
type FormatRows = (range: RowRange) => string;

export type DiskUse = { storedBytes: number; sentBytes: number; answeredBytes: number; parts: number };

const chunkEntries = 500_000;
const engineMemoryBytes = 1_500_000_000; // for loading; queries take far less
const sampleEntries = 100_000;

/** Fills the directory of a service's log store while no service runs there. Existing entries count. */
export async function fillLogStore(
  directory: string,
  spread: Spread,
  formatRows: FormatRows,
): Promise<DiskUse> {
  const engine = await startEngine({ directory, memoryBytesMax: engineMemoryBytes });
  const access: EngineAccess = { endpoint: () => engine.endpoint, onUp: () => () => {} };
  try {
    await createSchema({ access, clusterName: null });
    await insertMissing(access, spread, formatRows);
    return await readDiskUse(access, spread, formatRows);
  } finally {
    await engine.stop();
  }
}

async function insertMissing(access: EngineAccess, spread: Spread, formatRows: FormatRows): Promise<void> {
  const [row] = await queryRows(access, { sql: `SELECT count() FROM ${localTable}` });
  const [stored] = row as [number]; // the selected column
  if (stored >= spread.entries) return;
  const columns = 'project, dataset, timestamp, identity, level, resource, parentId, body, metadata';
  for (let first = stored; first < spread.entries; first += chunkEntries) {
    const rows = formatRows({ ...spread, first, count: Math.min(chunkEntries, spread.entries - first) });
    await runCommand(
      access,
      `INSERT INTO ${localTable} (${columns}) ${rows} SETTINGS max_insert_threads = 1, insert_deduplicate = 0`,
    );
  }
  await runCommand(access, `OPTIMIZE TABLE ${localTable} FINAL`);
}

/** Returns bytes per entry: on disk, as sent, and as answered. */
async function readDiskUse(access: EngineAccess, spread: Spread, formatRows: FormatRows): Promise<DiskUse> {
  const [table] = await queryRows(access, {
    sql: `SELECT count(), sum(bytes_on_disk) / sum(rows) FROM system.parts WHERE active AND table = 'logs'`,
  });
  const sent = 'level, resource, body AS message, metadata';
  const answered =
    "repeat('0', 32) AS traceId, parentId, repeat('0', 27) AS timestamp, level, resource, body, metadata";
  const [json] = await queryRows(access, {
    sql: `SELECT avg(length(formatRow('JSONEachRow', ${sent}))), avg(length(formatRow('JSONEachRow', ${answered})))
      FROM (${formatRows({ ...spread, first: 0, count: sampleEntries })})`,
  });
  const [parts, storedBytes] = table as [number, number]; // the selected columns
  const [sentBytes, answeredBytes] = json as [number, number]; // the selected columns
  return { parts, storedBytes, sentBytes, answeredBytes };
}
