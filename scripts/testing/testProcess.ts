/** Starts processes that run tests, with settings, a temporary folder, and a process group through which leftovers are ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../repository.ts';

const killGraceMs = 5_000;
const leftoverGraceMs = 5_000; // engines that end with their parent need a moment
const outputCharactersMax = 20_000;

const compiledCode = join(repositoryRoot, '.cache/compiled'); // the same place as in `scripts/tapedeck.sh`
const packedPackages = `--import=${pathToFileURL(join(repositoryRoot, 'scripts/testing/loadPacked.mjs'))}`;

/** Running process groups, so that they end with the runner. */
const running = new Set<number>();

type Exit = { status: number | null; signal: NodeJS.Signals | null };
export type TestProcess = { child: ChildProcess; exit: Promise<Exit>; takeOutput: () => string };

export const reporter = `--test-reporter=${join(import.meta.dirname, 'eventReporter.mjs')}`;

/** `hasMessages`: the process exchanges messages with the runner. */
export function startTestProcess(
  args: readonly string[],
  { temporary, hasMessages = false }: { temporary: string; hasMessages?: boolean },
): TestProcess {
  const child = spawn(process.execPath, args, {
    cwd: repositoryRoot,
    env: environmentForTests(temporary),
    stdio: ['ignore', 'pipe', 'pipe', ...(hasMessages ? (['ipc'] as const) : [])],
    detached: true, // a separate group, so that all its children can be ended with it
  });
  if (child.pid) running.add(child.pid);
  let output = '';
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-outputCharactersMax);
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const takeOutput = () => {
    const taken = output;
    output = '';
    return taken;
  };
  const exit = new Promise<Exit>(resolve => {
    child.once('exit', (status, signal) => resolve({ status, signal }));
    child.once('error', () => resolve({ status: 1, signal: null }));
  });
  return { child, exit, takeOutput };
}

/**
 * Tests do not get the user's settings, except the one that turns fast HTTP off. `node` means the Node.js that runs them. Files share compiled and
 * packed code, which saves a third of the suite's processor time.
 */
function environmentForTests(directory: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('TAPEDECK_') || name === 'TAPEDECK_FAST_HTTP',
  );
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  return {
    ...Object.fromEntries(kept),
    PATH: path,
    TMPDIR: directory,
    HAS_BUNDLE: 'yes', // `npm test` has built the service
    GOGC: '400', // the TypeScript compiler, a Go program, would spend a third of its time on garbage
    NODE_COMPILE_CACHE: compiledCode,
    NODE_OPTIONS: [process.env.NODE_OPTIONS, packedPackages].filter(Boolean).join(' '),
  };
}

/** Ends the running processes, for the runner's signal handlers. */
export function stopRunningProcesses(): void {
  for (const pid of running) signalGroup(pid, 'SIGKILL');
}

/** Asks a process and its children to end, and kills them if they do not. */
export function endProcess({ pid }: ChildProcess): void {
  signalGroup(pid, 'SIGTERM');
  setTimeout(() => signalGroup(pid, 'SIGKILL'), killGraceMs).unref();
}

/** Ends processes that a file left behind. `isOver`: the process itself should be gone, too. */
export async function endLeftovers({ pid }: ChildProcess, isOver: boolean): Promise<string[]> {
  if (pid === undefined) return [];
  const until = performance.now() + leftoverGraceMs;
  let left = listGroup(pid, isOver);
  while (left.length > 0 && performance.now() < until) {
    await pause(20);
    left = listGroup(pid, isOver);
  }
  if (isOver) running.delete(pid);
  if (left.length === 0) return [];
  for (const one of left) signal(one, 'SIGKILL');
  return ['It left processes running: end what it starts (`await using` does it).'];
}

/** Excludes zombies, which `kill` still counts. They occur in containers. */
function listGroup(group: number, isOver: boolean): number[] {
  if (process.platform !== 'linux') return isOver && signal(-group, 0) ? [-group] : [];
  const all = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  return all.map(Number).filter(pid => (isOver || pid !== group) && isAliveIn(group, pid));
}

function isAliveIn(group: number, pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return processGroup === String(group) && state !== 'Z';
  } catch {
    return false; // the process has ended
  }
}

function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid !== undefined) signal(-pid, name);
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false; // no such process
  }
}
