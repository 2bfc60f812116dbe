/**
 * `npm run prepare-upgrade`: installs and builds what the current sources need, next to the running service. The next start moves it into place, so
 * that downtime is just a restart. Needs only Node.js 20.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dashboard } from './setup/dashboard.mjs';
import { describeMachine, findPlatformProblem } from './setup/platform.mjs';
import { prepare } from './setup/preparation.mjs';
import { SetupProblem } from './setup/problem.mjs';
import { service } from './setup/service.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../..');

try {
  const machine = describeMachine();
  const problem = findPlatformProblem(machine);
  if (problem) throw new SetupProblem(problem);
  await prepare({ root, machine, builds: [service, dashboard] }, sentence => console.error(sentence));
  console.error('The upgrade is ready: restart the service, which moves it into place.');
} catch (error) {
  if (!(error instanceof SetupProblem)) throw error;
  if (error.detail) console.error(error.detail);
  console.error(error.message);
  process.exitCode = 1;
}
