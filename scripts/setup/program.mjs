/** Runs a long program quietly: shows its output only on failure, and the elapsed time meanwhile. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { SetupProblem, SetupStopped } from './problem.mjs';

const progressIntervalMs = 10_000; // often enough to show progress, rarely enough to read
const outputCharactersMax = 20_000; // the end of the output usually holds the reason
const parentCheckIntervalMs = 500; // stopping `npm start` should stop this, too

/** Explanations for a failed program's output; the first match counts. */
const remedies = [
  [
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b|network request failed/i,
    'The npm registry cannot be reached: connect this machine to the network (or set the registry or proxy of npm) and run the command again.',
  ],
  [/\bENOSPC\b|no space left/i, 'The disk is full: make room and run the command again.'],
  [
    /\b(EACCES|EPERM|EROFS)\b/,
    'The folder of Tapedeck is not writable for this user: run the command once as its owner, or change its owner.',
  ],
];

/**
 * Resolves if the program succeeds; otherwise throws a SetupProblem with a remedy.
 * @param {{ label: string, command: string, args: string[], directory: string, failure: string }} program
 * @param {{ say(sentence: string): void, onStart?(pid: number): void }} hooks
 */
export async function runProgram(program, hooks) {
  const parentPid = process.ppid;
  const startedAt = Date.now();
  const child = spawn(program.command, program.args, {
    cwd: program.directory,
    env: environmentForNpm(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid) hooks.onStart?.(child.pid);
  let output = '';
  const collect = chunk => {
    output = (output + chunk).slice(-outputCharactersMax);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);

  const progress = setInterval(() => {
    hooks.say(`  … ${program.label}, ${Math.round((Date.now() - startedAt) / 1000)} s so far`);
  }, progressIntervalMs);
  const watch = setInterval(() => {
    if (process.ppid !== parentPid) child.kill('SIGTERM');
  }, parentCheckIntervalMs);
  let isStopped = false; // a stopped npm exits as if it had failed
  const forward = signal => {
    isStopped = true;
    child.kill(signal);
  };
  process.on('SIGINT', forward).on('SIGTERM', forward).on('SIGHUP', forward);
  try {
    const { status, signal } = await ended(child, program);
    if (signal || isStopped) throw new SetupStopped();
    if (status !== 0) throw explainFailure(program, output);
  } finally {
    clearInterval(progress);
    clearInterval(watch);
    process.off('SIGINT', forward).off('SIGTERM', forward).off('SIGHUP', forward);
  }
}

function ended(child, { command }) {
  return new Promise((resolve, reject) => {
    child.once('error', () => {
      reject(
        new SetupProblem(
          `${command} cannot be started: install Node.js together with npm and run the command again.`,
        ),
      );
    });
    child.once('close', (status, signal) => resolve({ status, signal }));
  });
}

function explainFailure({ failure }, output) {
  const remedy = remedies.find(([pattern]) => pattern.test(output));
  return new SetupProblem(remedy ? remedy[1] : failure, remedy ? '' : output.trim());
}

/**
 * The calling npm's own variables must not affect the npm that installs. The machine's npm settings (registry, proxy, certificates) are next to its
 * Node.js, and another Node.js's npm would not look there.
 */
function environmentForNpm() {
  const environment = { npm_config_globalconfig: join(process.execPath, '../../etc/npmrc'), ...process.env };
  for (const name of Object.keys(environment)) {
    if (
      /^npm_config_(workspaces?|include_workspace_root|global|location|prefix|dry_run|json|omit|only)$/i.test(
        name,
      )
    ) {
      delete environment[name];
    }
  }
  return environment;
}
