/** Rules about who may import whom: `dashboard → client → contract`, `http → contract, domain`, `stores → domain`. */
import { isTestSupport, type Repository } from '../../../scripts/sources.ts';
import { type Import, listImports, readPackageNames } from './imports.ts';
import type { Finding, Rule } from './rule.ts';

type Layer = {
  name: string;
  files: RegExp;
  imports: readonly string[];
  /** Layers whose types alone may be named. */
  types?: readonly string[];
  packages?: RegExp;
};

/** The first match decides. A path that no layer matches may import anything. */
const layers: readonly Layer[] = [
  {
    name: 'vocabulary',
    files: /^server\/src\/(vocabulary|textPatterns|version)\.ts$/,
    imports: ['failures', 'log-entries'],
    packages: /^node:/,
  },
  {
    name: 'contract',
    files: /^server\/src\/contract\//,
    imports: ['vocabulary', 'log-entries', 'log-query-language'],
    packages: /^typebox/,
  },
  // Engines are useful alone: each knows Node.js and those of them that know nothing.
  { name: 'failures', files: /^packages\/failures\//, imports: [], packages: /^$/ },
  { name: 'colour-codes', files: /^packages\/colour-codes\//, imports: [], packages: /^$/ }, // it runs in browsers, too
  // It runs in browsers, too, where the texts are bundled and nothing is read from files.
  {
    name: 'guide-files',
    files: /^packages\/connection-guides\/src\/files\.ts$/,
    imports: ['connection-guides'],
    packages: /^node:(fs|path)$/,
  },
  { name: 'connection-guides', files: /^packages\/connection-guides\//, imports: [], packages: /^$/ },
  { name: 'markdown-pages', files: /^packages\/markdown-pages\//, imports: [], packages: /^$/ },
  { name: 'alert-rules', files: /^packages\/alert-rules\//, imports: [], packages: /^$/ },
  { name: 'gate', files: /^packages\/gate\//, imports: [], packages: /^$/ },
  { name: 'rate-budgets', files: /^packages\/rate-budgets\//, imports: [], packages: /^$/ },
  { name: 'client-addresses', files: /^packages\/client-addresses\//, imports: [], packages: /^node:net$/ },
  {
    name: 'setting-values',
    files: /^packages\/setting-values\//,
    imports: ['client-addresses'],
    packages: /^node:net$/,
  },
  { name: 'case-folding', files: /^packages\/case-folding\//, imports: [], packages: /^$/ },
  { name: 'command-line', files: /^packages\/command-line\//, imports: [], packages: /^node:util$/ },
  {
    name: 'log-terminal',
    files: /^packages\/log-terminal\//,
    imports: ['colour-codes', 'command-line'],
    packages: /^node:/,
  },
  { name: 'one-time-codes', files: /^packages\/one-time-codes\//, imports: [], packages: /^node:crypto$/ },
  { name: 'random-ids', files: /^packages\/random-ids\//, imports: [], packages: /^node:/ },
  {
    name: 'outgoing-requests',
    files: /^packages\/outgoing-requests\//,
    imports: ['failures'],
    packages: /^node:/,
  },
  {
    name: 'notifications',
    files: /^packages\/notifications\//,
    imports: ['colour-codes'],
    packages: /^node:crypto$/,
  },
  {
    name: 'outgoing-mail',
    files: /^packages\/outgoing-mail\//,
    imports: [],
    packages: /^(node:|nodemailer$)/,
  },
  {
    name: 'tracing',
    files: /^packages\/tracing\//,
    imports: ['setting-values'],
    packages: /^node:/,
  },
  { name: 'http-ranges', files: /^packages\/http-ranges\//, imports: [], packages: /^$/ },
  { name: 'percent-encoding', files: /^packages\/percent-encoding\//, imports: [], packages: /^$/ },
  { name: 'durable-files', files: /^packages\/durable-files\//, imports: ['failures'], packages: /^node:/ },
  { name: 'json-values', files: /^packages\/json-values\//, imports: ['failures'], packages: /^$/ },
  {
    name: 'log-entries',
    files: /^packages\/log-entries\//,
    imports: ['failures', 'json-values', 'log-query-language'],
    packages: /^node:/,
  },
  {
    name: 'metadata-database',
    files: /^packages\/metadata-database\//,
    imports: ['failures'],
    packages: /^(node:|kysely$|pg$)/,
  },
  { name: 'log-patterns', files: /^packages\/log-patterns\//, imports: [], packages: /^node:/ },
  {
    name: 'log-protocols',
    files: /^packages\/log-protocols\//,
    imports: ['failures', 'json-values', 'log-entries'],
    packages: /^(?:node:|@bufbuild\/protobuf|hysnappy)/,
  },
  {
    name: 'chat-messages',
    files: /^packages\/chat-messages\//,
    imports: ['failures', 'json-values', 'log-entries'],
    packages: /^$/,
  },
  {
    name: 'log-query-language',
    files: /^packages\/log-query-language\//,
    imports: ['case-folding', 'failures'],
    packages: /^$/, // it runs in browsers, too
  },
  { name: 'fast-http', files: /^packages\/fast-http\//, imports: [], packages: /^node:/ },
  {
    name: 'request-bodies',
    files: /^packages\/request-bodies\//,
    imports: ['failures', 'gate', 'json-values', 'fast-http'],
    packages: /^(node:|@fastify\/busboy$)/,
  },
  { name: 'media-facts', files: /^packages\/media-facts\//, imports: [], packages: /^node:/ },
  {
    name: 'blob-stores',
    files: /^packages\/blob-stores\//,
    imports: ['failures', 'gate', 'durable-files', 'percent-encoding'],
    packages: /^node:/,
  },
  {
    name: 'resumable-uploads',
    files: /^packages\/resumable-uploads\//,
    imports: ['failures'],
    types: ['blob-stores'],
    packages: /^node:/,
  },
  {
    name: 'log-store',
    files: /^packages\/log-store\//,
    imports: [
      ...['failures', 'gate', 'case-folding', 'durable-files', 'random-ids'],
      ...['log-entries', 'log-patterns', 'log-query-language'],
    ],
    packages: /^(node:|chdb|ffi-rs)/,
  },
  {
    name: 'ports',
    files: /^server\/src\/domain\/ports\//,
    imports: ['vocabulary', 'domain', 'log-entries'],
    types: [
      ...['alert-rules', 'blob-stores', 'log-store', 'notifications'],
      ...['metadata-database', 'rate-budgets', 'resumable-uploads'],
    ],
    packages: /^$/,
  },
  {
    name: 'domain',
    files: /^server\/src\/domain\//,
    imports: [
      ...['vocabulary', 'ports', 'log-entries', 'log-query-language', 'media-facts', 'client-addresses'],
      ...['failures', 'gate', 'case-folding', 'json-values', 'percent-encoding', 'random-ids', 'alert-rules'],
      ...['resumable-uploads', 'one-time-codes'],
    ],
    types: ['chat-messages', 'notifications'],
    // No HTTP, no SQL, no environment.
    packages:
      /^(?!(fastify|@fastify|kysely|pg|pino|prom-client|chdb|ffi-rs|@clickhouse)\b|node:(http|https|http2|net|sqlite|process)$)/,
  },
  {
    name: 'stores',
    files: /^server\/src\/stores\//,
    imports: [
      ...['domain', 'ports', 'vocabulary'],
      ...['failures', 'gate', 'case-folding', 'durable-files', 'json-values', 'random-ids'],
      ...['log-entries', 'metadata-database', 'log-store'],
      ...['notifications', 'outgoing-mail', 'outgoing-requests'],
    ],
    types: ['rate-budgets'],
    packages: /^(?!(fastify|@fastify|prom-client)\b)/,
  },
  {
    name: 'intake',
    files: /^server\/src\/intake\//,
    imports: [
      ...['domain', 'ports', 'vocabulary'],
      ...['failures', 'json-values', 'log-entries', 'log-query-language', 'log-store'],
      ...['chat-messages', 'log-protocols'],
    ],
    packages: /^node:(os|path|worker_threads)$/,
  },
  {
    name: 'http',
    files: /^server\/src\/http\//,
    imports: [
      ...['contract', 'domain', 'ports', 'intake', 'vocabulary'],
      ...['failures', 'gate', 'percent-encoding', 'random-ids', 'http-ranges', 'fast-http', 'request-bodies'],
      'resumable-uploads',
      ...['json-values', 'log-entries', 'log-query-language', 'log-protocols', 'chat-messages'],
      ...[
        'client-addresses',
        'rate-budgets',
        'connection-guides',
        'guide-files',
        'markdown-pages',
        'tracing',
      ],
    ],
    packages: /^(?!(kysely|pg|chdb|ffi-rs|@clickhouse)\b|node:sqlite$)/,
  },
  {
    name: 'config',
    files: /^server\/src\/(config\.ts$|settings\.ts$|settings\/)/,
    imports: ['vocabulary', 'client-addresses', 'setting-values', 'outgoing-mail', 'tracing'],
  },
  {
    name: 'app',
    files: /^server\/src\//,
    imports: [
      ...['http', 'intake', 'stores', 'domain', 'ports', 'contract', 'config', 'vocabulary', 'client'],
      ...['failures', 'command-line', 'log-terminal', 'durable-files'],
      ...['blob-stores', 'log-entries', 'log-store'],
      ...['client-addresses', 'rate-budgets', 'setting-values', 'tracing'],
    ],
  },
  {
    name: 'client-node',
    files: /^client\/src\/kit\/(node|pino|winston|logs\/spool\w*)\.ts$/,
    imports: ['client'],
    packages: /^node:/,
  },
  { name: 'client', files: /^client\//, imports: ['contract', 'vocabulary'], packages: /^$/ },
  {
    name: 'dashboard',
    files: /^dashboard\/src\//,
    imports: ['client', 'connection-guides', 'log-query-language'],
    packages: /^(?!node:|fastify|tapedeck)/,
  },
];

export const directions: Rule = {
  name: 'imports point one way',
  find: repository => {
    const packageNames = readPackageNames(repository);
    return repository.sources
      .filter(source => !isTestSupport(source.path, repository))
      .flatMap(source =>
        listImports(source, packageNames).flatMap((imported): Finding[] => {
          const advice = repository.files.has(imported.to)
            ? judgeImport(source.path, imported, repository)
            : judgePackage(source.path, imported);
          return advice === undefined ? [] : [{ path: source.path, line: imported.line, advice }];
        }),
      );
  },
};

function judgeImport(from: string, { to, isTypeOnly }: Import, repository: Repository): string | undefined {
  const layer = findLayer(from);
  if (layer === undefined) return undefined;
  if (isTestSupport(to, repository))
    return `imports ${to}, which is for tests: move what both need into server/src.`;
  const target = findLayer(to);
  const storeOf = (path: string) => /^server\/src\/stores\/([^/]+)\//.exec(path)?.[1];
  const isStore = layer.name === 'stores' && target === layer && storeOf(to) !== undefined;
  const isOtherStore = isStore && storeOf(to) !== storeOf(from);
  if (isOtherStore)
    return `one store must not know another (${to}): let server/src/app.ts bring them together.`;
  if (target === undefined || target === layer || layer.imports.includes(target.name)) return undefined;
  if (isTypeOnly && layer.types?.includes(target.name)) return undefined;
  const allowed = layer.imports.length === 0 ? 'nothing' : `only ${layer.imports.join(', ')}`;
  return `${layer.name} imports ${allowed}, and ${to} is ${target.name}: pass what is needed as an argument, or move it.`;
}

/** Types of a package leave no trace in the program, so a layer may use them without importing it. */
function judgePackage(from: string, { to, isTypeOnly }: Import): string | undefined {
  const layer = findLayer(from);
  if (layer?.packages === undefined || isTypeOnly || layer.packages.test(to) || /^\.|^@tapedeck\//.test(to))
    return undefined;
  return `${layer.name} must not know ${to}: put a port into server/src/domain/ports, and let the layer that may know it fill it.`;
}

function findLayer(path: string): Layer | undefined {
  return layers.find(({ files }) => files.test(path));
}
