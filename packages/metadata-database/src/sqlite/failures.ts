/** Translates SQLite's failures into messages for the operator, or constraint violations for the caller. */
import { BatchRefused, ConstraintViolation, DatabaseFailure } from '../failures.ts';
import type { ThreadFailure } from './protocol.ts';

/** Result codes from sqlite3.h. The low byte is the kind, the whole code the detail. */
const codes = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
  foreignKey: 787,
  primaryKey: 1555,
  unique: 2067,
} as const;

/** Clients see these messages while the service runs, so they name no file. */
const runningSentences: Readonly<Record<number, string>> = {
  [codes.busy]: 'The metadata database is locked by another process. Try again shortly.',
  [codes.locked]: 'The metadata database is locked by another process. Try again shortly.',
  [codes.readOnly]:
    'The metadata database cannot be written. Its owner must check the permissions of the data directory.',
  [codes.ioError]: 'The disk of the metadata database is failing. Its owner must check the disk.',
  [codes.corrupt]: 'The metadata database is damaged. Its owner must restore a backup.',
  [codes.cannotOpen]: 'The metadata database cannot be opened. Its owner must check the data directory.',
  [codes.notADatabase]: 'The metadata database is damaged. Its owner must restore a backup.',
};

const retryAfterSeconds = 1; // locks and stalls either end sooner or last until the operator acts

export function translateFailure(failure: ThreadFailure): Error {
  if (failure.refusedIndex !== undefined) return new BatchRefused(failure.refusedIndex);
  const cause = new Error(failure.message);
  if (failure.isExpired) {
    return new DatabaseFailure('unavailable', 'The change took too long and was undone. Try again.', {
      retryAfterSeconds,
      cause,
    });
  }
  const { sqliteCode } = failure;
  if (sqliteCode === codes.unique || sqliteCode === codes.primaryKey)
    return new ConstraintViolation('unique', cause);
  if (sqliteCode === codes.foreignKey) return new ConstraintViolation('reference', cause);
  if (sqliteCode === null) return cause;
  const kind = sqliteCode & 0xff;
  if (kind === codes.full) {
    return new DatabaseFailure('disk_full', 'The disk is full. Free some space, then try again.', {
      cause,
    });
  }
  const sentence = runningSentences[kind];
  if (sentence === undefined) return cause;
  return new DatabaseFailure('unavailable', sentence, { retryAfterSeconds, cause });
}

/** Only the operator reads messages at start, so they name the file and the remedy. */
export function translateOpeningFailure(failure: ThreadFailure, file: string): Error {
  const cause = new Error(failure.message);
  const kind = failure.sqliteCode === null ? null : failure.sqliteCode & 0xff;
  const sentence = kind === null ? undefined : openingSentences[kind];
  if (sentence !== undefined) return new DatabaseFailure('unavailable', sentence(file), { cause });
  if (kind === codes.full) {
    return new DatabaseFailure('disk_full', `The disk is full: free some space for ${file}.`, { cause });
  }
  return new DatabaseFailure('unavailable', `The database ${file} cannot be opened: ${failure.message}.`, {
    cause,
  });
}

const openingSentences: Readonly<Record<number, (file: string) => string>> = {
  [codes.busy]: file => `The database ${file} is locked by another process: end that process or wait for it.`,
  [codes.readOnly]: file =>
    `The database ${file} cannot be written: make the file and its directory writable.`,
  [codes.ioError]: file => `The disk failed while the database ${file} was being opened: check the disk.`,
  [codes.corrupt]: file => `The database ${file} is damaged: restore a backup.`,
  [codes.cannotOpen]: file =>
    `The database ${file} cannot be opened: create its directory and make it writable.`,
  [codes.notADatabase]: file => `The file ${file} is not a database: move it away or restore a backup.`,
};
