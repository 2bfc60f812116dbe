/** Finds the ClickHouse library that the engine process loads, or says what to do if there is none. */
import { tryResolveLibchdb } from 'chdb/libchdb';
import { LogStoreFailure } from '../../failures.ts';

export function findEngineLibrary(): string {
  // Uses only what npm installed: the environment must not choose the code that the engine runs.
  const found = tryResolveLibchdb({ env: {} });
  if (found) return found.path;
  throw new LogStoreFailure(
    'engine_unsupported',
    `There is no embedded log engine for ${process.platform}-${process.arch}, or npm left it out. ` +
      'Run npm install again without --omit=optional, or set TAPEDECK_CLICKHOUSE_URL to a ClickHouse server.',
  );
}
