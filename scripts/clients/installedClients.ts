/** Clients as others publish them, for tests: installed into `.cache/clients` as the lists in this folder pin them. */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { repositoryRoot } from '../repository.ts';
import { withLock } from '../setup/lock.mjs';
import { npmCommand, npmFlags } from '../setup/npm.mjs';
import { runProgram } from '../setup/program.mjs';

/** What one package manager installs, and by which lists. */
type Installation = { name: string; lists: readonly string[]; commands(place: string): readonly Command[] };
type Command = { command: string; args: readonly string[] };

const fromNpm: Installation = {
  name: 'npm',
  lists: ['package.json', 'package-lock.json'],
  commands: () => [npmCommand(process.execPath, ['ci', ...npmFlags])],
};

/** Wheels alone: a package that is built here would run a script of its own. */
const fromPyPi: Installation = {
  name: 'python',
  lists: ['requirements.txt'],
  commands: place => [
    { command: 'python3', args: ['-m', 'venv', '--clear', join(place, 'venv')] },
    {
      command: pythonOf(place),
      args: ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', '-r', 'requirements.txt'],
    },
  ],
};

/** Resolves to a `require` that finds the packages of npm, and the paths of their programs by `resolve`. */
export async function bringNodeClients(): Promise<NodeJS.Require> {
  return createRequire(join(await bring(fromNpm), 'package.json'));
}

/** Resolves to the path of a Python that finds the packages of PyPI. */
export async function bringPythonClients(): Promise<string> {
  return pythonOf(await bring(fromPyPi));
}

function pythonOf(place: string): string {
  return join(place, 'venv/bin/python');
}

/** Test files that run at the same time find one installation; one that was cut short is made again. */
async function bring(installation: Installation): Promise<string> {
  const place = join(repositoryRoot, '.cache/clients', installation.name);
  const stampPath = join(place, '.installed');
  const stamp = stampOf(installation);
  const say = (sentence: string) => console.error(sentence);
  const install = async (onStart: (pid: number) => void) => {
    if (readStamp(stampPath) === stamp) return;
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    for (const list of installation.lists) copyFileSync(join(import.meta.dirname, list), join(place, list));
    for (const { command, args } of installation.commands(place)) {
      const program = { command, args: [...args], directory: place, label: 'installing clients for tests' };
      const failure = `The clients of ${installation.name} could not be installed: see what it says above.`;
      await runProgram({ ...program, failure }, { say, onStart });
    }
    writeFileSync(stampPath, stamp);
  };
  if (readStamp(stampPath) !== stamp) await withLock(`${place}.lock`, install, say);
  return place;
}

function stampOf({ lists }: Installation): string {
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch}`);
  for (const list of lists) hash.update(readFileSync(join(import.meta.dirname, list)));
  return hash.digest('hex');
}

function readStamp(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // nothing is installed
  }
}
