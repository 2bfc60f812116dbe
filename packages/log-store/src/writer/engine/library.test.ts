/** Where there is no library for the platform, the operator is told what to do instead. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { findEngineLibrary } from './library.ts';

const { platform } = process;
const setPlatform = (value: string) => Object.defineProperty(process, 'platform', { value });

afterEach(() => void setPlatform(platform));

test('the library of this platform is found', () => {
  assert.ok(existsSync(findEngineLibrary()));
});

for (const other of ['win32', 'freebsd', 'aix']) {
  test(`on ${other} ClickHouse elsewhere is the way`, () => {
    setPlatform(other);
    assert.throws(findEngineLibrary, { code: 'engine_unsupported', message: /TAPEDECK_CLICKHOUSE_URL/ });
  });
}
