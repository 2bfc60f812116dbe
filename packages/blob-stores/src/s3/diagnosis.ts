/** Explains problems with a bucket to the operator: which bucket, S3's message, and what to change. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { BlobStoreFailure } from '../failures.ts';
import type { S3Client } from './client.ts';
import type { S3Config, S3SettingNames } from './connection.ts';
import { findCause, S3Refusal } from './refusal.ts';
import { trialBytesMax, trialIntervalMs } from './writing.ts';

const fieldNames: S3SettingNames = {
  bucket: 'bucket',
  endpoint: 'endpoint',
  region: 'region',
  accessKeyId: 'accessKeyId',
  secretAccessKey: 'secretAccessKey',
  forcePathStyle: 'forcePathStyle',
};

/** Names the bucket as in the settings, without any credentials. */
export function nameBucket({ bucket, endpoint, region }: S3Config): string {
  if (endpoint === null) return `the bucket ${bucket} of AWS in ${region}`;
  const { protocol, host } = new URL(endpoint);
  return `the bucket ${bucket} at ${protocol}//${host}`;
}

/** Rejects with a message if the bucket is unusable. If the caller gave `reportOutage`, temporary failures go there instead. */
export async function requireBucket(
  client: S3Client,
  config: S3Config,
  reportOutage?: (sentence: string) => void,
): Promise<void> {
  try {
    const query = { 'list-type': '2', 'max-keys': '1' };
    const { text } = await client.call({ method: 'GET', key: '', query, isAskedOnce: true });
    if (!text.includes('<ListBucketResult'))
      throw new BlobStoreFailure(
        'unavailable',
        `${capitalise(config)} is none: what answers there is no S3. Check ${nameSettings(config).endpoint}.`,
      );
  } catch (error) {
    const explained = explainTrouble(error, config);
    if (explained.code === 'unavailable' || reportOutage === undefined) throw explained;
    reportOutage(explained.message);
  }
}

/** Rejects with a message if the bucket doesn't answer now. */
export async function pingBucket(client: S3Client, config: S3Config): Promise<void> {
  try {
    await client.call({ method: 'HEAD', key: '', isAskedOnce: true });
  } catch (error) {
    // An answer to HEAD has no body, so it doesn't say why S3 refused.
    if (findCause(error) instanceof S3Refusal) await requireBucket(client, config);
    throw explainTrouble(error, config);
  }
}

const trialKey = '.trial';

/** True if the object under this key is only there to see whether the bucket takes writes. */
export function isTrial(key: string): boolean {
  return key === trialKey;
}

/** Rejects with a message if the bucket refuses writes. Writes a test object only if no object was written yet, or the last write failed. */
export async function requireWriting(client: S3Client, config: S3Config): Promise<void> {
  const { failed, isUntried } = client.writes;
  if (failed === null && !isUntried) return;
  if (failed !== null && performance.now() - failed.at < trialIntervalMs)
    throw explainRefusedWrite(failed.error, config);
  const bytes = Buffer.alloc(Math.min(failed?.sizeBytes ?? 1, trialBytesMax));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const payload = { sizeBytes: bytes.length, sha256, open: async () => Readable.from([bytes]) };
  try {
    await client.call({ method: 'PUT', key: trialKey, payload, isAskedOnce: true });
  } catch (error) {
    throw explainRefusedWrite(error, config);
  }
  await client.call({ method: 'DELETE', key: trialKey }, [404]).catch(() => undefined); // the next one replaces it
}

/** Writing failed in a bucket that could just be read. */
export function explainRefusedWrite(error: unknown, config: S3Config): BlobStoreFailure {
  const cause = findCause(error);
  const name = capitalise(config);
  const advice =
    error instanceof BlobStoreFailure && error.code === 'disk_full'
      ? 'is full: make room in it, or raise its quota.'
      : cause instanceof S3Refusal && cause.status < 500
        ? `refuses writes (${cause.code || cause.status}): allow the access key ${config.accessKeyId} to write and delete there.`
        : `takes no writes at the moment (${describe(cause)}).`;
  return new BlobStoreFailure('blobs_unavailable', `${name} can be read, but ${advice}`, { cause: error });
}

/** `unavailable`: the operator must change something. */
function explainTrouble(error: unknown, config: S3Config): BlobStoreFailure {
  if (error instanceof BlobStoreFailure && error.code === 'unavailable') return error;
  const cause = findCause(error);
  const advice = cause instanceof S3Refusal ? adviseOn(cause, config) : adviseOnSetUp(cause, config);
  if (advice !== null)
    return new BlobStoreFailure('unavailable', `${capitalise(config)} ${advice}`, { cause: error });
  const sentence = `${capitalise(config)} does not answer (${describe(cause)}): start it, or check ${nameSettings(config).endpoint}.`;
  return new BlobStoreFailure('blobs_unavailable', sentence, { cause: error });
}

/** Returns null if the trouble may pass soon. */
function adviseOn({ status, code, region }: S3Refusal, config: S3Config): string | null {
  const names = nameSettings(config);
  const rights = 'allow it to list, read, write and delete there';
  if (code === 'NoSuchBucket' || (status === 404 && code !== 'SlowDown'))
    return `does not exist: create it, or correct ${names.bucket}.`;
  if (code === 'InvalidAccessKeyId')
    return `is closed: S3 does not know the access key ${config.accessKeyId}. Correct ${names.accessKeyId}.`;
  if (code === 'SignatureDoesNotMatch')
    return `is closed: ${names.secretAccessKey} is not the secret of ${config.accessKeyId}${region === null ? '' : `, or ${names.region} is not ${region}`}.`;
  if (code === 'RequestTimeTooSkewed')
    return 'is closed: the clock of this machine differs from that of S3. Correct it.';
  if (isElsewhere(status, code))
    return `is in another region than ${config.region}: set ${names.region}${region === null ? '' : ` to ${region}`}, and check ${names.endpoint}.`;
  if (status === 401 || status === 403)
    return `is closed to the access key ${config.accessKeyId} (${code || status}): ${rights}, or correct ${names.accessKeyId} and ${names.secretAccessKey}.`;
  if (code === 'InvalidBucketName') return `has no valid name: correct ${names.bucket}.`;
  return status < 500 && status !== 408 && status !== 429
    ? `cannot be used: S3 answered ${status} ${code}. Check ${names.endpoint}.`
    : null;
}

function isElsewhere(status: number, code: string): boolean {
  const codes = [
    'AuthorizationHeaderMalformed',
    'PermanentRedirect',
    'TemporaryRedirect',
    'IllegalLocationConstraintException',
  ];
  return codes.includes(code) || (status >= 300 && status < 400);
}

/** Advises on host names and certificates. Restarting the service doesn't fix those. */
function adviseOnSetUp(cause: unknown, config: S3Config): string | null {
  const names = nameSettings(config);
  const code = readCode(cause);
  if (code === 'ENOTFOUND') {
    const style = config.forcePathStyle
      ? ''
      : `, or set ${names.forcePathStyle}=true if the server has no separate host name for each bucket`;
    return `has an address that is not known: correct ${names.endpoint}${style}.`;
  }
  if (/CERT|SIGNATURE|SSL|TLS|EPROTO/.test(code))
    return `cannot be reached by TLS (${code}): check the certificate, or http and https in ${names.endpoint}.`;
  return null;
}

function nameSettings(config: S3Config): S3SettingNames {
  return config.settingNames ?? fieldNames;
}

function readCode(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

function describe(cause: unknown): string {
  return readCode(cause) || (cause instanceof Error ? cause.message : String(cause));
}

function capitalise(config: S3Config): string {
  const name = nameBucket(config);
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
