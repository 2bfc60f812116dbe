/** Keeps two processes out of one directory, because each would remove files that the other still writes to. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Failure } from '@tapedeck/values/failure';

export const lockName = 'lock';
const waitMsMax = 1_000; // a process that only checks the lock reads for a moment

/** Another process holds the directory. The caller chooses the message. */
export class DirectoryTaken extends Failure<'unavailable'> {}

/**
 * Holds the lock until it is disposed of or the process ends in any way. It uses SQLite's file locks, which work on every platform and
 * between containers, where process ids mean nothing. The file `lock` must stay in the directory.
 */
export function lockDirectory(
  directory: string,
  refusal = `Another process uses the directory ${directory}; give each its own directory.`,
): Disposable {
  const database = openLock(directory, waitMsMax);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    throw asFileError(cause, directory) ?? new DirectoryTaken('unavailable', refusal, { cause });
  }
  return { [Symbol.dispose]: () => database.close() };
}

/** True if a service uses the directory now. Reading shares the lock, so that a check keeps no service out. */
export function isHeld(directory: string): boolean {
  const database = openLock(directory, 0);
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch {
    return true;
  } finally {
    database.close();
  }
}

function openLock(directory: string, timeout: number): DatabaseSync {
  try {
    return new DatabaseSync(path.join(directory, lockName), { timeout });
  } catch (error) {
    throw asFileError(error, directory) ?? error;
  }
}

/** SQLite's result codes for file system errors, https://sqlite.org/rescode.html. */
const fileCodes: Readonly<Record<number, string>> = {
  3: 'EACCES',
  8: 'EROFS',
  10: 'EIO',
  13: 'ENOSPC',
  14: 'EACCES',
};
const primaryCodeMask = 0xff;

/** Translates a failure as Node.js would report it. Returns null if another process holds the file. */
function asFileError(cause: unknown, directory: string): Error | null {
  const number = cause instanceof Error && 'errcode' in cause ? Number(cause.errcode) & primaryCodeMask : 0;
  const code = fileCodes[number];
  if (code === undefined) return null;
  const file = path.join(directory, lockName);
  return Object.assign(new Error(`${code}: lock ${file}`, { cause }), { code, syscall: 'lock', path: file });
}
