/** Keeps two services out of one journal: each would remove files that the other still writes to. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../../vocabulary.ts';

/** Held until disposed of, or until the process ends in whatever way. SQLite's file locks do this on every platform. */
export function lockDirectory(directory: string): Disposable {
  return takeLock(directory, lookMsMax);
}

const lookMsMax = 1_000; // whoever only looks holds it for a moment

function takeLock(directory: string, timeout: number): Disposable {
  const database = new DatabaseSync(path.join(directory, 'lock'), { timeout });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    throw new ServiceError(
      'unavailable',
      `Another service uses the directory ${directory}; give each service its own TAPEDECK_DATA_DIR.`,
      { cause },
    );
  }
  return { [Symbol.dispose]: () => database.close() };
}

/** Whether a service uses the directory at present. */
export function isHeld(directory: string): boolean {
  try {
    takeLock(directory, 0)[Symbol.dispose]();
    return false;
  } catch {
    return true;
  }
}
