/** A process that runs tests: its settings, its temporary folder, and the group by which all that it leaves behind is ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../repository.ts';

const killGraceMs = 5_000;
const leftoverGraceMs = 5_000; // engines that end with their parent need a moment
const outputCharactersMax = 20_000;

const compiledCode = join(repositoryRoot, '.cache/compiled'); // where `scripts/tapedeck.sh` keeps it too
const packedPackages = `--import=${pathToFileURL(join(repositoryRoot, 'scripts/testing/loadPacked.mjs'))}`;

/** Process groups under way, so that they end with the runner. */
const running = new Set<number>();

type Exit = { status: number | null; signal: NodeJS.Signals | null };
export type TestProcess = { child: ChildProcess; exit: Promise<Exit>; takeOutput: () => string };

export const reporter = `--test-reporter=${join(import.meta.dirname, 'events.mjs')}`;

/** `hasMessages`: the process is sent messages, and sends some. */
export function startTestProcess(
  args: readonly string[],
  { temporary, hasMessages = false }: { temporary: string; hasMessages?: boolean },
): TestProcess {
  const child = spawn(process.execPath, args, {
    cwd: repositoryRoot,
    env: environmentForTests(temporary),
    stdio: ['ignore', 'pipe', 'pipe', ...(hasMessages ? (['ipc'] as const) : [])],
    detached: true, // a group of its own, so that all it started can be ended with it
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
 * Tests don't get the settings of the person who runs them, except the one that turns fast HTTP off. `node` means the
 * Node.js that runs them. Compiled and packed code is shared between files, which saves a third of the suite's
 * processor time.
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
    HAS_BUNDLE: 'yes', // `npm test` has set the service up
    NODE_COMPILE_CACHE: compiledCode,
    NODE_OPTIONS: [process.env.NODE_OPTIONS, packedPackages].filter(Boolean).join(' '),
  };
}

/** Ends the processes under way; for the signal handlers of the runner. */
export function stopRunningProcesses(): void {
  for (const pid of running) signalGroup(pid, 'SIGKILL');
}

/** Asks a process and all it started to end, and makes them when they do not. */
export function endProcess({ pid }: ChildProcess): void {
  signalGroup(pid, 'SIGTERM');
  setTimeout(() => signalGroup(pid, 'SIGKILL'), killGraceMs).unref();
}

/** Ends processes that a file has left behind; `isOver` if the process itself should be gone too. */
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

/** Processes that have ended and that nobody has asked about, as happens in containers, still count for `kill`. */
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
    return false; // it ended meanwhile
  }
}

function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid !== undefined) signal(-pid, name);
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false; // no such process any more
  }
}
