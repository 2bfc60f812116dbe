/** The stores of nodes that share a journal in a bucket: a database, a bucket and ClickHouse, which tests can also reach directly. */
import { randomBytes } from 'node:crypto';
import { type BucketObjects, openJournalObjects, S3Client } from '@tapedeck/blob-stores';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { startSwift } from '../../../scripts/engines/swift.ts';
import { startShards } from './shards.ts';

type SharedStores = AsyncDisposable & {
  postgres: Awaited<ReturnType<typeof startPostgres>>;
  swift: Awaited<ReturnType<typeof startSwift>>;
  shards: Awaited<ReturnType<typeof startShards>>;
  /** Settings of a node. `endpoint` is another address of the bucket. */
  settings(endpoint?: string): Record<string, string>;
  s3Endpoint: string;
  objects: BucketObjects;
  token: string;
};

export async function startSharedStores(shardCount: number): Promise<SharedStores> {
  await using opened = new AsyncDisposableStack();
  const postgres = opened.use(await startPostgres());
  const swift = opened.use(await startSwift());
  const shards = opened.use(await startShards(shardCount));
  const { crash: _, restart: __, ...place } = swift;
  const bucket = { ...place, bucket: `b-${randomBytes(6).toString('hex')}`, forcePathStyle: true };
  const client = new S3Client(bucket);
  await client.call({ method: 'PUT', key: '' });
  client.close();
  const objects = opened.use(openJournalObjects(bucket));
  const token = 'logs-token-of-the-journal-tests-0';
  const running = opened.move();
  return {
    postgres,
    swift,
    shards,
    s3Endpoint: swift.endpoint,
    objects,
    token,
    settings: (endpoint = swift.endpoint) => ({
      ...shards.environment,
      TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'),
      TAPEDECK_SECRET: 's'.repeat(40),
      TAPEDECK_S3_BUCKET: bucket.bucket,
      TAPEDECK_S3_ENDPOINT: endpoint,
      TAPEDECK_S3_ACCESS_KEY_ID: swift.accessKeyId,
      TAPEDECK_S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
      TAPEDECK_S3_FORCE_PATH_STYLE: 'true',
      TAPEDECK_LOGS_TOKEN: token,
    }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
