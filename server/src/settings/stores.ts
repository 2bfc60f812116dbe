/** Reads where the installation stores its records, files and log entries. */
import path from 'node:path';
import { readFlag, readPublicUrl, readUrl, readUrls, SettingError } from '@tapedeck/values/settings';
import { findDefault, nameSetting, settings } from '../settings.ts';
import { readWithin, type Values, wrong } from './values.ts';

type DatabaseChoice =
  | { kind: 'sqlite'; file: string }
  | { kind: 'postgres'; url: string; connectionsMax: number };

type BlobsChoice =
  | { kind: 'disk'; directory: string }
  | {
      kind: 's3';
      bucket: string;
      endpoint: string | null;
      region: string;
      accessKeyId: string;
      secretAccessKey: string;
      forcePathStyle: boolean;
      /** The names of settings in the store's messages. */
      settingNames: typeof s3SettingNames;
      publicUrl: string | null;
    };

export const s3SettingNames = {
  bucket: nameSetting('S3_BUCKET'),
  endpoint: nameSetting('S3_ENDPOINT'),
  region: nameSetting('S3_REGION'),
  accessKeyId: nameSetting('S3_ACCESS_KEY_ID'),
  secretAccessKey: nameSetting('S3_SECRET_ACCESS_KEY'),
  forcePathStyle: nameSetting('S3_FORCE_PATH_STYLE'),
};

export type BucketChoice = Extract<BlobsChoice, { kind: 's3' }>;

type LogsChoice =
  | { kind: 'embedded'; directory: string }
  | { kind: 'clickhouse'; urls: readonly string[]; cluster: string | null };

export type StoreChoices = { database: DatabaseChoice; blobs: BlobsChoice; logs: LogsChoice };

export function readStores(values: Values, dataDir: string): StoreChoices {
  const own = [values, dataDir] as const;
  return { database: readDatabase(...own), blobs: readBlobs(...own), logs: readLogs(...own) };
}

const readHttpUrl = (name: string, value: string | undefined) => readUrl(name, value, ['http:', 'https:']);

function readDatabase({ read, readGiven }: Values, dataDir: string): DatabaseChoice {
  const url = readGiven('DATABASE_URL', (name, value) => readUrl(name, value, ['postgres:', 'postgresql:']));
  const connectionsMax = read('DATABASE_CONNECTIONS', readWithin(2, 100));
  if (url === null) return { kind: 'sqlite', file: path.join(dataDir, 'tapedeck.db') };
  return { kind: 'postgres', url, connectionsMax };
}

function readBlobs({ given: value, read, readGiven }: Values, dataDir: string): BlobsChoice {
  const bucket = value('S3_BUCKET');
  if (bucket === undefined) {
    const alone = settings.find(
      setting => setting.name.startsWith('S3_') && value(setting.name) !== undefined,
    );
    if (alone) throw wrong(alone.name, 'needs TAPEDECK_S3_BUCKET beside it');
    return { kind: 'disk', directory: path.join(dataDir, 'media') };
  }
  const accessKeyId = value('S3_ACCESS_KEY_ID') ?? null;
  const secretAccessKey = value('S3_SECRET_ACCESS_KEY') ?? null;
  if (accessKeyId === null || secretAccessKey === null) {
    const missing = accessKeyId === null ? 'S3_ACCESS_KEY_ID' : 'S3_SECRET_ACCESS_KEY';
    throw wrong(missing, 'is needed to write to the bucket');
  }
  return {
    kind: 's3',
    bucket,
    endpoint: readGiven('S3_ENDPOINT', readHttpUrl),
    region: value('S3_REGION') ?? findDefault('S3_REGION'),
    accessKeyId,
    secretAccessKey,
    forcePathStyle: read('S3_FORCE_PATH_STYLE', readFlag),
    publicUrl: readGiven('S3_PUBLIC_URL', readPublicUrl),
    settingNames: s3SettingNames,
  };
}

function readLogs({ given, readGiven }: Values, dataDir: string): LogsChoice {
  const urls = readGiven('CLICKHOUSE_URL', readUrls);
  const cluster = given('CLICKHOUSE_CLUSTER') ?? null;
  if (urls.length === 0) {
    if (cluster !== null) throw wrong('CLICKHOUSE_CLUSTER', 'needs TAPEDECK_CLICKHOUSE_URL beside it');
    return { kind: 'embedded', directory: path.join(dataDir, 'logs') };
  }
  if (urls.length > 1 && cluster === null) {
    throw wrong(
      'CLICKHOUSE_CLUSTER',
      'must name the cluster when TAPEDECK_CLICKHOUSE_URL holds several URLs',
    );
  }
  return { kind: 'clickhouse', urls, cluster };
}

/** Returns the bucket if nodes share the database, files and log servers; null: on each node's disk. */
export function readJournal(
  name: string,
  value: string | undefined,
  { database, blobs, logs }: StoreChoices,
): BucketChoice | null {
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
