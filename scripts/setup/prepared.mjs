/**
 * A prepared upgrade: a copy of the sources in .cache/prepared, with separate packages and builds, which the next start moves into place. Until then,
 * nothing changes that the running service reads.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasContentOf, isBuilt, moveBuild } from './builds.mjs';
import { packagesAreInstalled } from './packages.mjs';

export const preparedPath = root => join(root, '.cache/prepared');
export const replacedPath = root => join(root, '.cache/replaced');

/** Moves a prepared upgrade into place if it matches this checkout. Takes milliseconds. The service must not run. */
export function movePreparedIntoPlace({ root, machine, builds }) {
  const prepared = preparedPath(root);
  if (!existsSync(prepared)) return;
  const wantsPackages = !packagesAreInstalled(root, machine);
  const isSame = builds.every(build => isBuilt(prepared, build) && hasContentOf(prepared, root, build));
  if (!isSame || (wantsPackages && !matchesPackages(root, machine))) return;
  const aside = replacedPath(root);
  rmSync(aside, { recursive: true, force: true });
  if (wantsPackages) {
    for (const folder of listPackageFolders(root)) move(join(root, folder), join(aside, folder));
    for (const folder of listPackageFolders(prepared)) move(join(prepared, folder), join(root, folder));
  }
  for (const build of builds.filter(each => !isBuilt(root, each))) {
    if (existsSync(join(root, build.output))) move(join(root, build.output), join(aside, build.output));
    moveBuild(prepared, root, build);
  }
}

/** The stamp holds the copy's lock file, which must equal this one. */
function matchesPackages(root, machine) {
  const prepared = preparedPath(root);
  return packagesAreInstalled(prepared, machine, root);
}

/** Lists `node_modules` of the root and of workspaces, which npm creates if versions clash. */
export function listPackageFolders(root) {
  const parents = ['packages', '.'].filter(name => existsSync(join(root, name)));
  const workspaces = parents.flatMap(parent =>
    readdirSync(join(root, parent)).map(name => join(parent, name)),
  );
  return ['.', ...workspaces]
    .map(name => join(name, 'node_modules'))
    .filter(name => existsSync(join(root, name)) && !name.startsWith('node_modules/'));
}

function move(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
}
