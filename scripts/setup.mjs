/**
 * Set-up: installs and builds what is missing, then prints only the path of a Node.js that runs Tapedeck to stdout. Needs only Node.js 20. With a
 * command of the service as its argument, builds the service, and for `serve` the dashboard, too.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt } from './setup/builds.mjs';
import { dashboard } from './setup/dashboard.mjs';
import { packagesAreInstalled } from './setup/packages.mjs';
import { describeMachine, findPlatformProblem } from './setup/platform.mjs';
import { SetupProblem } from './setup/problem.mjs';
import { findRuntime } from './setup/runtime.mjs';
import { service } from './setup/service.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../..');
const command = process.argv[2];
const builds = [...(command === undefined ? [] : [service]), ...(command === 'serve' ? [dashboard] : [])];

try {
  console.log(await setUp(describeMachine()));
} catch (error) {
  if (!(error instanceof SetupProblem)) throw error;
  if (error.detail) console.error(error.detail);
  console.error(error.message);
  process.exitCode = 1;
}

/** Runs at every start, so it loads nothing slow unless something is missing. */
async function setUp(machine) {
  const problem = findPlatformProblem(machine);
  if (problem) throw new SetupProblem(problem);
  if (!isReady(machine)) {
    const { install } = await import('./setup/installation.mjs');
    await install({ root, machine, builds }, sentence => console.error(sentence));
  }
  return findRuntime(root, machine);
}

function isReady(machine) {
  return (
    findRuntime(root, machine) !== undefined &&
    packagesAreInstalled(root, machine) &&
    builds.every(build => isBuilt(root, build))
  );
}
