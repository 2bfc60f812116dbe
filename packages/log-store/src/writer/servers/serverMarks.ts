/**
 * Marks on ClickHouse servers say whose entries a server holds, and under which name the installation knows it. A
 * server without a mark is new, or came back with an empty disk, and then acknowledged entries are missing.
 */

import { Failure } from '@tapedeck/values/failure';
import { newId } from '@tapedeck/values/random-ids';
import { LogStoreFailure, WrongOwner } from '../../failures.ts';
import { EngineError } from '../engine/requests.ts';
import { queryRows, runCommand } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { localTable } from '../schema/schema.ts';
import type { LogServers } from './logServers.ts';

/** `names`: all that this installation ever gave the server; several if two nodes marked it at once. */
export type ServerMark = { installationId: string; names: readonly string[] };

const markTable = 'tapedeck.installation_marks';

const [logDatabase, logTable] = localTable.split('.');
const isLogTable = `database = '${logDatabase}' AND name = '${logTable}'`;

const codes = { unknownTable: 60, unknownDatabase: 81, accessDenied: 497 } as const;

/** Returns null if the server has no mark. */
export async function readServerMark(access: EngineAccess, signal?: AbortSignal): Promise<ServerMark | null> {
  const sql = `SELECT installation, server FROM ${markTable} ORDER BY markedAt DESC`;
  try {
    const rows = (await queryRows(access, { sql, signal })) as [string, string][]; // as selected
    const [latest] = rows;
    if (latest === undefined) return null;
    const [installationId] = latest;
    return { installationId, names: rows.filter(([id]) => id === installationId).map(([, name]) => name) };
  } catch (error) {
    if (isRefusal(error, [codes.unknownTable, codes.unknownDatabase])) return null;
    throw error;
  }
}

/** Marks a server with a new name, and returns the name. An operator may have created the table, as a replicated one. */
export async function markServer(
  access: EngineAccess,
  installationId: string,
  signal?: AbortSignal,
): Promise<string> {
  const name = newId();
  await runCommand(access, 'CREATE DATABASE IF NOT EXISTS tapedeck', { signal });
  await runCommand(
    access,
    `CREATE TABLE IF NOT EXISTS ${markTable} (
      installation String, server String, markedAt DateTime64(6) DEFAULT now64(6)
    ) ENGINE = MergeTree ORDER BY markedAt SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
    { signal },
  );
  await runCommand(
    access,
    `INSERT INTO ${markTable} (installation, server) VALUES ({installation:String}, {server:String})`,
    { parameters: { installation: installationId, server: name }, signal },
  );
  return name;
}

/**
 * Throws if a server belongs to another installation or lacks what it held. Resolves to the new servers: `markNew` marks
 * them once they have tables. Create tables only after this check, because queries would read an empty server that looked
 * complete. A server whose marks the service may not read counts as its own.
 */
export async function checkMarks(
  shards: readonly EngineAccess[],
  servers: LogServers,
  signal?: AbortSignal,
): Promise<NewServers> {
  try {
    return await compareMarks(shards, servers, signal);
  } catch (error) {
    if (!isRefusal(error, [codes.accessDenied])) throw error;
    return { unmarked: [], found: [] };
  }
}

/** `found`: the names of the servers that have marks. */
type NewServers = { unmarked: readonly EngineAccess[]; found: readonly string[] };

async function compareMarks(
  shards: readonly EngineAccess[],
  servers: LogServers,
  signal?: AbortSignal,
): Promise<NewServers> {
  const { installationId } = servers;
  const marks = await Promise.all(shards.map(access => readServerMark(access, signal)));
  for (const [index, mark] of marks.entries()) {
    if (mark === null || mark.installationId === installationId) continue;
    throw new WrongOwner(servers.explainForeign(nameServer(shards[index]!), mark.installationId));
  }
  const found = marks.flatMap(mark => mark?.names ?? []);
  const unmarked = shards.filter((_, index) => marks[index] === null);
  if (unmarked.length > 0) await requireNew(unmarked, { servers, found, signal });
  for (const access of shards) if (!unmarked.includes(access)) await requireTable(access, signal);
  return { unmarked, found };
}

/** Marks new servers, and leaves alone those that the service may not mark. */
export async function markNew(
  { unmarked, found }: NewServers,
  servers: LogServers,
  signal?: AbortSignal,
): Promise<void> {
  try {
    const { installationId } = servers;
    const added = await Promise.all(unmarked.map(access => markServer(access, installationId, signal)));
    await servers.add([...found, ...added]);
    if (unmarked.length > 0) await servers.endUnmarked();
  } catch (error) {
    if (!isRefusal(error, [codes.accessDenied])) throw error;
  }
}

/**
 * Rejects unless all servers still have the mark and their table. A server that lost either does not get it back by itself,
 * so an answer read before this check is complete.
 */
export async function requireStanding(
  shards: readonly EngineAccess[],
  installationId: string,
  signal: AbortSignal,
): Promise<void> {
  const sql = `SELECT argMax(installation, markedAt), (SELECT count() FROM system.tables WHERE ${isLogTable}) FROM ${markTable}`;
  const isOurs = async (access: EngineAccess) => {
    try {
      const [row] = await queryRows(access, { sql, signal });
      return row?.[0] === installationId && Number(row[1]) > 0;
    } catch (error) {
      if (isRefusal(error, [codes.accessDenied])) return true;
      if (isRefusal(error, [codes.unknownTable, codes.unknownDatabase])) return false;
      throw error;
    }
  };
  const standing = await Promise.all(shards.map(isOurs));
  if (standing.includes(false)) throw describeLoss(shards[standing.indexOf(false)]!);
}

/** The table is created before the mark, so a server with a mark also has the table. */
async function requireTable(access: EngineAccess, signal: AbortSignal | undefined): Promise<void> {
  if (!(await hasLogTable(access, signal))) throw describeLoss(access);
}

export async function hasLogTable(access: EngineAccess, signal?: AbortSignal): Promise<boolean> {
  const sql = `SELECT 1 FROM system.tables WHERE ${isLogTable}`;
  const [table] = await queryRows(access, { sql, signal });
  return table !== undefined;
}

type Knowledge = { servers: LogServers; found: readonly string[]; signal: AbortSignal | undefined };

async function requireNew(
  unmarked: readonly EngineAccess[],
  { servers, found, signal }: Knowledge,
): Promise<void> {
  const known = await servers.list();
  const isMissing = [...known].some(name => !found.includes(name));
  if (isMissing) throw describeLoss(unmarked[0]!);
  if (await servers.mayBeUnmarked()) return;
  for (const access of unmarked) {
    if (await holdsEntries(access, signal)) throw new WrongOwner(servers.explainUnknown(nameServer(access)));
  }
}

async function holdsEntries(access: EngineAccess, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    const [entry] = await queryRows(access, { sql: `SELECT 1 FROM ${localTable} LIMIT 1`, signal });
    return entry !== undefined;
  } catch (error) {
    if (isRefusal(error, [codes.unknownTable, codes.unknownDatabase])) return false;
    throw error;
  }
}

/** Marks unmarked servers, even ones with contents; resolves to those of another installation. */
export async function markUnmarked(shards: readonly EngineAccess[], servers: LogServers): Promise<string[]> {
  const foreign: string[] = [];
  for (const access of shards) {
    const mark = await readServerMark(access);
    if (mark === null) await servers.add([await markServer(access, servers.installationId)]);
    else if (mark.installationId !== servers.installationId) foreign.push(nameServer(access));
  }
  return foreign;
}

/** Not a `WrongOwner`: the node starts and accepts entries, but answers no queries. */
function describeLoss(access: EngineAccess): LogStoreFailure {
  return new LogStoreFailure(
    'unavailable',
    `${nameServer(access).replace('the', 'The')} has lost the mark of this installation or its table, and with it, surely, entries: ` +
      'no question is answered, and new entries wait in the journal. Bring its disk back, or run `tapedeck adopt` to go on without what it held.',
  );
}

export function nameServer(access: EngineAccess): string {
  const endpoint = access.endpoint();
  if (endpoint === null) return 'the log engine of this installation';
  const { origin, pathname } = new URL(endpoint.url); // the URL's query may hold a password
  return `the ClickHouse server at ${origin}${pathname === '/' ? '' : pathname}`;
}

/** Queries treat a missing table as an outage; here it means that a server is empty. */
function isRefusal(error: unknown, engineCodes: readonly number[]): boolean {
  const cause = error instanceof Failure ? error.cause : error;
  return cause instanceof EngineError && engineCodes.includes(cause.engineCode);
}
