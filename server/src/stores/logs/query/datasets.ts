/** The datasets of a project: their names, and how much lies in them. */
import type { DatasetUsage } from '../../../domain/ports/logQueries.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { localTable } from '../schema.ts';
import { Binder } from './conditions.ts';
import { type Asking, askRows, type Runner } from './running.ts';

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
  const binder = new Binder();
  const counted = await askRows(runner, asking, {
    sql: `SELECT dataset, _part, count() FROM ${localTable}
      WHERE project = ${binder.bind('String', project)} GROUP BY dataset, _part`,
    parameters: binder.parameters,
  });
  const bytesPerEntry = await readBytesPerEntry(runner, asking);
  const usages = new Map<string, DatasetUsage>();
  // As the statement selects them.
  for (const [name, part, entries] of counted as [string, string, number][]) {
    const usage = usages.get(name) ?? { name, entries: 0, bytes: 0, lastEntryMicros: 0 };
    usages.set(name, usage);
    usage.entries += entries;
    usage.bytes += Math.round(entries * (bytesPerEntry.get(part) ?? 0));
  }
  for (const [name, lastEntryMicros] of await findLastEntries(runner, asking, {
    project,
    names: [...usages.keys()],
  })) {
    const usage = usages.get(name);
    if (usage) usage.lastEntryMicros = lastEntryMicros;
  }
  return [...usages.values()];
}

/** Of each part, by name. Entries of several datasets share parts, and the bytes of those by number. */
async function readBytesPerEntry(runner: Runner, asking: Asking): Promise<Map<string, number>> {
  const [database, table] = localTable.split('.');
  const rows = await askRows(runner, asking, {
    sql: `SELECT name, bytes_on_disk / greatest(rows, 1) FROM system.parts
      WHERE active AND database = {database:String} AND table = {table:String}`,
    parameters: { database: database ?? '', table: table ?? '' },
  });
  return new Map(rows as [string, number][]); // as selected
}

/** Each is read off the end of its dataset. */
async function findLastEntries(
  runner: Runner,
  asking: Asking,
  { project, names }: { project: string; names: readonly string[] },
): Promise<[string, number][]> {
  if (names.length === 0) return [];
  const binder = new Binder();
  const projectText = binder.bind('String', project);
  const sql = names
    .map(name => {
      const dataset = binder.bind('String', name);
      return `(SELECT ${dataset}, toUnixTimestamp64Micro(timestamp) FROM ${localTable}
        WHERE project = ${projectText} AND dataset = ${dataset} ORDER BY timestamp DESC LIMIT 1)`;
    })
    .join(' UNION ALL ');
  // As each part of the union selects them.
  return (await askRows(runner, asking, { sql, parameters: binder.parameters })) as unknown as [
    string,
    number,
  ][]; // as selected
}
