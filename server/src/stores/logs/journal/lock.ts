/** Keeps two services out of one journal: each would remove files that the other still writes to. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../../vocabulary.ts';

const lookMsMax = 1_000; // a process that only looks reads for a moment

/** Held until disposed of, or until the process ends in whatever way. SQLite's file locks do this on every platform. */
export function lockDirectory(directory: string): Disposable {
  const database = openLock(directory, lookMsMax);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    throw usedError(directory, cause);
  }
  return { [Symbol.dispose]: () => database.close() };
}

/** Throws what `lockDirectory` throws; for what comes before the lock, and takes long when another service is there. */
export function requireFree(directory: string): void {
  if (isHeld(directory)) throw usedError(directory);
}

/** Whether a service uses the directory at present. Reading shares the lock, so that a look keeps no service out. */
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
  return new DatabaseSync(path.join(directory, 'lock'), { timeout });
}

function usedError(directory: string, cause?: unknown): ServiceError {
  const sentence = `Another service uses the directory ${directory}; give each service its own TAPEDECK_DATA_DIR.`;
  return new ServiceError('unavailable', sentence, { cause });
}
