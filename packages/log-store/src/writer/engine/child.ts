/**
 * The log engine's process: loads the ClickHouse library and serves HTTP until stdin closes. Only `engine.ts` starts it.
 * Arguments: path of the library, data directory, configuration file, protocols.
 */
import { flushCompileCache } from 'node:module';
import { isMainThread, Worker } from 'node:worker_threads';
import { DataType, load, open } from 'ffi-rs';
import { actWhenIdle } from './idleness.ts';
import { spreadParts } from './partSpreading.ts';
import { releaseUnusedPages } from './unusedPages.ts';

const [libraryPath = '', dataDirectory = '', configFile = '', protocols = 'HTTP'] = process.argv.slice(2);
const library = 'engine';

const statements = [
  ...protocols.split(',').map(protocol => `SYSTEM START LISTEN ${protocol}`),
  // Waits for the end of stdin, which comes when the parent ends for any reason.
  "SELECT count() FROM file('-', 'LineAsString', 'line String')",
].join('; ');

const engineArguments = [
  'clickhouse',
  `--path=${dataDirectory}`,
  `--config-file=${configFile}`,
  '--log-level=warning', // this mode ignores the level in the configuration file
  `--query=${statements}`,
];

const startMs = 10_000;
const idleMs = 100;
const releasingLimits = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, stackSizeMb: 1 };

if (isMainThread) runEngine();
else releaseEngineMemory();

/** Runs in a separate thread beside the engine. By now, a new directory has its tables. */
function releaseEngineMemory(): void {
  spreadParts(dataDirectory);
  const programs = [libraryPath, process.execPath];
  actWhenIdle(idleMs, () => void releaseUnusedPages(programs).catch(() => {})); // it only holds more memory then
}

/** Starts the thread after a delay, because loading its modules would slow down the start. */
function startReleasingMemory(): void {
  const program = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${startMs}); import(${JSON.stringify(import.meta.url)})`;
  new Worker(program, { eval: true, argv: [libraryPath, dataDirectory], resourceLimits: releasingLimits });
}

function runEngine(): void {
  spreadParts(dataDirectory);
  open({ library, path: libraryPath });
  // This thread stays inside the engine's call below.
  if (process.platform === 'linux') startReleasingMemory();

  // Signals meant for the whole process group (a service manager's stop, Ctrl-C) must not end the engine before the service has finished with
  // it. The library would install its own handlers. Those of Node.js never run, because their thread stays inside the call below.
  load({
    library,
    funcName: 'chdb_set_signal_handlers_enabled',
    retType: DataType.Void,
    paramsType: [DataType.I32],
    paramsValue: [0],
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

  flushCompileCache(); // nothing after the call below is sure to run

  load({
    library,
    funcName: 'chdb_query_cmdline',
    retType: DataType.External,
    paramsType: [DataType.I32, DataType.StringArray],
    paramsValue: [engineArguments.length, engineArguments],
  });
  process.exit(0);
}
