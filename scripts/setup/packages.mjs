/** The npm packages of the lock file: whether they are all in place, and how they get there. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { SetupProblem } from './problem.mjs';
import { runProgram } from './program.mjs';

/** Flags of every npm call: quiet, complete whatever the caller's settings leave out, and quick to notice a missing network. */
export const npmFlags = [
  '--loglevel=error',
  '--no-audit',
  '--no-fund',
  '--ignore-scripts',
  '--include=dev',
  '--include=optional',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=5000',
];

/** npm empties node_modules before it installs, so that an install which was cut short leaves no stamp. */
const stampPath = root => join(root, 'node_modules/.tapedeck-setup');

/** True when the packages of this lock file were installed here for this machine. */
export function packagesAreInstalled(root, machine) {
  try {
    return readFileSync(stampPath(root), 'utf8') === stampOf(root, machine);
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
  hooks.say('Installing packages (about 250 MB to download the first time).');
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

/** npm run by the given Node.js, because npm skips optional packages that the Node.js it runs on is too old for. */
export function npmCommand(nodePath, args) {
  const npmPath = findNpm();
  return npmPath ? { command: nodePath, args: [npmPath, ...args] } : { command: 'npm', args };
}

function findNpm() {
  const caller = process.env.npm_execpath;
  if (caller && basename(caller) === 'npm-cli.js' && existsSync(caller)) return caller;
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(directory, 'npm');
    if (!directory || !existsSync(path)) continue;
    const real = realpathSync(path);
    return basename(real) === 'npm-cli.js' ? real : undefined;
  }
  return undefined;
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
