/** The datasets of a project: their names, and how much lies in them. */
import type { DatasetUsage } from '../../../domain/ports/logQueries.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { activeParts, localTable } from '../schema.ts';
import { Binder } from './conditions.ts';
import { type Asking, askRows, type Runner } from './running.ts';

const namesPerQuestion = 100; // keeps the statement short, however long the names are

export type DatasetDeps = { runner: Runner; shards: readonly EngineAccess[] };

export async function listDatasets(
  deps: DatasetDeps,
  project: string,
  signal: AbortSignal,
): Promise<DatasetUsage[]> {
  const usages = new Map<string, DatasetUsage>();
  for (const access of deps.shards) {
    for (const found of await listOnShard({ ...deps.runner, access }, project, signal)) {
      const usage = usages.get(found.name);
      if (usage === undefined) usages.set(found.name, found);
      else {
        usage.entries += found.entries;
        usage.bytes += found.bytes;
        usage.lastEntryMicros = Math.max(usage.lastEntryMicros, found.lastEntryMicros);
      }
    }
  }
  return [...usages.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function listOnShard(runner: Runner, project: string, signal: AbortSignal): Promise<DatasetUsage[]> {
  const asking = { weight: 'heavy', signal } as const;
  const counted = await askRows(runner, asking, {
    sql: `SELECT dataset, count() FROM ${localTable} WHERE project = {project:String} GROUP BY dataset`,
    parameters: { project },
    settings: { optimize_aggregation_in_order: 1 }, // the order of the key: a fourth of the work
  });
  const packing = await readPacking(runner, asking);
  const rows = counted as [string, number][]; // as selected
  const last = new Map<string, LastEntries>();
  for (let start = 0; start < rows.length; start += namesPerQuestion) {
    const names = rows.slice(start, start + namesPerQuestion).map(([name]) => name);
    for (const found of await findLastEntries(runner, asking, { project, names }))
      last.set(found.name, found);
  }
  return rows.map(([name, entries]) => ({
    name,
    entries,
    bytes: Math.round(entries * (last.get(name)?.bytesEach ?? 0) * packing),
    lastEntryMicros: last.get(name)?.lastMicros ?? 0,
  }));
}

/** How many bytes on disk a byte of entries takes. Datasets share parts, so that the engine cannot tell the bytes of one. */
async function readPacking(runner: Runner, asking: Asking): Promise<number> {
  const [row] = await askRows(runner, asking, {
    sql: `SELECT sum(bytes_on_disk) / greatest(sum(data_uncompressed_bytes), 1) FROM ${activeParts}`,
  });
  return (row as [number])[0]; // a sum without groups is one row
}

type LastEntries = { name: string; lastMicros: number; bytesEach: number };

/** Enough to tell datasets of long entries from those of short ones. */
const sampledEntries = 200;
/** The bytes of an entry before packing: its fixed columns and its texts. */
const entryBytes = `40 + length(body) + length(parentId)
  + arraySum(value -> length(value) + 2, mapValues(metadata))`;

/** Each is read off the end of its dataset. */
async function findLastEntries(
  runner: Runner,
  asking: Asking,
  { project, names }: { project: string; names: readonly string[] },
): Promise<LastEntries[]> {
  const binder = new Binder();
  const projectText = binder.bind('String', project);
  const sql = names
    .map(name => {
      const dataset = binder.bind('String', name);
      return `(SELECT ${dataset}, toUnixTimestamp64Micro(max(timestamp)), avg(bytes) FROM (
        SELECT timestamp, ${entryBytes} AS bytes FROM ${localTable}
        WHERE project = ${projectText} AND dataset = ${dataset} ORDER BY timestamp DESC LIMIT ${sampledEntries}))`;
    })
    .join(' UNION ALL ');
  const rows = await askRows(runner, asking, { sql, parameters: binder.parameters });
  // As each of them selects.
  return (rows as [string, number, number][]).map(([name, lastMicros, bytesEach]) => ({
    name,
    lastMicros,
    bytesEach,
  }));
}
