/** Translates PostgreSQL's failures into messages for the operator, or constraint violations for the caller. */
import { Failure } from '@tapedeck/values/failure';
import { ConstraintViolation, DatabaseFailure } from '../failures.ts';

const retryAfterSeconds = 1; // most failures end once the server has restarted or a lock is released

/** The transaction lost a conflict. It can run again unchanged. */
export class TransactionLost extends Error {
  constructor(cause: unknown) {
    super('The transaction conflicted with another one.', { cause });
    this.name = 'TransactionLost';
  }
}

/** The server is a replica or set to read-only. Another connection may lead to a different server. */
export class ReadOnlyServer extends DatabaseFailure {
  constructor(cause?: unknown) {
    const sentence = 'The metadata database accepts no changes at the moment. Try again shortly.';
    super('unavailable', sentence, { retryAfterSeconds, cause });
  }
}

/** SQLSTATE codes. A class of two characters covers all of its codes. See appendix A of PostgreSQL's manual. */
const states = {
  unique: '23505',
  foreignKey: '23503',
  notSupported: '0A000',
  serialization: '40001',
  deadlock: '40P01',
  readOnly: '25006',
  diskFull: '53100',
} as const;

/** Clients see these messages while the service runs, so they name no host. */
const runningSentences: Readonly<Record<string, string>> = {
  '08': 'The metadata database does not answer. Try again shortly.',
  '25': 'The metadata database accepts no changes at the moment. Try again shortly.',
  '28': 'The metadata database refuses the service. Its owner must check user and password.',
  '53': 'The metadata database is overloaded. Try again shortly.',
  '55': 'The metadata database is locked by another process. Try again shortly.',
  '57': 'The metadata database took too long or is restarting. Try again shortly.',
  '58': 'The disk of the metadata database is failing. Its owner must check the disk.',
  XX: 'The metadata database is damaged. Its owner must restore a backup.',
};

export function translateFailure(error: unknown): Error {
  if (error instanceof Failure) return error;
  const state = readState(error);
  if (state === null) {
    if (!isConnectionTrouble(error)) return error instanceof Error ? error : new Error(String(error));
    return unavailableError('The metadata database does not answer. Try again shortly.', error);
  }
  if (state === states.unique) return new ConstraintViolation('unique', error);
  if (state === states.foreignKey) return new ConstraintViolation('reference', error);
  if (state === states.serialization || state === states.deadlock || isStalePlan(error))
    return new TransactionLost(error);
  if (state === states.readOnly) return new ReadOnlyServer(error);
  if (state === states.diskFull) {
    return new DatabaseFailure('disk_full', 'The disk is full. Free some space, then try again.', {
      cause: error,
    });
  }
  const sentence = runningSentences[state.slice(0, 2)];
  return sentence === undefined ? toError(error) : unavailableError(sentence, error);
}

/** True if a newer version changed a table under a prepared statement. Preparing it again fixes that. */
export function isStalePlan(error: unknown): boolean {
  return (
    readState(error) === states.notSupported &&
    error instanceof Error &&
    error.message.includes('cached plan')
  );
}

/** `setting` names the setting that holds the address. */
export type ServerAddress = { host: string; port: number; database: string; user: string; setting: string };

/** Only the operator reads messages at start, so they name the server, but never the password. */
export function translateOpeningFailure(
  error: unknown,
  { host, port, database, user, setting }: ServerAddress,
): Error {
  if (error instanceof Failure) return error;
  const server = `PostgreSQL at ${host}:${port}`;
  const state = readState(error);
  if (state === '3D000') return unavailableError(`${server} has no database ${database}: create it.`, error);
  if (state === '28P01')
    return unavailableError(`${server} refuses the password of ${user}: check ${setting}.`, error);
  if (state?.startsWith('28'))
    return unavailableError(`${server} does not accept connections of ${user}: check pg_hba.conf.`, error);
  if (state === '42501')
    return unavailableError(
      `${server} does not let ${user} create tables in ${database}: grant that right.`,
      error,
    );
  if (state === '57P03')
    return unavailableError(`${server} is starting or stopping: try again shortly.`, error);
  if (state === '53300')
    return unavailableError(`${server} has no connection left: raise max_connections.`, error);
  if (state !== null) return translateFailure(error);
  const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return unavailableError(`${server} does not answer${reason}: start it, or check ${setting}.`, error);
}

function readState(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  return /^[0-9A-Z]{5}$/.test(error.code) && 'severity' in error ? error.code : null;
}

/** Recognizes `pg`'s errors that have no SQLSTATE: socket codes, or messages about the connection. */
function isConnectionTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string' && /^E[A-Z_]+$/.test(error.code)) return true;
  return /connect|terminat|timeout|not queryable/i.test(error.message);
}

function unavailableError(sentence: string, cause: unknown): DatabaseFailure {
  return new DatabaseFailure('unavailable', sentence, { retryAfterSeconds, cause });
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
