/** Checks whether the lock file's npm packages are all in place, and installs them. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand, npmFlags } from './npm.mjs';
import { SetupProblem } from './problem.mjs';
import { runProgram } from './program.mjs';

/** npm empties node_modules before it installs, so an interrupted install leaves no stamp. */
const stampPath = root => join(root, 'node_modules/.tapedeck-setup');

/** Returns true if the packages of the lock file, here or in another checkout, were installed here for this machine. */
export function packagesAreInstalled(root, machine, lockRoot = root) {
  try {
    return readFileSync(stampPath(root), 'utf8') === stampOf(lockRoot, machine);
  } catch {
    return false;
  }
}

/** Returns true if a user installed them by hand. Then writes the stamp, so that the next check is short. */
export function recognizePackages(root, machine) {
  if (findMissingPackages(root, machine).length > 0) return false;
  writeStamp(root, machine);
  return true;
}

/** @param {{ root: string, machine: object, nodePath: string }} place @param {{ say(sentence: string): void }} hooks */
export async function installPackages({ root, machine, nodePath }, hooks) {
  hooks.say('Installing packages (about 270 MB to download the first time).');
  await runProgram(
    {
      ...npmCommand(nodePath, ['ci', ...npmFlags]),
      label: 'installing packages',
      directory: root,
      failure: 'The packages could not be installed: see what npm says above, and run the command again.',
    },
    hooks,
  );
  const missing = findMissingPackages(root, machine);
  if (missing.length > 0) {
    throw new SetupProblem(
      `npm left out ${missing.slice(0, 3).join(', ')}: check the connection to the npm registry and run the command again.`,
    );
  }
  writeStamp(root, machine);
}

function stampOf(root, { platform, arch, libc }) {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${platform} ${arch} ${libc ?? ''}\n`;
}

function writeStamp(root, machine) {
  writeFileSync(stampPath(root), stampOf(root, machine));
}

/** Compares the lock file with the list that npm writes into node_modules after a successful install. */
function findMissingPackages(root, machine) {
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const present = readInstalled(root);
  return Object.keys(wanted)
    .filter(path => path.includes('node_modules/') && isMeant(wanted[path], machine))
    .filter(path => !isPresent(join(root, path), wanted[path], present[path]));
}

function readInstalled(root) {
  try {
    return JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8')).packages;
  } catch {
    return {};
  }
}

function isPresent(directory, wanted, installed) {
  return installed !== undefined && installed.version === wanted.version && existsSync(directory);
}

/** npm itself skips optional packages for no particular machine, such as WebAssembly fallbacks. */
function isMeant({ optional, os, cpu, libc }, machine) {
  if (optional && !os && !cpu) return false;
  return matches(os, machine.platform) && matches(cpu, machine.arch) && matches(libc, machine.libc);
}

function matches(list, value) {
  if (!list || value === undefined) return true;
  return list.includes(value) || (list.some(entry => entry.startsWith('!')) && !list.includes(`!${value}`));
}
