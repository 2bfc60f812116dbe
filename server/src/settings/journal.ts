/** Reads where acknowledged log entries wait for ClickHouse. */
import { SettingError } from '@tapedeck/values/settings';
import type { Config, Stores } from '../config.ts';

/** Returns the bucket if nodes share the database, files and log servers; null: on each node's disk. */
export function readJournal(
  name: string,
  value: string | undefined,
  { database, blobs, logs }: Stores,
): Config['journal'] {
  if (value !== undefined && value !== 's3' && value !== 'disk')
    throw new SettingError(name, 'must be disk or s3');
  if (value === 'disk') return null;
  if (database.kind === 'postgres' && blobs.kind === 's3' && logs.kind === 'clickhouse') return blobs;
  if (value === undefined) return null;
  throw new SettingError(
    name,
    'needs TAPEDECK_DATABASE_URL, TAPEDECK_S3_BUCKET and TAPEDECK_CLICKHOUSE_URL to be s3',
  );
}
