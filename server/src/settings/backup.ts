/** Reads how to reach the backup bucket: from the usual environment variables, or else like the media bucket. */
import { readUrl, SettingError } from '@tapedeck/values/settings';
import type { Environment } from '../config.ts';
import { findDefault, nameSetting, type SettingName } from '../settings.ts';
import { type BucketChoice, s3SettingNames } from './stores.ts';

export function readBackupBucket(environment: Environment, bucket: string): BucketChoice {
  const read = (setting: SettingName, ...others: readonly string[]) =>
    [...others, nameSetting(setting)].map(name => environment[name]?.trim()).find(Boolean);
  const accessKeyId = read('S3_ACCESS_KEY_ID', 'AWS_ACCESS_KEY_ID');
  const secretAccessKey = read('S3_SECRET_ACCESS_KEY', 'AWS_SECRET_ACCESS_KEY');
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new SettingError(
      'AWS_ACCESS_KEY_ID',
      'and AWS_SECRET_ACCESS_KEY are needed for a backup in a bucket',
    );
  const url = read('S3_ENDPOINT', 'AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL');
  const endpoint = readUrl('AWS_ENDPOINT_URL_S3', url, ['http:', 'https:']);
  return {
    kind: 's3',
    bucket,
    endpoint,
    accessKeyId,
    secretAccessKey,
    region: read('S3_REGION', 'AWS_REGION', 'AWS_DEFAULT_REGION') ?? findDefault('S3_REGION'),
    forcePathStyle: endpoint !== null, // all servers but Amazon's support it, and Amazon needs no endpoint here
    publicUrl: null,
    settingNames: s3SettingNames,
  };
}
