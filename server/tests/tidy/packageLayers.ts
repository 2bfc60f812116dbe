/** The packages, and what each may import. Engines work alone: each knows Node.js and only those packages that depend on nothing. The domain uses engines. */

export type Layer = {
  name: string;
  files: RegExp;
  imports: readonly string[];
  /** Layers from which only types may be imported. */
  types?: readonly string[];
  packages?: RegExp;
};

export const packageLayers: readonly Layer[] = [
  {
    name: 'contract',
    files: /^packages\/contract\//,
    imports: ['alert-kinds', 'log-entries', 'log-query-language'],
    packages: /^typebox/,
  },
  {
    name: 'node-values',
    files: /^packages\/values\/src\/(randomIds|base64url|oneTimeCodes|changedFields|settings\/)/,
    imports: ['values', 'web'],
    packages: /^node:/,
  },
  { name: 'values', files: /^packages\/values\//, imports: [], packages: /^$/ }, // also runs in browsers
  { name: 'web', files: /^packages\/web\//, imports: [], packages: /^node:net$/ },
  {
    name: 'concurrency',
    files: /^packages\/concurrency\//,
    imports: [],
    packages: /^node:(timers\/promises|worker_threads)$/,
  },
  {
    name: 'guide-files', // browsers bundle the texts instead
    files: /^packages\/guides\/src\/files\.ts$/,
    imports: ['guides'],
    packages: /^node:(fs|path)$/,
  },
  { name: 'guides', files: /^packages\/guides\//, imports: [], packages: /^$/ },
  {
    name: 'alert-kinds',
    files: /^packages\/alerting\/src\/(kinds|targets)\.ts$/,
    imports: [],
    packages: /^$/, // also runs in browsers
  },
  {
    name: 'alerting',
    files: /^packages\/alerting\//,
    imports: ['alert-kinds', 'values', 'node-values', 'log-entries', 'log-query-language'],
    types: ['log-store', 'notifications'],
    packages: /^node:timers\/promises$/,
  },
  { name: 'command-line', files: /^packages\/command-line\//, imports: [], packages: /^node:util$/ },
  {
    name: 'log-terminal',
    files: /^packages\/log-terminal\//,
    imports: ['values', 'command-line'],
    packages: /^node:/,
  },
  {
    name: 'outgoing',
    files: /^packages\/outgoing\//,
    imports: ['values'],
    packages: /^(node:|nodemailer$)/,
  },
  {
    name: 'notifications',
    files: /^packages\/notifications\//,
    imports: ['values'],
    packages: /^node:crypto$/,
  },
  { name: 'tracing', files: /^packages\/tracing\//, imports: ['node-values'], packages: /^node:/ },
  { name: 'durable-files', files: /^packages\/durable-files\//, imports: ['values'], packages: /^node:/ },
  {
    name: 'log-entries',
    files: /^packages\/log-entries\//,
    imports: ['values', 'log-query-language'],
    packages: /^node:/,
  },
  {
    name: 'metadata-database',
    files: /^packages\/metadata-database\//,
    imports: ['values'],
    packages: /^(node:|kysely$|pg$)/,
  },
  { name: 'log-patterns', files: /^packages\/log-patterns\//, imports: [], packages: /^node:/ },
  {
    name: 'log-protocols',
    files: /^packages\/log-protocols\//,
    imports: ['values', 'node-values', 'log-entries'],
    packages: /^(?:node:|@bufbuild\/protobuf|hysnappy)/,
  },
  {
    name: 'chat-messages',
    files: /^packages\/chat-messages\//,
    imports: ['values', 'log-entries'],
    packages: /^$/,
  },
  {
    name: 'log-query-language',
    files: /^packages\/log-query-language\//,
    imports: ['values'],
    packages: /^re2js$/, // also runs in browsers
  },
  { name: 'logql', files: /^packages\/logql\//, imports: ['values'], packages: /^(node:net|re2js)$/ },
  { name: 'zip-archives', files: /^packages\/zip-archives\//, imports: [], packages: /^node:/ },
  { name: 'fast-http', files: /^packages\/fast-http\//, imports: [], packages: /^node:/ },
  {
    name: 'request-bodies',
    files: /^packages\/request-bodies\//,
    imports: ['values', 'concurrency', 'fast-http'],
    packages: /^(node:|@fastify\/busboy$)/,
  },
  { name: 'media-facts', files: /^packages\/media-facts\//, imports: [], packages: /^node:/ },
  {
    name: 'blob-stores',
    files: /^packages\/blob-stores\//,
    imports: ['values', 'concurrency', 'durable-files', 'web'],
    packages: /^node:/,
  },
  {
    name: 'resumable-uploads',
    files: /^packages\/resumable-uploads\//,
    imports: ['values'],
    types: ['blob-stores'],
    packages: /^node:/,
  },
  {
    name: 'log-store',
    files: /^packages\/log-store\//,
    imports: [
      'values',
      'concurrency',
      'durable-files',
      'node-values',
      'log-entries',
      'log-patterns',
      'log-query-language',
    ],
    packages: /^(node:|chdb|ffi-rs)/,
  },
  {
    name: 'file-index',
    files: /^packages\/file-index\//,
    imports: ['values', 'concurrency', 'log-entries', 'log-query-language'],
    types: ['media-facts'],
    packages: /^node:/,
  },
  {
    name: 'loki-queries',
    files: /^packages\/loki-queries\//,
    imports: ['values', 'concurrency', 'log-entries', 'log-query-language', 'logql'],
    types: ['log-store'],
    packages: /^node:(os|path|timers\/promises|worker_threads)$/,
  },
  {
    name: 'importing',
    files: /^packages\/importing\//,
    imports: [
      'client',
      'values',
      'command-line',
      'durable-files',
      'outgoing',
      'log-entries',
      'log-protocols',
      'log-query-language',
    ],
    packages: /^node:/,
  },
  {
    name: 'vocabulary',
    files: /^packages\/domain\/src\/(vocabulary|auditActions)\.ts$/,
    imports: ['contract', 'values', 'alert-kinds'],
    packages: /^$/,
  },
  {
    name: 'ports',
    files: /^packages\/domain\/src\/ports\//,
    imports: ['vocabulary', 'domain', 'log-entries', 'log-query-language'],
    types: [
      'alerting',
      'blob-stores',
      'file-index',
      'log-store',
      'notifications',
      'metadata-database',
      'concurrency',
      'resumable-uploads',
    ],
    packages: /^$/,
  },
  {
    name: 'domain',
    files: /^packages\/domain\//,
    imports: [
      'vocabulary',
      'ports',
      'log-entries',
      'log-query-language',
      'log-patterns',
      'log-protocols', // no project may be named like one of its paths
      'media-facts',
      'web',
      'values',
      'concurrency',
      'node-values',
      'alerting',
      'resumable-uploads',
      'zip-archives',
    ],
    types: ['chat-messages'],
    // No HTTP, no SQL, no environment.
    packages:
      /^(?!(fastify|@fastify|kysely|pg|pino|prom-client|chdb|ffi-rs|@clickhouse)\b|node:(http|https|http2|net|sqlite|process)$)/,
  },
  {
    name: 'metadata-store',
    files: /^packages\/metadata-store\//,
    imports: [
      'domain',
      'ports',
      'vocabulary',
      'values',
      'concurrency',
      'file-index',
      'node-values',
      'log-query-language',
      'metadata-database',
    ],
    types: ['alerting'],
    packages: /^(node:|kysely$)/,
  },
];
