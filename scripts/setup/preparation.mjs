/** Prepares an upgrade in a copy of the sources, next to the service that runs from this checkout. */
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { install } from './installation.mjs';
import { packagesAreInstalled } from './packages.mjs';
import { listPackageFolders, preparedPath, replacedPath } from './prepared.mjs';

/** Files that the builds need besides their sources. The rest is not copied, because it may hold data. */
const copied = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'tsconfig.json',
  'server',
  'client',
  'dashboard',
  'packages',
  'scripts',
];
const skipped = new Set(['node_modules', 'dist', '.cache']);

/** @param {{ root: string, machine: object, builds: readonly import('./builds.mjs').Build[] }} target */
export async function prepare({ root, machine, builds }, say) {
  const prepared = preparedPath(root);
  for (const left of [prepared, replacedPath(root)]) rmSync(left, { recursive: true, force: true });
  mkdirSync(prepared, { recursive: true });
  const filter = path => !skipped.has(basename(path));
  const outside = builds.flatMap(({ sources }) => sources).filter(name => !isCopied(name));
  for (const name of [...copied, ...outside].filter(each => existsSync(join(root, each))))
    cpSync(join(root, name), join(prepared, name), { recursive: true, filter, preserveTimestamps: true });
  // Another Node.js version gets a separate folder there.
  mkdirSync(join(root, '.cache/node'), { recursive: true });
  mkdirSync(join(prepared, '.cache'));
  symlinkSync(join(root, '.cache/node'), join(prepared, '.cache/node'));
  if (packagesAreInstalled(root, machine)) {
    for (const folder of listPackageFolders(root)) symlinkSync(join(root, folder), join(prepared, folder));
  }
  await install({ root: prepared, machine, builds }, say);
}

function isCopied(name) {
  return copied.some(each => name === each || name.startsWith(`${each}/`));
}
