/**
 * Log engines that outlive a service, for test files that have nothing to do with engines: starting one takes half of a start's processor
 * time. A service has its engine alone, and leaves it as empty as a new one.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beginEngine, type StartingEngine } from '@tapedeck/log-store/engine';
import { closeIdleConnections, runCommand, type SupervisedEngine } from '@tapedeck/log-store/testing';
import pino from 'pino';
import type { Config } from '../../src/config.ts';
import { type HeldPlace, holdPlace } from '../../src/earlyStart.ts';

type Engine = { directory: string; starting: StartingEngine; supervised: SupervisedEngine };

const idle: Engine[] = [];
const idleMax = 2; // more services at once are rare, and each engine holds memory
const silentLog = pino({ level: 'silent' });
/** What an engine makes in its directory before anybody uses it. */
const ownNames: ReadonlySet<string> = new Set(['data', 'engine.xml', 'engine.log', 'engine.err.log']);

process.once('disconnect', async () => {
  for (const engine of idle.splice(0)) await endEngine(engine);
});

/** Whether the test runner says that this file's services may take over each other's engines; a file run by hand has its own. */
export function sharesEngines(): boolean {
  return process.connected === true && process.env.SHARES_ENGINES === 'yes';
}

/** Holds a new data directory as a start does, with an engine that may have served another service before. */
export async function holdWithSharedEngine(
  config: Config,
  log: pino.Logger,
): Promise<{ config: Config; held: HeldPlace }> {
  await using opened = new AsyncDisposableStack();
  // With servers elsewhere it begins no engine.
  const elsewhere = { kind: 'clickhouse', urls: [], cluster: null } as const;
  opened.use(await holdPlace({ ...config, logs: elsewhere }, { log }));
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
  const starting = beginEngine({ kind: 'embedded', directory }, { log: silentLog });
  if (starting === null) throw new Error('An embedded engine is always begun.');
  return { directory, starting, supervised: await starting.started };
}

/** Another service finds neither tables nor files of the one before. One that was ended meanwhile is not used again. */
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
  closeIdleConnections(); // the engine would wait for them
  await starting[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true, maxRetries: 20 });
}
