/** Runs the log engine once: starts its process, waits until it answers, and stops it. `supervision.ts` restarts it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeDirectory } from '@tapedeck/durable-files';
import { LogStoreFailure } from '../../failures.ts';
import { type EngineCluster, formatEngineConfiguration } from './configuration.ts';
import { findEngineLibrary } from './library.ts';
import { awaitAnswer, type Endpoint, openRequest, readWholeAnswer } from './requests.ts';

export type EngineOptions = {
  /** Holds data, configuration and log of the engine; created if absent. */
  directory: string;
  memoryBytesMax: number;
  cluster?: EngineCluster;
  /** A table that nobody may drop, detach or replace while the engine runs: parts of a table attached again reuse names. */
  keptTable?: { database: string; table: string };
  /** Awaited before each start. */
  prepare?: () => Promise<void>;
  /** Called for each process that starts. */
  onSpawn?: () => void;
};

type EngineEnd = { exitCode: number | null; signal: string | null; output: string };

export type Engine = {
  readonly endpoint: Endpoint;
  readonly processId: number;
  /** Resolves when the process has ended, expected or not. */
  readonly ended: Promise<EngineEnd>;
  /** Gives the engine a moment to finish its work; resolves once its process is gone. */
  stop(): Promise<EngineEnd>;
  /** Kills the process; its data survive that. */
  kill(): void;
};

const startTimeMsMax = 300_000; // tens of thousands of parts on a slow disk; a process that ends is noticed at once
const pollIntervalMs = 15;
const answerTimeMsMax = 2_000; // another program may have taken the port, and may never answer
// Without connections the engine ends within 30 ms. It would wait five seconds for idle ones, without need: inserted rows are synced or
// still in the journal, and the service ends its own requests before it stops the engine.
const stopTimeMsMax = 500;
const outputCharactersMax = 8_192; // enough for the engine's last words

export const secretHeaderName = 'x-engine-secret';
export const configurationFileName = 'engine.xml';

/** Rejects if the process ends, or the signal aborts, before the engine answers. No process is left running then. */
export async function startEngine(options: EngineOptions, signal?: AbortSignal): Promise<Engine> {
  const libraryPath = findEngineLibrary();
  const files = layOutDirectory(options.directory);
  await makeDirectory(files.data, 0o700);
  const httpPort = await findFreePort();
  const displayName = randomBytes(12).toString('hex');
  const secretHeader = { name: secretHeaderName, value: randomBytes(24).toString('hex') };
  const configuration = formatEngineConfiguration({
    httpPort,
    displayName,
    secretHeader,
    memoryBytesMax: options.memoryBytesMax,
    logFile: files.log,
    cluster: options.cluster ?? null,
    kept: options.keptTable ? { ...options.keptTable, file: files.configuration } : null,
  });
  await writeFile(files.configuration, configuration, { mode: 0o600 });
  await options.prepare?.();
  signal?.throwIfAborted();
  const child = spawnEngine(libraryPath, files, options.cluster ? 'HTTP,TCP' : 'HTTP');
  options.onSpawn?.();
  const engine = followProcess(child, {
    url: `http://127.0.0.1:${httpPort}`,
    headers: { [secretHeader.name]: secretHeader.value },
  });
  const giveUp = () => engine.kill();
  signal?.addEventListener('abort', giveUp);
  try {
    await waitUntilAnswering(engine, displayName);
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
  return engine;
}

type EngineFiles = { directory: string; data: string; configuration: string; log: string };

/** Returns absolute paths, because the engine runs in its own directory. */
function layOutDirectory(given: string): EngineFiles {
  const directory = path.resolve(given);
  return {
    directory,
    data: path.join(directory, 'data'),
    configuration: path.join(directory, configurationFileName),
    log: path.join(directory, 'engine.log'),
  };
}

const nurseryMegabytesMax = 1; // the process runs its JavaScript before the engine begins

/** The environment holds only the time zone and the compile cache: the engine has no use for the service's secrets. */
function spawnEngine(libraryPath: string, files: EngineFiles, protocols: string): ChildProcess {
  const program = path.join(import.meta.dirname, `child${path.extname(import.meta.filename)}`);
  const flags = [`--max-semi-space-size=${nurseryMegabytesMax}`];
  const compiled = getCompileCacheDir();
  return spawn(
    process.execPath,
    [...flags, program, libraryPath, files.data, files.configuration, protocols],
    {
      cwd: files.directory,
      env: { TZ: 'UTC', ...(compiled && { NODE_COMPILE_CACHE: path.dirname(compiled) }) },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true, // out of the terminal's process group: the service handles Ctrl-C
    },
  );
}

function followProcess(child: ChildProcess, endpoint: Endpoint): Engine {
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-outputCharactersMax);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  child.stdin?.on('error', () => {}); // the process is gone; `ended` reports that
  const ended = new Promise<EngineEnd>(resolve => {
    child.once('error', error => resolve({ exitCode: null, signal: null, output: error.message }));
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal, output: output.trim() }));
  });
  const stop = async () => {
    child.stdin?.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeMsMax);
    const end = await ended;
    clearTimeout(timer);
    return end;
  };
  return { endpoint, processId: child.pid ?? 0, ended, stop, kill: () => child.kill('SIGKILL') };
}

async function waitUntilAnswering(engine: Engine, displayName: string): Promise<void> {
  let end: EngineEnd | null = null;
  void engine.ended.then(reached => {
    end = reached;
  });
  const deadline = performance.now() + startTimeMsMax;
  while (end === null && performance.now() < deadline) {
    // A refused connection costs a tenth of a refused request, and dozens are refused before the engine listens.
    const isThere = await isListening(engine.endpoint);
    if (isThere && (await readServerName(engine.endpoint, answerTimeMsMax)) === displayName) return;
    await wait(pollIntervalMs);
  }
  const { output, signal, exitCode } = end ?? (await engine.stop());
  throw new LogStoreFailure(
    'engine_unavailable',
    `The log engine did not start: ${output || (signal ?? exitCode)}`,
    {
      retryAfterSeconds: 1,
    },
  );
}

function isListening({ url }: Endpoint): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname);
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });
}

/** Returns whether a server listens there, accepts the secret and answers in time. */
export async function isAnswering(endpoint: Endpoint, timeMsMax: number): Promise<boolean> {
  return (await readServerName(endpoint, timeMsMax)) !== null;
}

/** Returns the name from the engine's configuration; null if no engine answers. */
async function readServerName(endpoint: Endpoint, timeMsMax: number): Promise<string | null> {
  const signal = AbortSignal.timeout(timeMsMax);
  try {
    const sent = openRequest(endpoint, { parameters: { query: 'SELECT 1' }, signal });
    sent.end();
    const answer = await awaitAnswer(sent);
    await readWholeAnswer(answer);
    const name = answer.headers['x-clickhouse-server-display-name'];
    return typeof name === 'string' ? name : null;
  } catch {
    return null; // it does not listen yet, or has stopped
  }
}

/** Another process may take the port before the engine does. Then the engine ends, and the next start takes another port. */
function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
