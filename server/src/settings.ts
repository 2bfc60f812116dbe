/** The table of settings: names, defaults and meanings. `config.ts` reads their values; docs/configuration.md is generated from it. */

export type Setting = {
  /** The name without `TAPEDECK_`. */
  name: string;
  default: string;
  /** Shown by `tapedeck config` and in docs/configuration.md. */
  about: string;
  /** The part that `tapedeck config` hides: the whole value, or the password inside a URL. */
  secret?: 'whole' | 'password';
};

export const settings = [
  { name: 'HOST', default: '0.0.0.0', about: 'Address to listen on.' },
  { name: 'PORT', default: '8787', about: 'Port to listen on. 0 picks a free one.' },
  {
    name: 'PUBLIC_URL',
    default: 'http://localhost:PORT',
    about: 'Address that people and clients use. Every URL that the service hands out begins with it.',
  },
  {
    name: 'TRUSTED_PROXIES',
    default: 'loopback',
    about: 'Proxies whose X-Forwarded-For is trusted: addresses and networks, separated by commas, or none.',
  },
  { name: 'DATA_DIR', default: './data', about: 'Folder for everything stored on this machine.' },
  {
    name: 'SECRET',
    default: 'generated, kept in DATA_DIR',
    about: 'Signs sessions and upload URLs. Required with DATABASE_URL, and the same on all nodes.',
    secret: 'whole',
  },
  {
    name: 'DATABASE_URL',
    default: 'SQLite in DATA_DIR',
    about:
      'PostgreSQL database that nodes share: postgres://user:password@host/name. PgBouncer in transaction mode works, too.',
    secret: 'password',
  },
  {
    name: 'DATABASE_CONNECTIONS',
    default: '6',
    about: 'Most connections to PostgreSQL that this node opens, at least 2.',
  },
  { name: 'S3_BUCKET', default: 'files in DATA_DIR', about: 'Bucket for media files, instead of the disk.' },
  {
    name: 'S3_ENDPOINT',
    default: 'that of the region',
    about: 'URL of the S3-compatible store.',
    secret: 'password',
  },
  { name: 'S3_REGION', default: 'us-east-1', about: 'Region to sign requests for.' },
  { name: 'S3_ACCESS_KEY_ID', default: 'none', about: 'Access key of the bucket.' },
  { name: 'S3_SECRET_ACCESS_KEY', default: 'none', about: 'Secret key of the bucket.', secret: 'whole' },
  {
    name: 'S3_FORCE_PATH_STYLE',
    default: 'false',
    about: 'true puts the bucket into the path instead of the host name.',
  },
  {
    name: 'S3_PUBLIC_URL',
    default: 'none',
    about: 'Prefix of media URLs, for a bucket that is read directly.',
  },
  {
    name: 'CLICKHOUSE_URL',
    default: 'an embedded engine in DATA_DIR',
    about:
      'ClickHouse server: http://user:password@host:8123. With several shards, one URL for each, separated by commas.',
    secret: 'password',
  },
  { name: 'CLICKHOUSE_CLUSTER', default: 'none', about: 'Name of the cluster that spans the shards.' },
  {
    name: 'JOURNAL',
    default: 's3 where database, bucket and ClickHouse are shared, else disk',
    about:
      'Where acknowledged log entries wait for ClickHouse. s3: in the bucket, so no entry is lost with a node. disk: in DATA_DIR.',
  },
  {
    name: 'MEDIA_TOKEN',
    default: 'none',
    about: 'Fixed media token of the project `default`, at least 16 characters.',
    secret: 'whole',
  },
  {
    name: 'LOGS_TOKEN',
    default: 'none',
    about: 'Fixed logs token of the project `default`, at least 16 characters.',
    secret: 'whole',
  },
  {
    name: 'SYSLOG',
    default: 'none',
    about: 'Where to listen for syslog, separated by commas: udp://0.0.0.0:5514,tcp://0.0.0.0:5514.',
  },
  {
    name: 'SYSLOG_TOKEN',
    default: 'LOGS_TOKEN',
    about: 'Logs token used to store messages of syslog.',
    secret: 'whole',
  },
  {
    name: 'FORWARD',
    default: 'none',
    about: "Where to listen for Fluentd's forward protocol: tcp://0.0.0.0:24224.",
  },
  {
    name: 'FORWARD_TOKEN',
    default: 'LOGS_TOKEN',
    about: 'Logs token used to store its events. Senders give it as the shared key.',
    secret: 'whole',
  },
  { name: 'ADMIN_EMAIL', default: 'none', about: 'Creates the owner account at start if there is none.' },
  { name: 'ADMIN_PASSWORD', default: 'none', about: 'Password of that account.', secret: 'whole' },
  { name: 'FILE_SIZE_MAX', default: '32MiB', about: 'Largest file that may be uploaded.' },
  {
    name: 'RATE_LIMIT',
    default: 'off',
    about:
      'Requests per minute and token, across all nodes. Sessions and upload URLs count towards their token. off: no limit.',
  },
  {
    name: 'LENIENT_LEVELS',
    default: 'false',
    about:
      'true accepts any word as a level on V3 routes: synonyms map to the four levels, other words become info and stay in metadata.level.',
  },
  {
    name: 'SDK_SESSION_SECONDS',
    default: '1800',
    about: 'Seconds without a report before an SDK session expires.',
  },
  {
    name: 'SLOW_QUERY_SECONDS',
    default: '2',
    about: 'Log searches that take longer are written to the service log, without their text.',
  },
  {
    name: 'OUTGOING_PRIVATE',
    default: 'false',
    about: 'true lets notifications go to this machine and to private networks.',
  },
  {
    name: 'SMTP_URL',
    default: 'none',
    about:
      'Mail server for notifications: smtp://user:password@host:587 or smtps://…, with user and password percent-encoded. Add ?requireTLS=false or ?tls.rejectUnauthorized=false for a server without encryption or without a trusted certificate.',
    secret: 'password',
  },
  {
    name: 'SMTP_FROM',
    default: 'the user of SMTP_URL, or tapedeck@ the host of PUBLIC_URL',
    about: 'Sender address of these mails.',
  },
  {
    name: 'OIDC_ISSUER',
    default: 'none',
    about: 'OpenID provider for sign-in, such as https://accounts.google.com.',
  },
  { name: 'OIDC_CLIENT_ID', default: 'none', about: 'Client ID from the provider.' },
  { name: 'OIDC_CLIENT_SECRET', default: 'none', about: 'Client secret from the provider.', secret: 'whole' },
  { name: 'OIDC_NAME', default: 'your provider', about: 'Name on the button: "Sign in with …".' },
  { name: 'OIDC_SCOPES', default: 'openid email profile', about: 'Scopes to request from the provider.' },
  {
    name: 'OIDC_CREATE',
    default: 'none',
    about:
      'Who may sign up through the provider without an invitation: none, any, or email domains separated by commas.',
  },
  {
    name: 'FAST_HTTP',
    default: 'true',
    about: 'false serves every request through the HTTP server of Node.js: same responses, slower.',
  },
  { name: 'URL', default: 'the service of this machine', about: 'Service that `tapedeck logs` reads from.' },
  {
    name: 'TOKEN',
    default: 'none',
    about: 'Logs token that `tapedeck logs` uses for that service.',
    secret: 'whole',
  },
] as const satisfies readonly Setting[];

export type SettingName = (typeof settings)[number]['name'];

/** Returns the setting's name in the environment. */
export function nameSetting<Name extends SettingName>(name: Name): `TAPEDECK_${Name}` {
  return `TAPEDECK_${name}`;
}

export function findDefault(name: SettingName): string {
  const setting = settings.find(each => each.name === name);
  if (setting === undefined) throw new Error(`There is no setting ${name}.`);
  return setting.default;
}
