/** Runs commands in this process or, where that matters, in a separate one. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { runCommandLine } from '../../src/commandLine.ts';
import type { Environment } from '../../src/config.ts';

/** The bundle from set-up, which users run. */
export const bundledCli = path.join(import.meta.dirname, '../../dist/cli.js');

/** The test runner has built the bundle, which starts in a third of the time. A file run by hand uses the sources. */
const cli =
  process.env.HAS_BUNDLE === 'yes' ? bundledCli : path.join(import.meta.dirname, '../../src/cli.ts');

type Outcome = { exitCode: number | null; printed: string; complained: string };

export async function runTapedeck(args: readonly string[], environment: Environment): Promise<Outcome> {
  const outcome: Outcome = { exitCode: null, printed: '', complained: '' };
  const output = {
    print: (words: string) => {
      outcome.printed += words;
    },
    complain: (words: string) => {
      outcome.complained += words;
    },
  };
  outcome.exitCode = await runCommandLine(args, output, environment);
  return outcome;
}

/** Runs a command that must succeed, and returns its output. */
export async function tapedeck(args: readonly string[], environment: Environment): Promise<string> {
  const { exitCode, printed, complained } = await runTapedeck(args, environment);
  assert.deepEqual({ exitCode, complained }, { exitCode: 0, complained: '' });
  return printed;
}

/** Drops the settings of the person who runs the tests. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TAPEDECK_')));
}

type ProcessOptions = { environment?: Environment; input?: string };

/** Returns the words that run a command in a separate process. */
export const commandOf = (args: readonly string[]): string[] => [process.execPath, cli, ...args];

export async function runProcess(args: readonly string[], options: ProcessOptions = {}): Promise<Outcome> {
  const child = spawn(process.execPath, [cli, ...args], {
    env: { ...cleanEnvironment(), ...options.environment },
  });
  child.stdin.end(options.input ?? '');
  const [printed, complained, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { exitCode, printed, complained };
}

/** Runs on a 24-line terminal; returns what it shows, without the carriage returns that the terminal adds. */
export async function runOnTerminal(
  args: readonly string[],
  environment: Environment,
): Promise<{ exitCode: number | null; shown: string }> {
  const quoted = commandOf(args).map(word => `'${word.replaceAll("'", "'\\''")}'`);
  const line = `stty rows 24 cols 120; ${quoted.join(' ')}`;
  const child = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [shown, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { exitCode, shown: shown.replaceAll('\r\n', '\n') };
}

export type BegunProcess = AsyncDisposable & {
  /** Resolves to the URL once the service is ready; rejects if it ends first. */
  ready: Promise<string>;
  child: ChildProcess;
  /** Lines on standard output so far. */
  lines: string[];
  /** Resolves when the process has ended. */
  exit: Promise<{ exitCode: number | null; complained: string; setUpNotice: string; ms: number }>;
};

export type ServiceProcess = BegunProcess & { url: string };

/** Starts `tapedeck serve` in a separate process and waits until it is ready. */
export async function startProcess(
  environment: Environment,
  launcher: readonly string[] = [],
  program: string = cli,
): Promise<ServiceProcess> {
  const begun = beginProcess(environment, launcher, program);
  return { ...begun, url: await begun.ready };
}

/** A new installation prints this notice beside its log. It is not an error. */
const setUpNotice = /^\nTapedeck is ready\. .*\n\n.*\n/;

/** Starts `tapedeck serve` in a separate process without waiting. The launcher is a command that execs it. */
export function beginProcess(
  environment: Environment,
  launcher: readonly string[] = [],
  program: string = cli,
): BegunProcess {
  const [command = '', ...args] = [...launcher, process.execPath, program, 'serve'];
  const child = spawn(command, args, {
    env: { ...cleanEnvironment(), TAPEDECK_HOST: '127.0.0.1', TAPEDECK_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const complained = text(child.stderr);
  const startedAt = performance.now();
  const exit = once(child, 'close').then(async ([exitCode]) => {
    const heard = await complained;
    return {
      exitCode: exitCode as number | null, // documented for this event
      complained: heard.replace(setUpNotice, ''),
      setUpNotice: setUpNotice.exec(heard)?.[0] ?? '',
      ms: performance.now() - startedAt,
    };
  });
  const ready = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).on('line', line => {
    lines.push(line);
    const { msg, url } = JSON.parse(line) as { msg?: string; url?: string };
    if (msg === 'ready' && url !== undefined) ready.resolve(url);
  });
  void exit.then(outcome => ready.reject(new Error(`It exited before it was ready: ${outcome.complained}`)));
  ready.promise.catch(() => {}); // some tests do not wait for it
  return {
    ready: ready.promise,
    child,
    lines,
    exit,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
