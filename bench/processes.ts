/** Starts the service and the load generator as separate processes, each on one core if the machine can. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Load, LoadResult } from './load.ts';

export type BenchService = AsyncDisposable & { port: number; pid: number; dataDir: string };

const repository = path.join(import.meta.dirname, '..');

/** Starts the service as users do, or a benchmark's own program. Uses only the first core, unless `core` is null. */
export async function startBenchService(
  environment: Readonly<Record<string, string>>,
  core: number | null = 0,
  program: string | null = null,
): Promise<BenchService> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'tapedeck-bench-'));
  const settings = {
    TAPEDECK_PORT: '0',
    TAPEDECK_HOST: '127.0.0.1',
    TAPEDECK_DATA_DIR: dataDir,
    ...environment,
  };
  const command =
    program === null ? ['sh', 'scripts/tapedeck.sh', 'serve'] : [process.execPath, program, dataDir];
  const child = spawnCommand(core, command, settings);
  const port = await readReadyPort(child);
  return {
    port,
    pid: child.pid!,
    dataDir,
    [Symbol.asyncDispose]: async () => {
      const closed = once(child, 'exit');
      child.kill('SIGTERM');
      await closed;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export async function runLoadProcess(load: Load, core: number | null = 1): Promise<LoadResult> {
  const child = spawnOnCore(core, [path.join(import.meta.dirname, 'load.ts')], {});
  child.stdin!.end(JSON.stringify(load));
  // load.ts prints this.
  return JSON.parse(await text(child.stdout!)) as LoadResult;
}

export function spawnOnCore(
  core: number | null,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): ChildProcess {
  return spawnCommand(core, [process.execPath, ...args], settings);
}

/** Every Linux has taskset; elsewhere the system places the processes. */
function spawnCommand(
  core: number | null,
  command: readonly string[],
  settings: Readonly<Record<string, string>>,
): ChildProcess {
  const pin = core !== null && existsSync('/usr/bin/taskset') ? ['taskset', '-c', String(core)] : [];
  const [program = '', ...rest] = [...pin, ...command];
  return spawn(program, rest, {
    cwd: repository,
    env: { ...process.env, ...settings },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

/** Reads the port from the line that the service, or a compared program, prints when it listens. */
export async function readReadyPort(child: ChildProcess): Promise<number> {
  for await (const line of createInterface({ input: child.stdout! })) {
    // Every line of the service's output is one JSON object.
    const { msg, url } = JSON.parse(line) as { msg: string; url?: string };
    if (msg === 'ready' && url) {
      child.stdout!.resume();
      return Number(new URL(url).port);
    }
  }
  throw new Error('The service ended before it was ready.');
}
