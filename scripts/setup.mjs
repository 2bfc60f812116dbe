/**
 * Set-up: installs and builds what is missing, then prints the path of a Node.js that runs Tapedeck, alone on stdout.
 * Needs nothing but Node.js 20. With `serve` as its argument it builds the dashboard, too.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dashboardIsBuilt } from './setup/dashboard.mjs';
import { packagesAreInstalled } from './setup/packages.mjs';
import { readPacked } from './setup/packedPackages.mjs';
import { describeMachine, findPlatformProblem } from './setup/platform.mjs';
import { SetupProblem, SetupStopped } from './setup/problem.mjs';
import { findRuntime } from './setup/runtime.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../..');
const withDashboard = process.argv[2] === 'serve';

try {
  console.log(await setUp(describeMachine()));
} catch (error) {
  if (!(error instanceof SetupProblem)) throw error;
  if (error.detail) console.error(error.detail);
  console.error(error.message);
  process.exitCode = 1;
}

/** Nothing slow is even loaded when nothing is missing: this runs at every start. */
async function setUp(machine) {
  const problem = findPlatformProblem(machine);
  if (problem) throw new SetupProblem(problem);
  const isUsable = isReady(machine);
  if (!isUsable || readPacked(root) === undefined) {
    const { install } = await import('./setup/installation.mjs');
    try {
      await install({ root, machine, withDashboard }, sentence => console.error(sentence));
    } catch (error) {
      // What only makes starts faster is worth no refusal.
      if (!isUsable || error instanceof SetupStopped) throw error;
    }
  }
  return findRuntime(root, machine);
}

function isReady(machine) {
  return (
    findRuntime(root, machine) !== undefined &&
    packagesAreInstalled(root, machine) &&
    (!withDashboard || dashboardIsBuilt(root))
  );
}
