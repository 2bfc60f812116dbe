/**
 * Makes the npm package: the service as set-up builds it, the built dashboard, a command, and client and contract compiled with their types, because
 * Node.js does not strip types below node_modules. Folders match the repository.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { repositoryRoot } from '../repository.ts';
import { packFolder, run } from './packing.ts';

const stageDirectory = join(repositoryRoot, '.cache/package');
/** Modules that other programs import. TypeScript finds their imports. */
const imported = ['server/src/contract.ts', 'client/src/index.ts'];

/** Makes the tarball in the folder and returns its path. */
export function makePackage(targetDirectory: string): string {
  const dashboard = join(repositoryRoot, 'dashboard/dist');
  if (!existsSync(join(dashboard, 'index.html')))
    throw new Error('The dashboard is not built: run `npm start` once.');
  rmSync(stageDirectory, { recursive: true, force: true });
  mkdirSync(join(stageDirectory, 'bin'), { recursive: true });
  mkdirSync(targetDirectory, { recursive: true });
  run(process.execPath, ['scripts/packaging/bundle.ts', join(stageDirectory, 'server/dist')], repositoryRoot);
  compileImported();
  const bundled = layOutPackages();
  cpSync(dashboard, join(stageDirectory, 'dashboard/dist'), { recursive: true });
  cpSync(join(repositoryRoot, 'docs'), join(stageDirectory, 'docs'), { recursive: true });
  cpSync(join(repositoryRoot, 'README.md'), join(stageDirectory, 'README.md'));
  cpSync(join(import.meta.dirname, 'tapedeck.mjs'), join(stageDirectory, 'bin/tapedeck.mjs'));
  cpSync(join(repositoryRoot, 'scripts/setup/platform.mjs'), join(stageDirectory, 'bin/platform.mjs'));
  chmodSync(join(stageDirectory, 'bin/tapedeck.mjs'), 0o755);
  writeManifests(bundled);
  return packFolder(stageDirectory, targetDirectory);
}

function compileImported(): void {
  const settings = {
    extends: join(repositoryRoot, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      allowJs: false,
      rootDir: repositoryRoot,
      outDir: stageDirectory,
      types: ['node'],
      typeRoots: [join(repositoryRoot, 'node_modules/@types')],
      paths: listPackageSources(), // files below node_modules are not compiled
    },
    include: [],
    files: imported.map(path => join(repositoryRoot, path)),
  };
  const settingsPath = join(dirname(stageDirectory), 'tsconfig.package.json');
  writeFileSync(settingsPath, JSON.stringify(settings));
  run(
    process.execPath,
    [join(repositoryRoot, 'node_modules/typescript/bin/tsc'), '--checkers', '1', '-p', settingsPath],
    repositoryRoot,
  );
}

function listPackageSources(): Record<string, string[]> {
  const folders = globSync('packages/*', { cwd: repositoryRoot });
  const sources = folders.flatMap(folder => {
    const { name, exports } = readManifest(folder);
    return Object.entries(exports).map(([door, source]): [string, string[]] => [
      posix.join(name, door),
      [join(repositoryRoot, folder, source)],
    ]);
  });
  return Object.fromEntries(sources);
}

/** Puts our packages that client and contract use, compiled with them, into the package. Returns their names. */
function layOutPackages(): string[] {
  const compiled = join(stageDirectory, 'packages');
  const names = readdirSync(compiled);
  for (const folder of names) {
    const target = join(stageDirectory, 'node_modules/@tapedeck', folder);
    mkdirSync(dirname(target), { recursive: true });
    renameSync(join(compiled, folder), target);
    const { name, version, type, exports } = readManifest(`packages/${folder}`);
    const entries = Object.entries(exports).map(([door, source]) => [door, nameCompiled(source)]);
    const manifest = { name, version, type, exports: Object.fromEntries(entries) };
    writeFileSync(join(target, 'package.json'), JSON.stringify(manifest));
  }
  rmSync(compiled, { recursive: true });
  return names.map(folder => `@tapedeck/${folder}`);
}

function nameCompiled(source: string): { types: string; default: string } {
  const path = source.replace(/\.ts$/, '');
  return { types: `${path}.d.ts`, default: `${path}.js` };
}

/** Writes the manifest for npm, and the one that the sources look for. */
function writeManifests(bundled: readonly string[]): void {
  const { name, version, description, license, engines, dependencies = {} } = readManifest('server');
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { tapedeck: 'bin/tapedeck.mjs' },
    exports: {
      './contract': nameCompiled('./server/src/contract.ts'),
      './client': nameCompiled('./client/src/index.ts'),
    },
    dependencies: listDependencies(dependencies, bundled),
    bundleDependencies: bundled,
  };
  writeFileSync(join(stageDirectory, 'package.json'), JSON.stringify(manifest, null, 2));
  writeFileSync(join(stageDirectory, 'server/package.json'), JSON.stringify({ version, type: 'module' }));
}

/** Lists packages that the service and the compiled packages load. The service's bundle holds the rest of our code. */
function listDependencies(
  ofService: Record<string, string>,
  bundled: readonly string[],
): Record<string, string> {
  const ofBundled = bundled.map(
    name => readManifest(name.replace('@tapedeck', 'packages')).dependencies ?? {},
  );
  const all: Record<string, string> = Object.assign({}, ...ofBundled, ofService);
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => !name.startsWith('@tapedeck/') || bundled.includes(name)),
  );
}

type Manifest = {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  exports: Record<string, string>;
} & Record<string, unknown>;

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(repositoryRoot, folder, 'package.json'), 'utf8'));
}
