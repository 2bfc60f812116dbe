/** The connections to PostgreSQL: how many, their settings, and their timeouts. */
import pg from 'pg';
import type { PostgresPlace } from '../databaseUrl.ts';
import { DatabaseFailure } from '../failures.ts';
import { type ChosenLimits, databaseLimits } from '../limits.ts';
import { type ServerAddress, translateFailure, translateOpeningFailure } from './failures.ts';
import { buildStatementNames, type StatementNames } from './statementNames.ts';

const poolLimits = {
  connectionsMax: 6, // fifty processes have 300; frequent calls share transactions (`batcher.ts`)
  connectMsMax: 5_000, // a server in the same network answers much faster
  idleMsMax: 30_000, // closes connections after a burst
  statementMsMax: 15_000, // far above any query of the store
  serverVersionMin: 130_000, // the oldest version that PostgreSQL maintained when this was written
} as const;

const int8 = 20; // pg_type.h

/**
 * `names` is null behind a pooler such as PgBouncer, which lends out a connection for one transaction. Settings and prepared statements
 * would then be lost or reach another client.
 */
export type Connections = { pool: pg.Pool; names: StatementNames | null; transactionSettings: string };

export async function openPool(place: PostgresPlace, limits: ChosenLimits): Promise<Connections> {
  const address = readAddress(place);
  let isLent: boolean | null = null;
  const pool = new pg.Pool({
    connectionString: place.url,
    application_name: place.applicationName,
    max: place.connectionsMax ?? poolLimits.connectionsMax,
    connectionTimeoutMillis: poolLimits.connectMsMax,
    idleTimeoutMillis: poolLimits.idleMsMax,
    keepAlive: true,
    pipeline: true, // sends a transaction's first query with its `begin`
    types: { getTypeParser: chooseParser },
    onConnect: async client => {
      isLent ??= await isLentByPooler(client);
      if (!isLent) await client.query(composeSettings(limits, 'session'));
    },
  });
  // If an idle connection breaks, it has left the pool already and the next query gets another one. If a busy one breaks, its queries
  // reject. Without a listener, the event would also end the process.
  pool.on('error', () => undefined);
  pool.on('connect', client => client.on('error', () => undefined));
  try {
    await checkServer(pool, address);
  } catch (error) {
    await pool.end();
    throw translateOpeningFailure(error, address);
  }
  return isLent
    ? { pool, names: null, transactionSettings: composeSettings(limits, 'local') }
    : { pool, names: buildStatementNames(), transactionSettings: '' };
}

/** True behind a pooler. A pooler reports a process id that isn't the server's. */
async function isLentByPooler(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  // `pg` keeps the id to cancel queries; its types don't declare it.
  const { processID } = client as pg.ClientBase & { processID: number | null };
  return rows[0]?.pid !== processID;
}

/** Keeps the password out of messages and causes. */
function readAddress({ url, setting }: PostgresPlace): ServerAddress {
  try {
    const { host, port, database, user } = new pg.Client({ connectionString: url });
    return { host, port, database: database ?? '', user: user ?? '', setting };
  } catch {
    throw new DatabaseFailure(
      'invalid_field',
      `${setting} is not an address of PostgreSQL: write postgres://user:password@host:5432/database.`,
    );
  }
}

/** Sets what our guarantees need, regardless of the server's defaults, for the session or one transaction. */
function composeSettings(limits: ChosenLimits, scope: 'session' | 'local'): string {
  const transactionMsMax = limits.transactionMsMax ?? databaseLimits.transactionMsMax;
  return `
    set ${scope} statement_timeout = ${poolLimits.statementMsMax};
    set ${scope} lock_timeout = ${limits.lockWaitMsMax ?? databaseLimits.lockWaitMsMax};
    set ${scope} idle_in_transaction_session_timeout = ${2 * transactionMsMax};
    select set_config('synchronous_commit', 'on', ${scope === 'local'})
      where current_setting('synchronous_commit') not in ('on', 'remote_apply')`;
}

async function checkServer(pool: pg.Pool, { host, port, database }: ServerAddress): Promise<void> {
  const { rows } = await pool.query<{ version: number; encoding: string }>(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`,
  );
  const [server] = rows;
  if (server === undefined || server.version < poolLimits.serverVersionMin) {
    throw new DatabaseFailure(
      'unavailable',
      `PostgreSQL at ${host}:${port} is too old: version 13 or newer is needed.`,
    );
  }
  if (server.encoding !== 'UTF8') {
    throw new DatabaseFailure(
      'unavailable',
      `The database ${database} at ${host}:${port} holds text as ${server.encoding}: create one with encoding UTF8.`,
    );
  }
}

/** Parses 64-bit integers as exact numbers. Counts and timestamps use them. */
function chooseParser(typeId: number, format?: 'text' | 'binary'): ReturnType<typeof pg.types.getTypeParser> {
  if (typeId === int8 && format !== 'binary') return parseInteger;
  return format === 'binary'
    ? pg.types.getTypeParser(typeId, 'binary')
    : pg.types.getTypeParser(typeId, 'text');
}

function parseInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is not an exact number in JavaScript.`);
  return number;
}

export async function checkOut(pool: pg.Pool): Promise<pg.PoolClient> {
  if (pool.ending) {
    throw new DatabaseFailure('stopping', 'The service is stopping. Try again shortly.', {
      retryAfterSeconds: 1,
    });
  }
  try {
    return await pool.connect();
  } catch (error) {
    throw translateFailure(error);
  }
}
