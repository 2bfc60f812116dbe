/** The table of settings: names, defaults and meaning. `config.ts` reads their values. */

export type Setting = {
  /** After `TAPEDECK_`. */
  name: string;
  default: string;
  about: string;
  /** What `tapedeck config` hides: the whole value, or the password inside a URL. */
  secret?: 'whole' | 'password';
};

export const settings = [
  { name: 'HOST', default: '0.0.0.0', about: 'Address to listen on.' },
  { name: 'PORT', default: '8787', about: 'Port to listen on; 0 picks a free one.' },
  { name: 'PUBLIC_URL', default: 'http://localhost:<PORT>', about: 'Prefix of every URL handed out.' },
  {
    name: 'TRUSTED_PROXIES',
    default: 'loopback',
    about:
      'Addresses and nets of the proxies whose X-Forwarded-For counts, separated by commas; none: nobody.',
  },
  { name: 'DATA_DIR', default: './data', about: 'Folder of everything that is stored on this machine.' },
  {
    name: 'SECRET',
    default: 'generated, kept in DATA_DIR',
    about: 'Signs presigned tokens and sessions. Nodes that share a database share it.',
    secret: 'whole',
  },
  {
    name: 'DATABASE_URL',
    default: 'SQLite in DATA_DIR',
    about: 'postgres://… for a database that several nodes share.',
    secret: 'password',
  },
  {
    name: 'DATABASE_CONNECTIONS',
    default: '6',
    about: 'How many connections to PostgreSQL this node opens at the most.',
  },
  {
    name: 'S3_BUCKET',
    default: 'files in DATA_DIR',
    about: 'Bucket that keeps the media instead of the disk.',
  },
  {
    name: 'S3_ENDPOINT',
    default: 'that of the region',
    about: 'URL of the S3-compatible store.',
    secret: 'password',
  },
  { name: 'S3_REGION', default: 'us-east-1', about: 'Region that requests are signed for.' },
  { name: 'S3_ACCESS_KEY_ID', default: 'none', about: 'Access key of the bucket.' },
  { name: 'S3_SECRET_ACCESS_KEY', default: 'none', about: 'Secret key of the bucket.', secret: 'whole' },
  {
    name: 'S3_FORCE_PATH_STYLE',
    default: 'false',
    about: 'true: the bucket stands in the path, not in the host name.',
  },
  {
    name: 'S3_PUBLIC_URL',
    default: 'none',
    about: 'Prefix of media URLs when the bucket is served directly.',
  },
  {
    name: 'CLICKHOUSE_URL',
    default: 'an embedded engine in DATA_DIR',
    about: 'http://user:password@host:8123, or several separated by commas, one per shard.',
    secret: 'password',
  },
  { name: 'CLICKHOUSE_CLUSTER', default: 'none', about: 'Name of the cluster that spans the shards.' },
  {
    name: 'JOURNAL',
    default: 's3 where database, bucket and ClickHouse are shared, else disk',
    about:
      's3: acknowledged log entries wait in the bucket, so that a node that is lost with its disk loses none; disk: on each node’s disk.',
  },
  {
    name: 'MEDIA_TOKEN',
    default: 'none',
    about: 'Fixed media token of the project `default`, 16 characters at least.',
    secret: 'whole',
  },
  {
    name: 'LOGS_TOKEN',
    default: 'none',
    about: 'Fixed logs token of the project `default`, 16 characters at least.',
    secret: 'whole',
  },
  { name: 'ADMIN_EMAIL', default: 'none', about: 'Creates the owner account at start if there is none.' },
  { name: 'ADMIN_PASSWORD', default: 'none', about: 'Password of that account.', secret: 'whole' },
  { name: 'FILE_SIZE_MAX', default: '32MiB', about: 'Largest file that is accepted.' },
  { name: 'RATE_LIMIT', default: 'off', about: 'Requests per minute and token; off: no limit.' },
  {
    name: 'LENIENT_LEVELS',
    default: 'false',
    about: 'true: the V3 routes take any word as a level: synonyms mean one of the four, others info.',
  },
  {
    name: 'SDK_SESSION_SECONDS',
    default: '1800',
    about: 'After so long without a report an SDK session has ended.',
  },
  {
    name: 'SLOW_QUERY_SECONDS',
    default: '2',
    about: 'A question about logs that takes longer is written to the log, without its text.',
  },
  {
    name: 'OUTGOING_PRIVATE',
    default: 'false',
    about: 'true: notifications may go to addresses of this machine and of private networks.',
  },
  {
    name: 'SMTP_URL',
    default: 'none',
    about: 'smtp://user:password@host:587 or smtps://…, the server that notifications by e-mail go through.',
    secret: 'password',
  },
  {
    name: 'SMTP_FROM',
    default: 'the user of SMTP_URL, or tapedeck@ the host of PUBLIC_URL',
    about: 'Address that such mails come from.',
  },
  {
    name: 'OIDC_ISSUER',
    default: 'none',
    about: 'OpenID provider that people may sign in by, such as https://accounts.google.com.',
  },
  { name: 'OIDC_CLIENT_ID', default: 'none', about: 'What the provider calls this service.' },
  { name: 'OIDC_CLIENT_SECRET', default: 'none', about: 'Secret that it gave for that.', secret: 'whole' },
  { name: 'OIDC_NAME', default: 'your provider', about: 'What the button says behind "Sign in with".' },
  { name: 'OIDC_SCOPES', default: 'openid email profile', about: 'What the provider is asked for.' },
  {
    name: 'OIDC_CREATE',
    default: 'none',
    about: 'Who becomes a user without an invitation: none, any, or domains of e-mail addresses by commas.',
  },
  {
    name: 'FAST_HTTP',
    default: 'true',
    about: 'false: Node.js reads every request; the answers are the same, and take longer.',
  },
  { name: 'URL', default: 'the service of this machine', about: 'The service that `tapedeck logs` asks.' },
  { name: 'TOKEN', default: 'none', about: 'Logs token that `tapedeck logs` asks it with.', secret: 'whole' },
] as const satisfies readonly Setting[];

export type SettingName = (typeof settings)[number]['name'];

/** As it stands in the environment. */
export function nameSetting<Name extends SettingName>(name: Name): `TAPEDECK_${Name}` {
  return `TAPEDECK_${name}`;
}

/** What counts where nothing is given. */
export function findDefault(name: SettingName): string {
  const setting = settings.find(each => each.name === name);
  if (setting === undefined) throw new Error(`There is no setting ${name}.`);
  return setting.default;
}
