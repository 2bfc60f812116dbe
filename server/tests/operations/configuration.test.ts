/** Settings (CONTRACT.md, 1): each is shown, and each wrong value is refused in one sentence that names the remedy. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, describe, it, test } from 'node:test';
import { type Config, type Environment, readConfig, type ShownSetting } from '../../src/config.ts';
import { makeDirectory } from '../support/service.ts';
import { runTapedeck, tapedeck } from '../support/tapedeck.ts';

const directory = await makeDirectory();
after(() => directory[Symbol.asyncDispose]());

const names = [
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'TRUSTED_PROXIES',
  'DATA_DIR',
  'SECRET',
  'DATABASE_URL',
  'DATABASE_CONNECTIONS',
  'S3_BUCKET',
  'S3_ENDPOINT',
  'S3_REGION',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'S3_FORCE_PATH_STYLE',
  'S3_PUBLIC_URL',
  'CLICKHOUSE_URL',
  'CLICKHOUSE_CLUSTER',
  'JOURNAL',
  'MEDIA_TOKEN',
  'LOGS_TOKEN',
  'SYSLOG',
  'SYSLOG_TOKEN',
  'FORWARD',
  'FORWARD_TOKEN',
  'ADMIN_EMAIL',
  'ADMIN_PASSWORD',
  'FILE_SIZE_MAX',
  'RATE_LIMIT',
  'LENIENT_LEVELS',
  'SDK_SESSION_SECONDS',
  'SLOW_QUERY_SECONDS',
  'OUTGOING_PRIVATE',
  'SMTP_URL',
  'SMTP_FROM',
  'OIDC_ISSUER',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'OIDC_NAME',
  'OIDC_SCOPES',
  'OIDC_CREATE',
  'FAST_HTTP',
  'URL',
  'TOKEN',
];

const showSettings = async (environment: Environment) =>
  // The tests below assert this.
  JSON.parse(await tapedeck(['config', '--json'], environment)) as ShownSetting[];

test('lists every setting with its value, source, default and meaning', async () => {
  const shown = await showSettings({ TAPEDECK_PORT: '9000' });
  assert.deepEqual(
    shown.map(({ name }) => name),
    names.map(name => `TAPEDECK_${name}`),
  );
  for (const setting of shown) {
    assert.ok(setting.about.endsWith('.'), setting.name);
    const isGiven = setting.name === 'TAPEDECK_PORT';
    assert.equal(setting.source, isGiven ? 'environment' : 'default');
    assert.equal(setting.value, isGiven ? '9000' : setting.default);
  }
  const table = await tapedeck(['config'], { TAPEDECK_PORT: '9000' });
  for (const name of names) assert.ok(table.includes(`TAPEDECK_${name} `), name);
});

test('masks secrets, including passwords in URLs', async () => {
  const environment = {
    TAPEDECK_SECRET: 'hunter2-hunter2-hunter2',
    TAPEDECK_DATABASE_URL: 'postgres://tapedeck:hunter2@db.example.org:5432/tapedeck?sslmode=require',
    TAPEDECK_S3_BUCKET: 'media',
    TAPEDECK_S3_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    TAPEDECK_S3_SECRET_ACCESS_KEY: 'hunter2',
    TAPEDECK_CLICKHOUSE_URL: 'http://u:hunter2@one:8123,http://u:hunter2@two:8123',
    TAPEDECK_CLICKHOUSE_CLUSTER: 'shards',
    TAPEDECK_MEDIA_TOKEN: 'hunter2-hunter2-media',
    TAPEDECK_LOGS_TOKEN: 'hunter2-hunter2-logs',
    TAPEDECK_TOKEN: 'hunter2-hunter2-asks',
    TAPEDECK_ADMIN_EMAIL: 'owner@example.org',
    TAPEDECK_ADMIN_PASSWORD: 'hunter2-hunter2',
  };
  for (const form of [['config'], ['config', '--json']]) {
    const printed = await tapedeck(form, environment);
    assert.ok(!printed.includes('hunter2'), printed);
    assert.ok(printed.includes('owner@example.org') && printed.includes('db.example.org'));
  }
});

describe('parses values', () => {
  const rows: [string, Environment, (config: Config) => unknown, unknown][] = [
    ['an empty value counts as absent', { PORT: '' }, ({ port }) => port, 8787],
    ['surrounding spaces are ignored', { PORT: ' 9000 ' }, ({ port }) => port, 9000],
    ['port 0 picks a free port', { PORT: '0' }, ({ port }) => port, 0],
    [
      'a public URL loses its trailing slash',
      { PUBLIC_URL: 'https://a.example/' },
      c => c.publicUrl,
      'https://a.example',
    ],
    [
      'the local host is a trusted proxy by default',
      {},
      c => c.trustedProxies,
      [
        { address: '127.0.0.0', prefixBits: 8 },
        { address: '::1', prefixBits: 128 },
      ],
    ],
    [
      'proxies by address and network',
      { TRUSTED_PROXIES: '10.0.0.5, 2001:db8::/32, ::1' },
      c => c.trustedProxies,
      [
        { address: '10.0.0.5', prefixBits: 32 },
        { address: '2001:db8::', prefixBits: 32 },
        { address: '::1', prefixBits: 128 },
      ],
    ],
    ['no proxies', { TRUSTED_PROXIES: 'none' }, c => c.trustedProxies, []],
    ['the data directory becomes absolute', { DATA_DIR: 'x' }, ({ dataDir }) => dataDir, path.resolve('x')],
    ['sizes in binary units', { FILE_SIZE_MAX: '1GiB' }, c => c.fileSizeBytesMax, 2 ** 30],
    ['sizes in decimal units', { FILE_SIZE_MAX: '1.5 MB' }, c => c.fileSizeBytesMax, 1_500_000],
    ['sizes in bytes', { FILE_SIZE_MAX: '1000' }, c => c.fileSizeBytesMax, 1000],
    ['the default size', {}, c => c.fileSizeBytesMax, 32 * 2 ** 20],
    ['a rate', { RATE_LIMIT: '600' }, c => c.requestsPerMinuteMax, 600],
    ['no rate', { RATE_LIMIT: 'off' }, c => c.requestsPerMinuteMax, null],
    ['a flag in any letter case', { LENIENT_LEVELS: 'TRUE' }, c => c.lenientLevels, true],
    ['a flag as a number', { LENIENT_LEVELS: '0' }, c => c.lenientLevels, false],
    ['slow questions', { SLOW_QUERY_SECONDS: '5' }, c => c.slowQueryMs, 5_000],
    [
      'listeners',
      {
        SYSLOG: 'udp://0.0.0.0:5514, tcp://[::1]:5514',
        SYSLOG_TOKEN: 'syslog-token-0123456789',
        FORWARD: 'tcp://0.0.0.0:24224',
        LOGS_TOKEN: 'logs-token-0123456789',
      },
      c => c.listeners,
      {
        syslog: {
          places: [
            { transport: 'udp', host: '0.0.0.0', port: 5514 },
            { transport: 'tcp', host: '::1', port: 5514 },
          ],
          token: 'syslog-token-0123456789',
        },
        forward: {
          place: { transport: 'tcp', host: '0.0.0.0', port: 24224 },
          token: 'logs-token-0123456789',
        },
      },
    ],
    ['no fast HTTP', { FAST_HTTP: 'false' }, c => c.fastHttp, false],
    [
      'the URL of another service',
      { URL: 'https://a.example/' },
      c => c.remote,
      { url: 'https://a.example', token: null },
    ],
    ['SQLite by default', { DATA_DIR: '/d' }, c => c.database, { kind: 'sqlite', file: '/d/tapedeck.db' }],
    [
      'PostgreSQL by its URL',
      { DATABASE_URL: 'postgresql://u:p@h/d' },
      c => c.database,
      { kind: 'postgres', url: 'postgresql://u:p@h/d', connectionsMax: 6 },
    ],
    [
      'fewer connections to it',
      { DATABASE_URL: 'postgresql://u:p@h/d', DATABASE_CONNECTIONS: '2' },
      c => c.database,
      { kind: 'postgres', url: 'postgresql://u:p@h/d', connectionsMax: 2 },
    ],
    ['files on disk by default', { DATA_DIR: '/d' }, c => c.blobs, { kind: 'disk', directory: '/d/media' }],
    [
      'the region by default',
      { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'i', S3_SECRET_ACCESS_KEY: 's' },
      c => c.blobs.kind === 's3' && c.blobs.region,
      'us-east-1',
    ],
    ['the engine by default', { DATA_DIR: '/d' }, c => c.logs, { kind: 'embedded', directory: '/d/logs' }],
    [
      'one log engine',
      { CLICKHOUSE_URL: 'http://h:8123' },
      c => c.logs,
      { kind: 'clickhouse', urls: ['http://h:8123'], cluster: null },
    ],
    [
      'a log engine for each shard',
      { CLICKHOUSE_URL: 'http://a:1, http://b:2', CLICKHOUSE_CLUSTER: 'c' },
      c => c.logs,
      { kind: 'clickhouse', urls: ['http://a:1', 'http://b:2'], cluster: 'c' },
    ],
  ];
  for (const [name, settings, read, expected] of rows) {
    it(name, () => {
      const environment = Object.entries(settings).map(([key, value]) => [`TAPEDECK_${key}`, value]);
      assert.deepEqual(read(readConfig(Object.fromEntries(environment))), expected);
    });
  }
});

describe('rejects an unusable value in one sentence that names it', () => {
  const bucket = { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'i', S3_SECRET_ACCESS_KEY: 's' };
  const rows: [string, Environment][] = [
    ['HOST', { HOST: 'not a host' }],
    ['HOST', { HOST: 'http://0.0.0.0' }],
    ['PORT', { PORT: '65536' }],
    ['PORT', { PORT: '-1' }],
    ['PORT', { PORT: '80.5' }],
    ['PORT', { PORT: 'http' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'media.example.org' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'ftp://media.example.org' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://media.example.org/?a=b' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://user:secret@media.example.org' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: 'proxy.example.org' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '10.0.0.0/33' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '10.0.0.5,' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '2001:db8::/129' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '10.0.0.5 10.0.0.6' }],
    ['SECRET', { SECRET: 'short' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://u:p@h/d' }],
    ['DATABASE_URL', { DATABASE_URL: 'tapedeck.db' }],
    ['DATABASE_CONNECTIONS', { DATABASE_CONNECTIONS: '1' }],
    ['DATABASE_CONNECTIONS', { DATABASE_CONNECTIONS: 'many' }],
    ['S3_ENDPOINT', { S3_ENDPOINT: 'http://h' }],
    ['S3_ACCESS_KEY_ID', { S3_BUCKET: 'b' }],
    ['S3_SECRET_ACCESS_KEY', { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'i' }],
    ['S3_ENDPOINT', { ...bucket, S3_ENDPOINT: 'h:9000' }],
    ['S3_FORCE_PATH_STYLE', { ...bucket, S3_FORCE_PATH_STYLE: 'yes' }],
    ['S3_PUBLIC_URL', { ...bucket, S3_PUBLIC_URL: 'cdn' }],
    ['CLICKHOUSE_URL', { CLICKHOUSE_URL: 'tcp://h:9000' }],
    ['CLICKHOUSE_URL', { CLICKHOUSE_URL: 'http://a,,http://b', CLICKHOUSE_CLUSTER: 'c' }],
    ['CLICKHOUSE_CLUSTER', { CLICKHOUSE_URL: 'http://a,http://b' }],
    ['CLICKHOUSE_CLUSTER', { CLICKHOUSE_CLUSTER: 'c' }],
    ['MEDIA_TOKEN', { MEDIA_TOKEN: 'fifteen-letters' }],
    ['LOGS_TOKEN', { LOGS_TOKEN: 'with spaces in between' }],
    ['LOGS_TOKEN', { LOGS_TOKEN: 'ünicode-is-no-header' }],
    ['LOGS_TOKEN', { LOGS_TOKEN: 'x'.repeat(257) }],
    ['LOGS_TOKEN', { MEDIA_TOKEN: 'the-same-for-both', LOGS_TOKEN: 'the-same-for-both' }],
    ['ADMIN_EMAIL', { ADMIN_PASSWORD: 'long enough' }],
    ['ADMIN_EMAIL', { ADMIN_EMAIL: 'owner', ADMIN_PASSWORD: 'long enough' }],
    ['ADMIN_PASSWORD', { ADMIN_EMAIL: 'owner@example.org' }],
    ['ADMIN_PASSWORD', { ADMIN_EMAIL: 'owner@example.org', ADMIN_PASSWORD: 'short' }],
    ['FILE_SIZE_MAX', { FILE_SIZE_MAX: 'big' }],
    ['FILE_SIZE_MAX', { FILE_SIZE_MAX: '0' }],
    ['FILE_SIZE_MAX', { FILE_SIZE_MAX: '-1MiB' }],
    ['FILE_SIZE_MAX', { FILE_SIZE_MAX: '5 parsecs' }],
    ['RATE_LIMIT', { RATE_LIMIT: 'fast' }],
    ['RATE_LIMIT', { RATE_LIMIT: '-5' }],
    ['RATE_LIMIT', { RATE_LIMIT: '1.5' }],
    ['LENIENT_LEVELS', { LENIENT_LEVELS: 'maybe' }],
    ['SLOW_QUERY_SECONDS', { SLOW_QUERY_SECONDS: 'soon' }],
    ['SLOW_QUERY_SECONDS', { SLOW_QUERY_SECONDS: '31' }],
    ['FAST_HTTP', { FAST_HTTP: 'off' }],
    ['SYSLOG', { SYSLOG: 'http://0.0.0.0:5514', LOGS_TOKEN: 'logs-token-0123456789' }],
    ['SYSLOG', { SYSLOG: 'udp://0.0.0.0:99999', LOGS_TOKEN: 'logs-token-0123456789' }],
    ['SYSLOG', { SYSLOG: 'udp://0.0.0.0:5514' }],
    ['SYSLOG_TOKEN', { SYSLOG_TOKEN: 'syslog-token-0123456789' }],
    ['FORWARD', { FORWARD: 'udp://0.0.0.0:24224', LOGS_TOKEN: 'logs-token-0123456789' }],
    ['FORWARD', { FORWARD: 'tcp://0.0.0.0:24224' }],
    ['FORWARD_TOKEN', { FORWARD_TOKEN: 'forward-token-0123456789' }],
  ];
  for (const [name, settings] of rows) {
    it(
      Object.entries(settings)
        .map(([key, value]) => `${key}=${value}`.slice(0, 70))
        .join(' '),
      async () => {
        const environment = Object.fromEntries(
          Object.entries(settings).map(([key, value]) => [`TAPEDECK_${key}`, value]),
        );
        const { exitCode, printed, complained } = await runTapedeck(['config'], environment);
        assert.deepEqual([exitCode, printed], [1, '']);
        assert.match(complained, new RegExp(`^TAPEDECK_${name} [^\\n]+\\.\\n$`));
        assert.doesNotMatch(complained, /secret@|the-same-for-both/, 'values may be secrets');
      },
    );
  }
});
