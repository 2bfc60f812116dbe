/** Runs the conformance suite on SQLite, with one directory per database file. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DatabasePlace } from '../../src/index.ts';
import type { Adapter } from './cases.ts';

export function readFileName(place: DatabasePlace): string {
  assert.equal(place.kind, 'sqlite');
  return place.kind === 'sqlite' ? place.file : '';
}

export const sqliteAdapter: Adapter = {
  name: 'SQLite',
  createEmpty: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'library-'));
    return {
      place: { kind: 'sqlite', file: join(directory, 'library.db') },
      [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
    };
  },
  checkIntegrity: async place => {
    using database = new DatabaseSync(readFileName(place));
    const integrity = database.prepare('PRAGMA integrity_check').all();
    assert.deepEqual(
      integrity.map(row => ({ ...row })),
      [{ integrity_check: 'ok' }],
    );
    assert.deepEqual(database.prepare('PRAGMA foreign_key_check').all(), []);
  },
};
