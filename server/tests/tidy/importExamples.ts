/** Examples for the rules about imports and dead files, with and without a fault. */
import { builtFiles } from './builds.ts';
import { cycles } from './cycles.ts';
import { exportedNames } from './exports.ts';
import { directions } from './importDirections.ts';
import { logStoreLayering } from './logStoreLayers.ts';
import { packageEntryPoints, packageReadmes, readmeNames } from './packages.ts';
import { reachability } from './reachability.ts';
import type { Example } from './rule.ts';
import { circles } from './typeCycles.ts';

const domain = 'packages/domain/src/identity/tokens.ts';
const test = 'server/tests/door.test.ts';
const domainPackage = {
  'packages/domain/package.json': '{"name":"@tapedeck/domain","exports":{"./*":"./src/*.ts"}}',
};
const contractPackage = {
  'packages/contract/package.json': '{"name":"@tapedeck/contract","exports":{".":"./src/index.ts"}}',
};

const logStore = 'packages/log-store/src';

export const importExamples: readonly Example[] = [
  {
    rule: logStoreLayering,
    title: 'the journal naming a type of the writer',
    files: {
      [`${logStore}/journal/journal.ts`]: "import type { A } from '../writer/flushing/a.ts';",
      [`${logStore}/writer/flushing/a.ts`]: '',
    },
    advice: /writer\/flushing\/a\.ts, which lies above it/,
  },
  {
    rule: logStoreLayering,
    title: 'a folder without a layer',
    files: { [`${logStore}/extras/a.ts`]: '' },
    advice: /belongs to no layer/,
  },
  {
    rule: logStoreLayering,
    title: 'the writer emptying the journal',
    files: {
      [`${logStore}/writer/flushing/a.ts`]: "import { a } from '../../journal/journal.ts';",
      [`${logStore}/journal/journal.ts`]: '',
    },
  },
  {
    rule: packageEntryPoints,
    title: 'the domain reaching into a package',
    files: { [domain]: "import '../../../media-facts/src/png.ts';" },
    advice: /by the name of the package/,
  },
  {
    rule: packageEntryPoints,
    title: 'a package that imports from outside itself',
    files: { 'packages/media-facts/src/png.ts': "import '../../../server/src/version.ts';" },
    advice: /knows nothing but itself/,
  },
  {
    rule: packageReadmes,
    title: 'a package whose README states no purpose',
    files: {
      'packages/media-facts/package.json': '{"name":"@tapedeck/media-facts"}',
      'packages/media-facts/README.md': '```ts\n```\n## Trying it alone',
    },
    advice: /lacks "## What it promises"/,
  },
  {
    rule: readmeNames,
    title: 'a README that shows a name under which a package exports nothing',
    files: {
      'packages/values/package.json': '{"name":"@tapedeck/values","exports":{"./json":"./src/json.ts"}}',
      'packages/values/src/json.ts': 'export function readJson() {}',
      'packages/values/README.md': "```ts\nimport { readJson, type Json } from '@tapedeck/values/json';\n```",
    },
    advice: /shows Json, which @tapedeck\/values\/json does not export/,
  },
  {
    rule: exportedNames,
    title: 'a type that only its own file uses',
    files: { [domain]: 'export type Deps = {}; f({} as Deps);' },
    advice: /nobody imports Deps/,
  },
  {
    rule: exportedNames,
    title: 'a function that only a test calls',
    files: {
      [domain]: 'export function f() {}',
      ...domainPackage,
      [test]: "import { f } from '@tapedeck/domain/identity/tokens';",
    },
    advice: /only tests use f/,
  },
  {
    rule: exportedNames,
    title: 'exports that others import, a package exposes, or a test uses along with its file',
    files: {
      'packages/values/package.json': '{"name":"@tapedeck/values","exports":{".":"./src/index.ts"}}',
      'packages/values/src/index.ts': "export * from './numbers.ts'; export const a = 1;",
      'packages/values/src/numbers.ts': 'export const { b } = c;',
      [domain]: 'export const limit = 1; f(limit);',
      ...domainPackage,
      [test]: "import { limit } from '@tapedeck/domain/identity/tokens';",
    },
  },
  {
    rule: directions,
    title: 'a domain that imports http',
    files: { [domain]: "import { a } from '../../../../server/src/http/a.ts';", 'server/src/http/a.ts': '' },
    advice: /domain imports only vocabulary/,
  },
  {
    rule: directions,
    title: 'a domain that speaks SQL',
    files: { [domain]: "import { sql } from 'kysely';" },
    advice: /domain must not know kysely: put a port/,
  },
  {
    rule: directions,
    title: 'a store that reads another store through a type',
    files: {
      'server/src/stores/logs/a.ts': "import type { B } from '../images/b.ts';",
      'server/src/stores/images/b.ts': '',
    },
    advice: /let server\/src\/app\.ts bring them together/,
  },
  {
    rule: directions,
    title: 'a program that uses test code',
    files: {
      [domain]: "import '../../../../server/tests/support/service.ts';",
      'server/tests/support/service.ts': '',
    },
    advice: /which is for tests/,
  },
  {
    rule: directions,
    title: 'a dashboard that bypasses the client',
    files: {
      ...contractPackage,
      'packages/contract/src/index.ts': '',
      'dashboard/src/main.tsx': "import '@tapedeck/contract';",
    },
    advice: /dashboard imports only client/,
  },
  {
    rule: directions,
    title: 'a client that follows the contract',
    files: {
      ...contractPackage,
      'packages/contract/src/index.ts': '',
      'client/src/index.ts': "import '@tapedeck/contract';",
    },
  },
  {
    rule: directions,
    title: 'a layer that names a type of a forbidden package, while app imports all',
    files: {
      'server/src/http/a.ts': "import type { Kysely } from 'kysely';",
      'server/src/app.ts': "import './http/a.ts';",
    },
  },
  {
    rule: cycles,
    title: 'two files that import each other',
    files: {
      'a.ts': "import './b.ts';",
      'b.ts': "export * from './c.ts';",
      'c.ts': "await import('./a.ts');",
    },
    advice: /by way of b\.ts and c\.ts/,
  },
  {
    rule: cycles,
    title: "two files that use each other's types",
    files: { 'a.ts': "import './b.ts';", 'b.ts': "import type { A } from './a.ts';" },
  },
  {
    rule: circles,
    title: "four files that use each other's types in a cycle",
    files: {
      'a.ts': "import './b.ts';",
      'b.ts': "import './c.ts';",
      'c.ts': "import './d.ts';",
      'd.ts': "import type { A } from './a.ts';",
    },
    advice: /4 files import each other \(a\.ts, b\.ts, c\.ts, d\.ts\)/,
  },
  {
    rule: circles,
    title: 'four files in a chain, three of which import each other',
    files: {
      'a.ts': "import './b.ts';",
      'b.ts': "import './c.ts';",
      'c.ts': "import './d.ts';",
      'd.ts': "import type { B } from './b.ts';",
    },
  },
  {
    rule: reachability,
    title: 'a file that nothing imports',
    files: { 'server/src/cli.ts': '', [domain]: '' },
    advice: /import it where it is needed, or remove it/,
  },
  {
    rule: reachability,
    title: 'a file that only its own test imports',
    files: {
      'server/src/cli.ts': '',
      [domain]: '',
      'packages/domain/src/identity/tokens.test.ts': "import './tokens.ts';",
    },
    advice: /only tests reach it/,
  },
  {
    rule: reachability,
    title: 'workers, pages and test code that are reached',
    files: {
      'server/src/cli.ts':
        'new Worker(new URL(`./thread$' + '{extname(import.meta.url)}`, import.meta.url));',
      'server/src/thread.ts': '',
      'dashboard/index.html': '<script type="module" src="/src/main.tsx"></script>',
      'dashboard/src/main.tsx': '',
      'server/src/proxy.ts': '/** For tests: misbehaves. */',
      [test]: "import '../src/proxy.ts';",
    },
  },
  {
    rule: builtFiles,
    title: 'files that setup does not list',
    files: {
      'scripts/setup/dashboard.mjs': "export const dashboard = { sources: ['dashboard', 'docs/other'] };",
      'dashboard/src/main.tsx': "import.meta.glob<string>('../../docs/tools/*.md');",
    },
    advice: /lacks docs\/tools/,
  },
  {
    rule: builtFiles,
    title: 'files that setup lists, and types',
    files: {
      'scripts/setup/dashboard.mjs':
        "export const dashboard = { sources: ['dashboard', 'client', 'docs/tools'] };",
      'dashboard/src/main.tsx':
        "import '../../client/a.ts'; import type { B } from '../../server/b.ts'; import.meta.glob('../../docs/tools/*.md');",
      'client/a.ts': '',
      'server/b.ts': '',
    },
  },
];
