/** Lists the parts of the log table, from the engine and from its directories on disk. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '@tapedeck/durable-files';
import { queryRows } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { localTable } from '../schema/schema.ts';
import type { RecordedPart } from './ledgerFile.ts';

/**
 * `isActive`: queries read the part, and its directory exists. An inactive part with entries lost its directory while the
 * engine ran, and the engine does not know it yet. An empty part takes the place of a part whose entries were removed on
 * purpose. It stays for at least eight seconds (`old_parts_lifetime`), over restarts too.
 */
export type PresentPart = RecordedPart & { isActive: boolean };

const timeMsMax = 5_000; // it takes milliseconds; an engine that hangs must not hold up the end of the service

const ofLogs = `concat(database, '.', table) = '${localTable}'`;
const partsQuery = `SELECT name, rows, toUnixTimestamp(min_time), toUnixTimestamp(max_time), hash_of_all_files, active, path
  FROM system.parts WHERE ${ofLogs} AND (active OR rows = 0)`;

export async function listPresentParts(access: EngineAccess): Promise<PresentPart[]> {
  const first = await listParts(access);
  const suspects = await findAbsent(first);
  if (suspects.length === 0) return first.map(({ part }) => part);
  // A part that was merged meanwhile is no longer listed as active.
  const second = await listParts(access);
  const absent = (await findAbsent(second)).filter(name => suspects.includes(name));
  return second.map(({ part }) => (absent.includes(part.name) ? { ...part, isActive: false } : part));
}

type Listed = { part: PresentPart; directory: string };

async function listParts(access: EngineAccess): Promise<Listed[]> {
  const signal = AbortSignal.timeout(timeMsMax);
  const rows = await queryRows(access, { sql: partsQuery, signal });
  // As selected.
  return (rows as [string, number, number, number, string, number, string][]).map(
    ([name, entries, fromSecond, toSecond, key, active, directory]) => ({
      part: { name, entries, fromSecond, toSecond, key, isActive: active === 1 },
      directory,
    }),
  );
}

/** Returns the names of active parts without a directory. All lie in the directory of the table. */
async function findAbsent(listed: readonly Listed[]): Promise<string[]> {
  const active = listed.filter(({ part }) => part.isActive);
  const [first] = active;
  if (first === undefined) return [];
  const names = new Set(await listNames(path.dirname(first.directory)));
  return active.map(({ part }) => part.name).filter(name => !names.has(name));
}

async function listNames(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return [];
    throw error;
  }
}

/** Lists the names under which the engine or the service set parts aside; they begin with the reason. */
export async function listDetached(access: EngineAccess): Promise<string[]> {
  const sql = `SELECT name FROM system.detached_parts WHERE ${ofLogs}`;
  const rows = await queryRows(access, { sql, signal: AbortSignal.timeout(timeMsMax) });
  return (rows as [string][]).map(([name]) => name); // as selected
}
