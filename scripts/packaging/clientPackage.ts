/** Makes the npm package `@tapedeck/client`: bundled programs for Node.js and browsers, with types that need no other package. */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { routeTable } from '../../client/src/routes.ts';
import { repositoryRoot } from '../repository.ts';
import { type ApiDescription, listOperations, writeClientTypes } from './clientTypes.ts';
import { packFolder, run } from './packing.ts';

const stageDirectory = join(repositoryRoot, '.cache/client-package');
const typesDirectory = join(repositoryRoot, '.cache/client-types');
const sourceDirectory = join(repositoryRoot, 'client/src');
const nodeEntries = ['node', 'pino', 'winston'] as const;

/** Makes the tarball in the folder and returns its path. */
export async function makeClientPackage(targetDirectory: string): Promise<string> {
  for (const directory of [stageDirectory, typesDirectory])
    rmSync(directory, { recursive: true, force: true });
  mkdirSync(stageDirectory, { recursive: true });
  mkdirSync(targetDirectory, { recursive: true });
  const api: ApiDescription = JSON.parse(readFileSync(join(repositoryRoot, 'openapi.json'), 'utf8'));
  await bundle(nodeEntries, { routes: composeRoutes(api), minify: false });
  await bundle(['browser'], { routes: composeRoutes(api), minify: true });
  compileTypes(api);
  cpSync(join(repositoryRoot, 'client/README.md'), join(stageDirectory, 'README.md'));
  writeFileSync(join(stageDirectory, 'package.json'), JSON.stringify(composeManifest(), null, 2));
  return packFolder(stageDirectory, targetDirectory);
}

/** Returns the contract's routes, and those of old versions, which the description includes. */
function composeRoutes(api: ApiDescription): Readonly<Record<string, string>> {
  const described = listOperations(api).map(({ method, path, operation }) => [
    operation.operationId,
    `${method} ${path}`,
  ]);
  return { ...Object.fromEntries(described), ...routeTable };
}

type BundleOptions = { routes: Readonly<Record<string, string>>; minify: boolean };

async function bundle(entries: readonly string[], { routes, minify }: BundleOptions): Promise<void> {
  await build({
    input: Object.fromEntries(entries.map(name => [name, join(sourceDirectory, 'kit', `${name}.ts`)])),
    platform: minify ? 'browser' : 'node',
    plugins: [
      {
        name: 'finish-route-table',
        load: id =>
          id.endsWith('/client/src/routes.ts')
            ? `export const routeTable = ${JSON.stringify(routes)};`
            : undefined,
      },
    ],
    output: {
      dir: join(stageDirectory, 'dist'),
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'shared-[hash].js',
      minify,
    },
  });
}

/** Compiles the sources with the written types instead of those computed from the contract. */
function compileTypes(api: ApiDescription): void {
  cpSync(sourceDirectory, typesDirectory, {
    recursive: true,
    filter: path => !/\.test\.ts$|(index|streams|routes)\.ts$/.test(path),
  });
  writeFileSync(join(typesDirectory, 'api.ts'), writeClientTypes(api));
  writeFileSync(
    join(typesDirectory, 'routes.ts'),
    'export const routeTable: Readonly<Record<string, string>> = {};',
  );
  const settings = {
    extends: join(repositoryRoot, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: typesDirectory,
      outDir: join(stageDirectory, 'dist/types'),
      types: ['node'],
      typeRoots: [join(repositoryRoot, 'node_modules/@types')],
    },
    include: [],
    files: [...nodeEntries, 'browser'].map(name => join(typesDirectory, 'kit', `${name}.ts`)),
  };
  const settingsPath = join(typesDirectory, 'tsconfig.json');
  writeFileSync(settingsPath, JSON.stringify(settings));
  run(process.execPath, [
    join(repositoryRoot, 'node_modules/typescript/bin/tsc'),
    '--checkers',
    '1',
    '-p',
    settingsPath,
  ]);
  // The compiler keeps the sources' file endings, which the package does not have.
  for (const path of globSync('dist/types/**/*.d.ts', { cwd: stageDirectory })) {
    const file = join(stageDirectory, path);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
}

function composeManifest(): object {
  const { name, version, description, license } = JSON.parse(
    readFileSync(join(repositoryRoot, 'client/package.json'), 'utf8'),
  );
  const entry = (program: string) => ({
    types: `./dist/types/kit/${program}.d.ts`,
    default: `./dist/${program}.js`,
  });
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: {
      '.': { browser: entry('browser'), default: entry('node') },
      './browser': entry('browser'),
      './pino': entry('pino'),
      './winston': entry('winston'),
    },
    peerDependencies: { pino: '>=8', winston: '>=3' },
    peerDependenciesMeta: { pino: { optional: true }, winston: { optional: true } },
  };
}
