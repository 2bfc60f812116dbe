/** Runs the conformance suite on SQLite, each database a file in a new directory. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { MetadataConfig } from '../../src/store.ts';
import type { Adapter } from './cases.ts';

function readFileName(config: MetadataConfig): string {
  assert.equal(config.kind, 'sqlite');
  return config.kind === 'sqlite' ? config.file : '';
}

const createEmpty: Adapter['createEmpty'] = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tapedeck-metadata-'));
  return {
    config: { kind: 'sqlite', file: join(directory, 'metadata.db') },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
};

export const sqliteAdapter: Adapter = {
  name: 'SQLite',
  createEmpty,
  createMigrated: createEmpty, // opening the database migrates it, in milliseconds
  checkIntegrity: async config => {
    using database = new DatabaseSync(readFileName(config));
    assert.deepEqual(
      database
        .prepare('PRAGMA integrity_check')
        .all()
        .map(row => ({ ...row })),
      [{ integrity_check: 'ok' }],
    );
    assert.deepEqual(database.prepare('PRAGMA foreign_key_check').all(), []);
  },
};
