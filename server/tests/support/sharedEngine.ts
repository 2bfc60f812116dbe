/**
 * Keeps log engines between services, for test files that do not test engines: starting an engine takes half of a start's CPU time. One service
 * uses an engine at a time and leaves it as empty as a new one.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beginEngine, type StartingEngine } from '@tapedeck/log-store/engine';
import { closeIdleConnections, runCommand, type SupervisedEngine } from '@tapedeck/log-store/testing';
import pino from 'pino';
import { type EarlyStart, startEarly } from '../../src/composition/earlyStart.ts';
import type { Config } from '../../src/config.ts';

type Engine = { directory: string; starting: StartingEngine; supervised: SupervisedEngine };

const idle: Engine[] = [];
const idleMax = 2; // more services at once are rare, and each engine holds memory
const silentLog = pino({ level: 'silent' });
/** Files that an engine creates in its directory before use. */
const ownNames: ReadonlySet<string> = new Set(['data', 'engine.xml', 'engine.log', 'engine.err.log']);

process.once('disconnect', endIdleEngines);

/** Ends engines that earlier files of this process left behind. A file that looks at engines must find its own alone. */
export async function endIdleEngines(): Promise<void> {
  for (const engine of idle.splice(0)) await endEngine(engine);
}

/** Whether the test runner lets this file's services reuse engines. A file run by hand does not share. */
export function sharesEngines(): boolean {
  return process.connected === true && process.env.SHARES_ENGINES === 'yes';
}

/** Holds a new data directory as a start does, with an engine that may have served another service. */
export async function holdWithSharedEngine(
  config: Config,
  log: pino.Logger,
): Promise<{ config: Config; held: EarlyStart }> {
  await using opened = new AsyncDisposableStack();
  // With external servers it starts no engine.
  const elsewhere = { kind: 'clickhouse', urls: [], cluster: null } as const;
  opened.use(await startEarly({ ...config, logs: elsewhere }, { log }));
  const engine = idle.pop() ?? (await openEngine());
  opened.defer(() => giveBack(engine));
  const held = opened.move();
  const { directory, supervised } = engine;
  const lent: StartingEngine = {
    spawned: Promise.resolve(),
    started: Promise.resolve(supervised),
    [Symbol.asyncDispose]: async () => {},
  };
  return {
    config: { ...config, logs: { kind: 'embedded', directory } },
    held: { engine: lent, [Symbol.asyncDispose]: () => held.disposeAsync() },
  };
}

async function openEngine(): Promise<Engine> {
  const directory = await mkdtemp(path.join(process.env.PROCESS_TMPDIR ?? tmpdir(), 'engine-'));
  const starting = beginEngine({ kind: 'embedded', directory }, { log: silentLog, keepsTable: false });
  if (starting === null) throw new Error('An embedded engine is always running.');
  return { directory, starting, supervised: await starting.started };
}

/** Empties the engine of tables and files for the next service. An engine that has ended is not reused. */
async function giveBack(engine: Engine): Promise<void> {
  const { directory, supervised } = engine;
  if (supervised.endpoint() === null || idle.length >= idleMax || !process.connected)
    return endEngine(engine);
  try {
    await runCommand(supervised, 'DROP DATABASE IF EXISTS tapedeck SYNC');
    const left = (await readdir(directory)).filter(name => !ownNames.has(name));
    for (const name of left) await rm(path.join(directory, name), { recursive: true });
  } catch (error) {
    await endEngine(engine);
    throw error;
  }
  idle.push(engine);
}

async function endEngine({ directory, starting }: Engine): Promise<void> {
  closeIdleConnections(); // otherwise the engine waits for them
  await starting[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true, maxRetries: 20 });
}
