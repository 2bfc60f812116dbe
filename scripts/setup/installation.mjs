/** The slow half of set-up, loaded only if something is missing. Does the missing steps in order, one set-up at a time. */
import { join } from 'node:path';
import { isBuilt, makeBuild, recognizeBuild } from './builds.mjs';
import { withLock } from './lock.mjs';
import { installPackages, packagesAreInstalled, recognizePackages } from './packages.mjs';
import { movePreparedIntoPlace } from './prepared.mjs';
import { findRuntime, installRuntime } from './runtime.mjs';

/**
 * Checks everything again under the lock, because another set-up may have installed it meanwhile.
 * @param {{ root: string, machine: object, builds: readonly import('./builds.mjs').Build[] }} target
 * @param {(sentence: string) => void} say
 */
export async function install({ root, machine, builds }, say) {
  const startedAt = Date.now();
  await withLock(
    join(root, '.cache/setup.lock'),
    async onStart => {
      const hooks = { say, onStart };
      if (builds.length > 1) movePreparedIntoPlace({ root, machine, builds }); // other commands may run next to the service
      if (!findRuntime(root, machine)) await installRuntime(root, machine, hooks);
      const nodePath = findRuntime(root, machine);
      if (!packagesAreInstalled(root, machine) && !recognizePackages(root, machine)) {
        await installPackages({ root, machine, nodePath }, hooks);
      }
      for (const build of builds) {
        if (!isBuilt(root, build) && !recognizeBuild(root, build))
          await makeBuild({ root, nodePath }, build, hooks);
      }
    },
    say,
  );
  const tookMs = Date.now() - startedAt;
  if (tookMs > 2_000) say(`Set up in ${Math.round(tookMs / 1000)} s.`);
}
