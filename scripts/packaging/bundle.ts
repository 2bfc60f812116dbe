/**
 * Bundles the service into the given folder, for set-up and the npm package. Files keep the depth of their sources, so that both find the dashboard
 * and the manifest. usage: bundle.ts FOLDER
 */
import { globSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { basename, join } from 'node:path';
import { build, type Plugin } from 'rolldown';
import { repositoryRoot } from '../repository.ts';
import { routerCompilation } from './routerCompilation.ts';

/** Entry points of processes and threads. Threads are named `*.worker.ts`, and the file that starts one finds it by name next to itself. */
const threads = globSync(['server/src/**/*.worker.ts', 'packages/*/src/**/*.worker.ts'], {
  cwd: repositoryRoot,
});
const programs = ['server/src/cli.ts', 'packages/log-store/src/writer/engine/child.ts', ...threads];

/** Packages of hundreds of small files, bundled with our own. Other packages look for files next to theirs, or have few. */
const bundledPackages: ReadonlySet<string> = new Set([
  '@fastify/busboy',
  '@fastify/fast-json-stringify-compiler',
  '@fastify/static',
  'fastify',
  'kysely',
  'pino',
  'prom-client',
  'typebox',
  'ws',
]);
const isBundled = (name: string) => name.startsWith('@tapedeck/') || bundledPackages.has(name);

/**
 * An `import` of `node:http` reads all its members. Three of them load Node.js's whole web client, which takes 60 ms of processor time per start but
 * is unused here. So the bundle loads the module itself, and names the other members.
 */
const unusedClientNames: ReadonlySet<string> = new Set(['WebSocket', 'CloseEvent', 'MessageEvent']);
const withoutWebClient: Plugin = {
  name: 'node:http without the client for the web',
  resolveId: source => (source === 'node:http' ? '\0node:http' : null),
  load: id => {
    if (id !== '\0node:http') return null;
    const names = Object.keys(http).filter(name => !unusedClientNames.has(name));
    const members = `export const { ${names.join(', ')} } = http;`;
    return `const http = process.getBuiltinModule('node:http');\nexport default http;\n${members}`;
  },
};

const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('Name the folder to bundle into.');
const manifest: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(repositoryRoot, 'server/package.json'), 'utf8'),
);
const loaded = Object.keys(manifest.dependencies).filter(name => !isBundled(name));

await build({
  cwd: repositoryRoot,
  input: Object.fromEntries(programs.map(program => [basename(program, '.ts'), program])),
  platform: 'node',
  plugins: [withoutWebClient, routerCompilation],
  external: loaded.flatMap(name => [name, new RegExp(`^${name}/`)]),
  output: {
    dir: directory,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: false, // logged stack traces name functions
  },
});
