/** The npm packages of the lock file: whether they are all in place, and how they get there. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand, npmFlags } from './npm.mjs';
import { SetupProblem } from './problem.mjs';
import { runProgram } from './program.mjs';

/** npm empties node_modules before it installs, so that an install which was cut short leaves no stamp. */
const stampPath = root => join(root, 'node_modules/.tapedeck-setup');

/** True when the packages of the lock file, here or in another checkout, were installed here for this machine. */
export function packagesAreInstalled(root, machine, lockRoot = root) {
  try {
    return readFileSync(stampPath(root), 'utf8') === stampOf(lockRoot, machine);
  } catch {
    return false;
  }
}

/** True when somebody installed them by hand; leaves the stamp then, so that the next look is a short one. */
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

/** Compares the lock file with the list that npm leaves in node_modules when an install has ended well. */
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

/** npm itself leaves out optional packages that name no machine, such as WebAssembly stand-ins. */
function isMeant({ optional, os, cpu, libc }, machine) {
  if (optional && !os && !cpu) return false;
  return matches(os, machine.platform) && matches(cpu, machine.arch) && matches(libc, machine.libc);
}

function matches(list, value) {
  if (!list || value === undefined) return true;
  return list.includes(value) || (list.some(entry => entry.startsWith('!')) && !list.includes(`!${value}`));
}
