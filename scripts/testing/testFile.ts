/** One test file in a process of its own: runs it, counts its results, and ends whatever it leaves behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../repository.ts';

const killGraceMs = 5_000;
const leftoverGraceMs = 5_000; // engines that end with their parent need a moment
const outputCharactersMax = 20_000;

type Failure = { name: string; text: string };
export type FileResult = {
  path: string;
  passed: number;
  failures: Failure[];
  /** What the file printed, for whoever reads its failures. */
  output: string;
  tookMs: number;
};
type Counts = { tests: number; passed: number; failed: number; cancelled: number };
type Ending = { status: number | null; problems: string[] };
type Event =
  | { type: 'summary'; counts: Counts }
  | { type: 'pass' }
  | { type: 'failure'; name: string; text: string }
  | { type: 'skip'; name: string };

const compiledCode = join(repositoryRoot, '.cache/compiled'); // where `scripts/tapedeck.sh` keeps it too
const packedPackages = `--import=${pathToFileURL(join(repositoryRoot, 'scripts/testing/loadPacked.mjs'))}`;
const wholeFile = 'the file as a whole';

/** Process groups under way, so that they end with the runner. */
const running = new Set<number>();

export async function runTestFile(path: string, timeMsMax: number): Promise<FileResult> {
  const startedAt = performance.now();
  const directory = mkdtempSync(join(tmpdir(), 'tapedeck-tests-'));
  chmodSync(directory, 0o755); // engines under an account of their own must get at what lies inside
  const eventsPath = join(directory, 'events.ndjson');
  const child = startTestFile(path, { directory, eventsPath });
  let output = '';
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-outputCharactersMax);
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const { status, problems } = await awaitEnd(child, timeMsMax);
  problems.push(...(await endLeftovers(child)));
  const { passed, failures } = countResults(readEvents(eventsPath), { status, problems });
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  return { path, passed, failures, output, tookMs: performance.now() - startedAt };
}

/** Ends the files under way; for the signal handlers of the runner. */
export function stopRunningFiles(): void {
  for (const pid of running) signalGroup(pid, 'SIGKILL');
}

/** Sums up what one process reported, and how it ended. Results that nobody saw are no successes. */
function countResults(
  events: readonly Event[],
  { status, problems }: Ending,
): { passed: number; failures: Failure[] } {
  const failures = events.flatMap<Failure>(event => {
    if (event.type === 'failure') return [{ name: event.name, text: event.text }];
    if (event.type === 'skip')
      return [{ name: event.name, text: 'It was skipped: let it run, or remove it.' }];
    return [];
  });
  for (const text of problems) failures.push({ name: wholeFile, text });
  const counts = events.find(event => event.type === 'summary')?.counts;
  if (failures.length === 0) {
    const text = findSilentProblem(counts, status);
    if (text) failures.push({ name: wholeFile, text });
  }
  return { passed: events.filter(({ type }) => type === 'pass').length, failures };
}

function findSilentProblem(counts: Counts | undefined, status: number | null): string | undefined {
  if (status !== 0) return `It ended with ${status} before its tests did: see what it printed.`;
  if (counts === undefined || counts.tests === 0) return 'It holds no test: write one, or remove the file.';
  if (counts.failed + counts.cancelled > 0) return 'A test failed without saying why.';
  return undefined;
}

function startTestFile(
  path: string,
  { directory, eventsPath }: Record<'directory' | 'eventsPath', string>,
): ChildProcess {
  const reporter = join(import.meta.dirname, 'events.mjs');
  const flags = [`--test-reporter=${reporter}`, `--test-reporter-destination=${eventsPath}`];
  const child = spawn(process.execPath, [...flags, resolve(repositoryRoot, path)], {
    cwd: repositoryRoot,
    env: environmentForTests(directory),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group of its own, so that all it started can be ended with it
  });
  if (child.pid) running.add(child.pid);
  return child;
}

/**
 * Settings of the person at the keyboard are none of the tests, but for the one that runs them without fast HTTP; `node` means the Node.js that runs them. What is compiled
 * and packed once need not be again in every file: that took a third of the suite's processor time.
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
    NODE_COMPILE_CACHE: compiledCode,
    NODE_OPTIONS: [process.env.NODE_OPTIONS, packedPackages].filter(Boolean).join(' '),
  };
}

async function awaitEnd(child: ChildProcess, timeMsMax: number): Promise<Ending> {
  const problems: string[] = [];
  const timer = setTimeout(() => {
    problems.push(
      `It took longer than ${timeMsMax / 1_000} s: something it opened stays open, or it waits in vain.`,
    );
    signalGroup(child.pid, 'SIGTERM');
    setTimeout(() => signalGroup(child.pid, 'SIGKILL'), killGraceMs).unref();
  }, timeMsMax);
  const [status, signal] = await new Promise<[number | null, NodeJS.Signals | null]>(resolve => {
    child.once('exit', (...end) => resolve(end));
    child.once('error', () => resolve([1, null]));
  });
  clearTimeout(timer);
  if (signal && problems.length === 0) problems.push(`It was ended by ${signal}.`);
  return { status, problems };
}

async function endLeftovers(child: ChildProcess): Promise<string[]> {
  const pid = child.pid;
  if (pid === undefined) return [];
  const until = performance.now() + leftoverGraceMs;
  while (isGroupAlive(pid) && performance.now() < until) await pause(20);
  running.delete(pid);
  if (!isGroupAlive(pid)) return [];
  signalGroup(pid, 'SIGKILL');
  return ['It left processes running: end what it starts (`await using` does it).'];
}

/** Processes that have ended and that nobody has asked about, as happens in containers, still count for `kill`. */
function isGroupAlive(group: number): boolean {
  if (!signalGroup(group, 0)) return false;
  if (process.platform !== 'linux') return true;
  return readdirSync('/proc').some(name => /^\d+$/.test(name) && isAliveIn(group, name));
}

function isAliveIn(group: number, pid: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return processGroup === String(group) && state !== 'Z';
  } catch {
    return false; // it ended meanwhile
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(-pid, signal);
  } catch {
    return false; // no such group any more
  }
}

function readEvents(path: string): Event[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    return lines.map((line): Event => JSON.parse(line));
  } catch {
    return []; // it ended before its first line
  }
}
