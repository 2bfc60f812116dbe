/** Tests the translation of SQLite's result codes, including those that no test can cause. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BatchRefused, ConstraintViolation } from '../failures.ts';
import { translateFailure, translateOpeningFailure } from './failures.ts';

const rows = [
  { name: 'SQLITE_BUSY', sqliteCode: 5, code: 'unavailable', running: /locked/, opening: /is locked/ },
  {
    name: 'SQLITE_BUSY_SNAPSHOT',
    sqliteCode: 517,
    code: 'unavailable',
    running: /locked/,
    opening: /is locked/,
  },
  {
    name: 'SQLITE_READONLY',
    sqliteCode: 8,
    code: 'unavailable',
    running: /permissions/,
    opening: /writable/,
  },
  {
    name: 'SQLITE_READONLY_DIRECTORY',
    sqliteCode: 1544,
    code: 'unavailable',
    running: /permissions/,
    opening: /writable/,
  },
  {
    name: 'SQLITE_IOERR_FSYNC',
    sqliteCode: 1034,
    code: 'unavailable',
    running: /check the disk/,
    opening: /check the disk/,
  },
  { name: 'SQLITE_CORRUPT', sqliteCode: 11, code: 'unavailable', running: /restore/, opening: /restore/ },
  {
    name: 'SQLITE_FULL',
    sqliteCode: 13,
    code: 'disk_full',
    running: /[Ff]ree some space/,
    opening: /free some space/,
  },
  {
    name: 'SQLITE_CANTOPEN',
    sqliteCode: 14,
    code: 'unavailable',
    running: /data directory/,
    opening: /directory/,
  },
  {
    name: 'SQLITE_NOTADB',
    sqliteCode: 26,
    code: 'unavailable',
    running: /restore/,
    opening: /not a database/,
  },
];

for (const { name, sqliteCode, code, running, opening } of rows) {
  it(`reports ${name} as ${code}, and names the file only at start`, () => {
    const failure = { message: 'raw words', sqliteCode };
    const told = translateFailure(failure);
    const toldAtStart = translateOpeningFailure(failure, '/data/metadata.db');
    assert.deepEqual([Reflect.get(told, 'code'), Reflect.get(toldAtStart, 'code')], [code, code]);
    assert.match(told.message, running);
    assert.match(toldAtStart.message, opening);
    assert.ok(toldAtStart.message.includes('/data/metadata.db') && !told.message.includes('/data'));
  });
}

it('keeps the kinds of constraints and refused batches, and treats a mistake in SQL as a bug', () => {
  const translate = (sqliteCode: number) => translateFailure({ message: 'raw words', sqliteCode });
  assert.ok([2067, 1555].every(code => Reflect.get(translate(code), 'kind') === 'unique'));
  const reference = translate(787);
  assert.ok(reference instanceof ConstraintViolation && reference.kind === 'reference');
  assert.ok(translateFailure({ message: '', sqliteCode: null, refusedIndex: 3 }) instanceof BatchRefused);
  assert.deepEqual([translate(1).name, translate(1).message], ['Error', 'raw words']);
});
