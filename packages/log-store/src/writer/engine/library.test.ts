/** Tells operators what to do on platforms without the engine's library. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { findEngineLibrary } from './library.ts';

const { platform } = process;
const setPlatform = (value: string) => Object.defineProperty(process, 'platform', { value });

afterEach(() => void setPlatform(platform));

test('finds the library of this platform', () => {
  assert.ok(existsSync(findEngineLibrary()));
});

for (const other of ['win32', 'freebsd', 'aix']) {
  test(`on ${other}, requires ClickHouse elsewhere`, () => {
    setPlatform(other);
    assert.throws(findEngineLibrary, { code: 'engine_unsupported', message: /TAPEDECK_CLICKHOUSE_URL/ });
  });
}
