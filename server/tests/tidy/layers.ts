/** The layers of the repository, and what each may import. The first one whose `files` match a path decides. */

type Layer = {
  name: string;
  files: RegExp;
  imports: readonly string[];
  /** Layers whose types alone may be named. */
  types?: readonly string[];
  packages?: RegExp;
};

/** A path that no layer matches may import anything. */
const layers: readonly Layer[] = [
  {
    name: 'vocabulary',
    files: /^server\/src\/(vocabulary|auditActions|version|contract)\.ts$/,
    imports: ['contract', 'values'],
    packages: /^node:/,
  },
  {
    name: 'contract',
    files: /^packages\/contract\//,
    imports: ['alert-kinds', 'log-entries', 'log-query-language'],
    packages: /^typebox/,
  },
  // Engines are useful alone: each knows Node.js and those of them that know nothing.
  {
    name: 'node-values',
    files: /^packages\/values\/src\/(randomIds|base64url|oneTimeCodes|changedFields|settings\/)/,
    imports: ['values', 'web'],
    packages: /^node:/,
  },
  { name: 'values', files: /^packages\/values\//, imports: [], packages: /^$/ }, // they run in browsers, too
  { name: 'web', files: /^packages\/web\//, imports: [], packages: /^node:net$/ },
  { name: 'concurrency', files: /^packages\/concurrency\//, imports: [], packages: /^$/ },
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
    packages: /^$/, // it runs in browsers, too
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
    packages: /^re2js$/, // it runs in browsers, too
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
    name: 'ports',
    files: /^server\/src\/domain\/ports\//,
    imports: ['vocabulary', 'domain', 'log-entries', 'log-query-language'],
    types: [
      'alerting',
      'blob-stores',
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
    files: /^server\/src\/domain\//,
    imports: [
      'vocabulary',
      'ports',
      'log-entries',
      'log-query-language',
      'log-protocols', // whose paths no project may have as its name
      'media-facts',
      'web',
      'values',
      ...['concurrency', 'node-values'],
      'alerting',
      ...['resumable-uploads', 'logql', 'zip-archives'],
    ],
    types: ['chat-messages'],
    // No HTTP, no SQL, no environment.
    packages:
      /^(?!(fastify|@fastify|kysely|pg|pino|prom-client|chdb|ffi-rs|@clickhouse)\b|node:(http|https|http2|net|sqlite|process)$)/,
  },
  {
    name: 'stores',
    files: /^server\/src\/stores\//,
    imports: [
      'domain',
      'ports',
      'vocabulary',
      'values',
      'concurrency',
      'durable-files',
      'node-values',
      'log-entries',
      'log-query-language',
      'metadata-database',
      'log-store',
      'notifications',
      'outgoing',
    ],
    types: ['alerting', 'concurrency'],
    packages: /^(?!(fastify|@fastify|prom-client)\b)/,
  },
  {
    name: 'intake',
    files: /^server\/src\/intake\//,
    imports: [
      'domain',
      'ports',
      'vocabulary',
      'values',
      'log-entries',
      'log-query-language',
      'log-store',
      'chat-messages',
      'log-protocols',
    ],
    packages: /^node:(os|path|worker_threads)$/,
  },
  {
    name: 'http',
    files: /^server\/src\/http\//,
    imports: [
      'contract',
      'domain',
      'ports',
      'intake',
      'vocabulary',
      'values',
      'concurrency',
      'web',
      'node-values',
      'fast-http',
      'request-bodies',
      'alerting',
      ...['resumable-uploads', 'logql', 'zip-archives'],
      'log-entries',
      'log-query-language',
      'log-protocols',
      'chat-messages',
      'guides',
      'guide-files',
      'tracing',
    ],
    packages: /^(?!(kysely|pg|chdb|ffi-rs|@clickhouse)\b|node:sqlite$)/,
  },
  {
    name: 'config',
    files: /^server\/src\/(config\.ts$|settings\.ts$|settings\/)/,
    imports: ['vocabulary', 'web', 'node-values', 'outgoing', 'tracing'],
  },
  {
    name: 'app',
    files: /^server\/src\//,
    imports: [
      'http',
      'intake',
      'stores',
      'domain',
      'ports',
      'contract',
      'config',
      'vocabulary',
      'client',
      'importing',
      'values',
      'command-line',
      'log-terminal',
      'durable-files',
      'alerting',
      'blob-stores',
      'log-entries',
      'log-protocols',
      'log-store',
      'outgoing',
      'web',
      'concurrency',
      'node-values',
      'tracing',
    ],
  },
  {
    name: 'client-node',
    files: /^client\/src\/kit\/(node|pino|winston|logs\/spool\w*)\.ts$/,
    imports: ['client'],
    packages: /^node:/,
  },
  { name: 'client', files: /^client\//, imports: ['contract'], packages: /^$/ },
  {
    name: 'dashboard',
    files: /^dashboard\/src\//,
    imports: ['client', 'guides', 'log-patterns', 'log-query-language'],
    packages: /^(?!node:|fastify|tapedeck)/,
  },
];

export function findLayer(path: string): Layer | undefined {
  return layers.find(({ files }) => files.test(path));
}
