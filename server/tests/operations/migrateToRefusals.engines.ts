/** `migrate-to` refuses an unsuitable target with one sentence and changes nothing. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { S3Client } from '@tapedeck/blob-stores';
import { startFaultyProxy } from '@tapedeck/blob-stores/faulty-proxy';
import { localTable, runCommand } from '@tapedeck/log-store/testing';
import pg from 'pg';
import { startSharedStores } from '../logs/sharedJournal.ts';
import { openLogClient } from '../support/logSender.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { runTapedeck, tapedeck } from '../support/tapedeck.ts';
import { makePicture, mediaEnvironment, uploadFile } from '../support/uploading.ts';

await using opened = new AsyncDisposableStack();
const stores = opened.use(await startSharedStores(1));
const place = opened.use(await makeDirectory());
const empty = opened.use(await makeDirectory());
const proxy = opened.use(await startFaultyProxy(stores.s3Endpoint));
const oldServer = createServer((_request, answer) => answer.end('["24.3.1.5"]\n'));
await new Promise<void>(resolve => oldServer.listen(0, '127.0.0.1', resolve));
opened.defer(() => void oldServer.close());
{
  await using service = await startTestService({ environment: mediaEnvironment, dataDir: place.path });
  await uploadFile(service, await makePicture());
  await (await openLogClient(service)).store([{ level: 'info', message: 'kept' }], 'main');
}
const running = opened.move();
after(() => running.disposeAsync());

const { TAPEDECK_JOURNAL: _, TAPEDECK_SECRET: __, TAPEDECK_LOGS_TOKEN: ___, ...all } = stores.settings();
const only = (prefix: string) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith(`TAPEDECK_${prefix}`)));
const [database, media, logs] = [only('DATABASE'), only('S3'), only('CLICKHOUSE')];

async function query(text: string, databaseName = 'postgres'): Promise<void> {
  const client = new pg.Client({ connectionString: stores.postgres.urlOf(databaseName) });
  await client.connect();
  await client.query(text);
  await client.end();
}

function changeUrl(
  changes: Partial<Record<'port' | 'username' | 'password' | 'pathname', string>>,
): Record<string, string> {
  const url = Object.assign(new URL(stores.postgres.urlOf('postgres')), changes);
  return { TAPEDECK_DATABASE_URL: url.href };
}

const otherBucket = { ...media, TAPEDECK_S3_BUCKET: 'others' };
const oldPort = () => (oldServer.address() as { port: number }).port; // it is listening

async function putObject(bucket: string, key: string, text: string): Promise<void> {
  const client = new S3Client({
    bucket,
    endpoint: stores.s3Endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    accessKeyId: media.TAPEDECK_S3_ACCESS_KEY_ID!,
    secretAccessKey: media.TAPEDECK_S3_SECRET_ACCESS_KEY!,
  });
  const sha256 = createHash('sha256').update(text).digest('hex');
  const open = async () => Readable.from([Buffer.from(text)]);
  await client.call({ method: 'PUT', key: '' }, [409]); // 409: the bucket may already exist
  await client.call({ method: 'PUT', key, headers: {}, payload: { sizeBytes: text.length, sha256, open } });
  client.close();
}

type Refusal = {
  title: string;
  settings: () => Record<string, string>;
  says: RegExp;
  prepare?: () => Promise<void>;
  args?: string[];
  exitCode?: number;
};

const refusals: readonly Refusal[] = [
  {
    title: 'nothing that says where to',
    settings: () => ({}),
    says: /^Say where to: give the settings that the service is to have, such as TAPEDECK_DATABASE_URL/,
    exitCode: 2,
  },
  {
    title: 'a data directory without an installation',
    settings: () => ({ ...media, TAPEDECK_DATA_DIR: empty.path }),
    says: /holds no installation; set TAPEDECK_DATA_DIR/,
  },
  {
    title: 'an option that is not a URL',
    settings: () => ({}),
    args: ['--database-url', 'mysql://x'],
    says: /TAPEDECK_DATABASE_URL/,
    exitCode: 2,
  },
  {
    title: 'a PostgreSQL that is down',
    settings: () => changeUrl({ port: '9' }),
    says: /^PostgreSQL at 127\.0\.0\.1:9 /,
  },
  {
    title: 'a wrong password',
    settings: () => changeUrl({ password: 'wrong' }),
    says: /refuses the password of tapedeck: check/,
  },
  {
    title: 'an unknown database',
    settings: () => changeUrl({ pathname: '/nothing' }),
    says: /has no database nothing: create it/,
  },
  {
    title: 'a user who may not create tables',
    prepare: async () => {
      await query("create role reader login password 'reader'");
    },
    settings: () => changeUrl({ username: 'reader', password: 'reader' }),
    says: /does not let reader create tables: grant that right/,
  },
  {
    title: 'a PostgreSQL of another installation',
    prepare: async () => {
      await query('create database others');
      const environment = {
        TAPEDECK_DATABASE_URL: stores.postgres.urlOf('others'),
        TAPEDECK_SECRET: 's'.repeat(40),
      };
      await using _service = await startTestService({ environment });
    },
    settings: () => ({ TAPEDECK_DATABASE_URL: stores.postgres.urlOf('others') }),
    says: /^PostgreSQL at 127\.0\.0\.1:\d+\/others belongs to the installation \w{20}, but the data to move belongs to \w{20}\./,
  },
  {
    title: 'another secret than that of the service',
    settings: () => ({ ...database, TAPEDECK_SECRET: 'x'.repeat(40) }),
    says: /^TAPEDECK_SECRET is not the secret in .*: sessions and presigned URLs would end/,
  },
  {
    title: 'an unknown bucket',
    settings: () => ({ ...media, TAPEDECK_S3_BUCKET: 'missing' }),
    says: /^The bucket missing at http:\S+ does not exist: create it/,
  },
  {
    title: 'a wrong key',
    settings: () => ({ ...media, TAPEDECK_S3_SECRET_ACCESS_KEY: 'wrong' }),
    says: /is closed: TAPEDECK_S3_SECRET_ACCESS_KEY is not the secret/,
  },
  {
    title: 'a bucket with foreign files',
    prepare: () => putObject('others', 'arena/clips/a-00000000000000000001.png', 'x'),
    settings: () => otherBucket,
    says: /^The bucket others at \S+ holds files, such as arena\/clips\/a-\S+, that this move did not put there\./,
  },
  {
    title: 'a bucket of another installation',
    prepare: () => putObject('others', '.installation', '00000000000000000002'),
    settings: () => otherBucket,
    says: /^The bucket others at \S+ belongs to the installation 00000000000000000002, but the data to move/,
  },
  {
    title: 'a ClickHouse that is down',
    settings: () => ({ TAPEDECK_CLICKHOUSE_URL: 'http://127.0.0.1:9' }),
    says: /^The ClickHouse server at http:\/\/127\.0\.0\.1:9 cannot be used: .*ECONNREFUSED/,
  },
  {
    title: 'a ClickHouse that is too old',
    settings: () => ({ TAPEDECK_CLICKHOUSE_URL: `http://127.0.0.1:${oldPort()}` }),
    says: /is of version 24\.3\.1\.5; the log tables need 26\.2 or newer\./,
  },
  {
    title: 'a cluster unknown to ClickHouse',
    settings: () => ({ ...logs, TAPEDECK_CLICKHOUSE_CLUSTER: 'unknown' }),
    says: /ClickHouse has no cluster "unknown"/,
  },
];

test('rejects each with a sentence, in a dry run and in a real one', async t => {
  for (const { title, settings, says, prepare, args = [], exitCode = 1 } of refusals) {
    await t.test(title, async () => {
      await prepare?.();
      const environment = { TAPEDECK_DATA_DIR: place.path, ...settings() };
      for (const dry of [['--dry-run'], []]) {
        const outcome = await runTapedeck(['migrate-to', ...dry, ...args], environment);
        assert.match(outcome.complained, says);
        assert.equal(outcome.exitCode, exitCode);
        assert.equal(outcome.complained.trim().split('\n').length, 1);
      }
    });
  }
});

test('a full bucket ends the move with a sentence, and the next attempt resumes', async () => {
  const environment = { TAPEDECK_DATA_DIR: place.path, ...media, TAPEDECK_S3_ENDPOINT: proxy.endpoint };
  proxy.plan('PUT', ['pass'], 'answer 507'); // the mark still fits
  const { complained } = await runTapedeck(['migrate-to'], environment);
  assert.match(complained, /^The file store is full\./);
  proxy.plan('', []);
  const report = JSON.parse(await tapedeck(['migrate-to', '--json'], { ...environment }));
  assert.deepEqual([report.files, report.leftOut], [1, 0]);
});

test('servers with entries from elsewhere are left unchanged', async () => {
  const environment = { TAPEDECK_DATA_DIR: place.path, ...logs };
  await tapedeck(['migrate-to', '--dry-run'], environment);
  {
    await using _other = await startTestService({ environment: logs });
  }
  const [engine] = stores.shards.engines;
  await runCommand(
    engine!,
    `INSERT INTO ${localTable} (project, dataset, timestamp) VALUES ('a', 'b', now64(6))`,
  );
  const foreign = await runTapedeck(['migrate-to'], environment);
  assert.match(foreign.complained, /^The ClickHouse server at \S+ belongs to the installation \w{20}/);
  await runCommand(engine!, 'DROP TABLE tapedeck.installation_marks SYNC');
  const unmarked = await runTapedeck(['migrate-to'], environment);
  assert.match(unmarked.complained, /holds log entries that this move did not put there/);
});
