/**
 * The npm package: the service as set-up builds it, the built dashboard, a command, and client and contract compiled with
 * their types, because Node.js strips none below node_modules. Folders lie as in the repository.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../repository.ts';

const stageDirectory = join(repositoryRoot, '.cache/package');
/** What other programs import; TypeScript finds what these import. */
const imported = ['server/src/contract/index.ts', 'client/src/index.ts'];

/** Makes the tarball in the folder, and answers its path. */
export function makePackage(targetDirectory: string): string {
  const dashboard = join(repositoryRoot, 'dashboard/dist');
  if (!existsSync(join(dashboard, 'index.html')))
    throw new Error('The dashboard is not built: run `npm start` once.');
  rmSync(stageDirectory, { recursive: true, force: true });
  mkdirSync(join(stageDirectory, 'bin'), { recursive: true });
  mkdirSync(targetDirectory, { recursive: true });
  run(process.execPath, ['scripts/packaging/bundle.ts', join(stageDirectory, 'server/dist')], repositoryRoot);
  compileImported();
  cpSync(dashboard, join(stageDirectory, 'dashboard/dist'), { recursive: true });
  cpSync(join(repositoryRoot, 'README.md'), join(stageDirectory, 'README.md'));
  cpSync(join(import.meta.dirname, 'tapedeck.mjs'), join(stageDirectory, 'bin/tapedeck.mjs'));
  cpSync(join(repositoryRoot, 'scripts/setup/platform.mjs'), join(stageDirectory, 'bin/platform.mjs'));
  chmodSync(join(stageDirectory, 'bin/tapedeck.mjs'), 0o755);
  writeManifests();
  const packed = run(
    'npm',
    ['pack', '--json', '--silent', '--pack-destination', targetDirectory],
    stageDirectory,
  );
  const [{ filename }]: [{ filename: string }] = JSON.parse(packed);
  return join(targetDirectory, filename);
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
    },
    include: [],
    files: imported.map(path => join(repositoryRoot, path)),
  };
  const settingsPath = join(dirname(stageDirectory), 'tsconfig.package.json');
  writeFileSync(settingsPath, JSON.stringify(settings));
  run(
    process.execPath,
    [join(repositoryRoot, 'node_modules/typescript/bin/tsc'), '-p', settingsPath],
    repositoryRoot,
  );
}

/** The one that npm reads, and the one that the sources find beside them. */
function writeManifests(): void {
  const { name, version, description, license, engines, dependencies } = readManifest();
  const entry = (path: string) => ({ types: `./${path}.d.ts`, default: `./${path}.js` });
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    bin: { tapedeck: 'bin/tapedeck.mjs' },
    exports: { './contract': entry('server/src/contract/index'), './client': entry('client/src/index') },
    // What is ours is in the bundle.
    dependencies: Object.fromEntries(
      Object.entries(dependencies).filter(([dependency]) => !dependency.startsWith('@tapedeck/')),
    ),
  };
  writeFileSync(join(stageDirectory, 'package.json'), JSON.stringify(manifest, null, 2));
  writeFileSync(join(stageDirectory, 'server/package.json'), JSON.stringify({ version, type: 'module' }));
}

type Manifest = { version: string; dependencies: Record<string, string> } & Record<string, unknown>;

function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(repositoryRoot, 'server/package.json'), 'utf8'));
}

function run(program: string, args: string[], directory: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: directory, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? `${stdout}${stderr}`}`);
  return stdout;
}
