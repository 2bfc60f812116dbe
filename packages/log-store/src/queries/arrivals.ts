/**
 * Finds entries in the order in which they arrived. Each insert stamps its entries with the server's time when it begins,
 * and they become visible when it ends. So no more entries appear before the start of the oldest running insert.
 */
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Arrival,
  type ArrivedEntry,
  endArrivals,
  type LogEntry,
  type LogFilter,
  parseTraceId,
} from '@tapedeck/log-entries';
import { LogStoreFailure } from '../failures.ts';
import { Binder, queryRows, type Row, type Statement } from '../writer/engine/statements.ts';
import type { EngineAccess } from '../writer/engine/supervision.ts';
import { localTable } from '../writer/schema/schema.ts';
import { formatConditions } from './conditions.ts';
import { entryColumns, readEntry } from './entryRows.ts';
import type { ArrivalOptions, ArrivalSpan, FoundArrivals } from './logQueries.ts';
import { logQueryTimeMsMax, queryStream, type Runner, runQuery, type StreamOptions } from './queryRunner.ts';

type ArrivalDeps = { runner: Runner; table: string; shards: readonly EngineAccess[] };

const marginMicros = 1_000; // the engine rounds the age of an insert
const filtersMax = 8; // this process checks more filters itself: a statement must not grow with the number of followers
const filterValuesMax = 300; // for several filters together: the engine accepts 1,000 values per statement, including settings

export async function findEnd(
  { runner, shards }: ArrivalDeps,
  signal: AbortSignal,
): Promise<{ now: Arrival; settled: Arrival }> {
  const ends = await Promise.all(
    shards.map(async access =>
      readShardEnd(await runQuery({ ...runner, access }, { weight: 'light', signal }, endQuestion)),
    ),
  );
  return {
    now: endArrivals(Math.min(...ends.map(({ now }) => now))),
    settled: endArrivals(Math.min(...ends.map(({ settled }) => settled))),
  };
}

const settings = {
  max_execution_time: logQueryTimeMsMax / 1000,
};

/**
 * Asks a server for its `ShardEnd`. The server reads its time before the list of inserts, so every insert is in the list or
 * begins later.
 */
const endQuestion: Statement = {
  sql: `SELECT toUnixTimestamp64Micro(now64(6)), ifNull(max(elapsed), 0) FROM system.processes
    WHERE startsWith(query, {insert:String})`,
  parameters: { insert: `INSERT INTO ${localTable} ` },
};

/** A server's time, and the time before which no more entries will appear on it. */
type ShardEnd = { now: number; settled: number };

function readShardEnd(rows: readonly Row[]): ShardEnd {
  const [now, seconds] = rows[0] as [number, number]; // matches the SELECT; an aggregate has one row
  return { now, settled: now - Math.ceil(seconds * 1e6) - marginMicros };
}

const insertTimeMsMax = 120_000; // the flusher then gives up the insert
const closeIntervalMs = 20;

/** Takes the server's current time, and resolves to it once every insert that began before has ended. */
export async function closeArrivals(access: EngineAccess): Promise<number> {
  const deadline = performance.now() + insertTimeMsMax;
  const { now: untilMicros } = readShardEnd(await queryRows(access, endQuestion));
  for (;;) {
    const { settled } = readShardEnd(await queryRows(access, endQuestion));
    if (settled >= untilMicros) return untilMicros;
    if (performance.now() > deadline) {
      throw new LogStoreFailure(
        'engine_unavailable',
        'An insert into the log engine is taking too long; try again later.',
      );
    }
    await wait(closeIntervalMs);
  }
}

export async function findArrived(
  { runner, table }: ArrivalDeps,
  { filters, after, upTo, entriesMax, bytesMax }: ArrivalSpan,
  options: ArrivalOptions,
): Promise<FoundArrivals> {
  const binder = new Binder();
  const sql = `SELECT ${entryColumns}, toUnixTimestamp64Micro(arrivedAt), project FROM ${table}
    WHERE ${formatSpan(after, upTo, binder)}
    AND ${formatAnyFilter(filters, binder)}
    ORDER BY arrivedAt, timestamp, identity LIMIT ${entriesMax}`;
  const arrived: ArrivedEntry[] = [];
  let bytes = 0;
  let isCut = false;
  let startedAt = performance.now();
  const onPass = () => {
    startedAt = performance.now();
  };
  const statement = { sql, parameters: binder.parameters, settings };
  for await (const rows of queryStream(runner, { ...weigh(options), onPass }, statement)) {
    for (const row of rows) {
      // Reads to the end nevertheless: shards of 26.7 have crashed after a cancelled query.
      isCut ||= bytes >= bytesMax;
      if (isCut) break;
      const found = readArrived(row);
      bytes += measureEntry(found.entry);
      arrived.push(found);
    }
  }
  const last = arrived.at(-1);
  isCut ||= arrived.length === entriesMax;
  const tookMs = performance.now() - startedAt;
  return { arrived, upTo: isCut && last !== undefined ? last.arrival : upTo, bytes, tookMs };
}

function weigh(options: ArrivalOptions): StreamOptions {
  return { ...options, weight: options.urgency === 'now' ? 'light' : 'catchUp' };
}

function formatSpan(after: Arrival, upTo: Arrival, binder: Binder): string {
  const ends = `${formatBehind(after, binder)} AND ${formatUpTo(upTo, binder)}`;
  const { time, timestamp } = bindArrival(after, binder);
  if (timestamp === null || after.micros < upTo.micros) return ends;
  // Within one insert the key of the table leads to the place.
  return `arrivedAt = ${time} AND timestamp >= ${timestamp} AND ${ends}`;
}

function formatBehind(after: Arrival, binder: Binder): string {
  const { time, timestamp, identity } = bindArrival(after, binder);
  if (timestamp === null) return `arrivedAt > ${time}`; // after everything that arrived at that time
  return `arrivedAt >= ${time} AND (arrivedAt > ${time} OR timestamp > ${timestamp}
    OR timestamp = ${timestamp} AND identity > ${identity})`;
}

/** The bound may be inside an insert, if an earlier query had to stop there. */
function formatUpTo(upTo: Arrival, binder: Binder): string {
  const { time, timestamp, identity } = bindArrival(upTo, binder);
  if (timestamp === null) return `arrivedAt <= ${time}`;
  return `arrivedAt <= ${time} AND (arrivedAt < ${time} OR timestamp < ${timestamp}
    OR timestamp = ${timestamp} AND identity <= ${identity})`;
}

function bindArrival({ micros, traceId }: Arrival, binder: Binder) {
  const bindTime = (at: number) => `fromUnixTimestamp64Micro(${binder.bind('Int64', at)}, 'UTC')`;
  const time = bindTime(micros);
  const halves = parseTraceId(traceId);
  if (halves === null) return { time, timestamp: null, identity: null };
  const identity = binder.bind('UInt64', BigInt(`0x${halves.identity}`).toString());
  return { time, timestamp: bindTime(halves.timestampMicros), identity };
}

function formatAnyFilter(filters: readonly LogFilter[], binder: Binder): string {
  if (filters.length > 1 && isTooLong(filters)) {
    return `project IN ${binder.bindWords([...new Set(filters.map(({ project }) => project))])}`;
  }
  return `(${filters.map(filter => `(${formatConditions(filter, binder)})`).join(' OR ') || '0'})`;
}

function isTooLong(filters: readonly LogFilter[]): boolean {
  if (filters.length > filtersMax) return true;
  const trial = new Binder();
  for (const filter of filters) formatConditions(filter, trial);
  return trial.count > filterValuesMax;
}

function readArrived(row: Row): ArrivedEntry {
  const entry = readEntry(row);
  // The statement selects these after the entry's columns.
  const [micros, project] = row.slice(-2) as [number, string];
  return { arrival: { micros, traceId: entry.traceId }, project, entry };
}

const overheadBytes = { entry: 400, path: 40 }; // of the JavaScript values around the texts

/** Estimates the memory that the entry takes while it is sent: as values and as text. */
function measureEntry({ body, resource, metadata }: LogEntry): number {
  let bytes = overheadBytes.entry + 2 * (body.length + resource.length);
  for (const path in metadata) bytes += overheadBytes.path + 2 * (path.length + metadata[path]!.length);
  return bytes;
}
