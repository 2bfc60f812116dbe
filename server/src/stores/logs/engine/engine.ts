/** One run of the log engine: starts its process, waits until it answers, and stops it. Restarts are `supervision.ts`'s. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../../../vocabulary.ts';
import { type EngineCluster, formatEngineConfiguration } from './configuration.ts';
import { findEngineLibrary } from './library.ts';

export type EngineOptions = {
  /** Holds data, configuration and log of the engine; made when absent. */
  directory: string;
  memoryBytesMax: number;
  cluster?: EngineCluster;
};

/** Where a ClickHouse answers, and the headers without which it does not. */
export type Endpoint = { url: string; headers: Readonly<Record<string, string>> };

export type EngineEnd = { exitCode: number | null; signal: string | null; output: string };

export type Engine = {
  readonly endpoint: Endpoint;
  readonly processId: number;
  /** Resolves when the process has ended, wanted or not. */
  readonly ended: Promise<EngineEnd>;
  /** Lets the engine finish what it is at; resolves once its process is gone. Idle client connections delay it by 5 s. */
  stop(): Promise<EngineEnd>;
};

const startTimeMsMax = 300_000; // tens of thousands of parts on a slow disk; a process that ends is noticed at once
const askIntervalMs = 15;
const stopTimeMsMax = 8_000; // within the ten seconds of CONTRACT.md, 1
const outputCharactersMax = 8_192; // enough for the engine's last words

const secretHeaderName = 'x-engine-secret';

export async function startEngine(options: EngineOptions): Promise<Engine> {
  const libraryPath = findEngineLibrary();
  const files = layOutDirectory(options.directory);
  await mkdir(files.data, { recursive: true, mode: 0o700 });
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
  });
  await writeFile(files.configuration, configuration, { mode: 0o600 });
  const child = spawnEngine(libraryPath, files);
  const engine = followProcess(child, {
    url: `http://127.0.0.1:${httpPort}`,
    headers: { [secretHeader.name]: secretHeader.value },
  });
  await waitUntilAnswering(engine, displayName);
  return engine;
}

type EngineFiles = { directory: string; data: string; configuration: string; log: string };

function layOutDirectory(directory: string): EngineFiles {
  return {
    directory,
    data: path.join(directory, 'data'),
    configuration: path.join(directory, 'engine.xml'),
    log: path.join(directory, 'engine.log'),
  };
}

/** The engine gets no environment but its time zone: it has no use for the service's secrets. */
function spawnEngine(libraryPath: string, files: EngineFiles): ChildProcess {
  const program = fileURLToPath(new URL('./child.ts', import.meta.url));
  return spawn(process.execPath, [program, libraryPath, files.data, files.configuration], {
    cwd: files.directory,
    env: { TZ: 'UTC' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true, // out of the terminal's process group: Ctrl-C is the service's to answer
  });
}

function followProcess(child: ChildProcess, endpoint: Endpoint): Engine {
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-outputCharactersMax);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  child.stdin?.on('error', () => {}); // the process is gone, which `ended` tells
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
  return { endpoint, processId: child.pid ?? 0, ended, stop };
}

async function waitUntilAnswering(engine: Engine, displayName: string): Promise<void> {
  let end: EngineEnd | null = null;
  void engine.ended.then(reached => {
    end = reached;
  });
  const deadline = Date.now() + startTimeMsMax;
  while (end === null && Date.now() < deadline) {
    if (await isAnswering(engine.endpoint, displayName)) return;
    await wait(askIntervalMs);
  }
  const { output, signal, exitCode } = end ?? (await engine.stop());
  throw new ServiceError(
    'engine_unavailable',
    `The log engine did not start: ${output || (signal ?? exitCode)}`,
    {
      retryAfterSeconds: 1,
    },
  );
}

async function isAnswering(endpoint: Endpoint, displayName: string): Promise<boolean> {
  try {
    const answer = await fetch(`${endpoint.url}/?query=SELECT+1`, {
      headers: { ...endpoint.headers, connection: 'close' },
    });
    await answer.arrayBuffer();
    return answer.ok && answer.headers.get('x-clickhouse-server-display-name') === displayName;
  } catch {
    return false; // not listening yet
  }
}

/** Another process may take it before the engine does; then the engine ends and is started again with another one. */
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
