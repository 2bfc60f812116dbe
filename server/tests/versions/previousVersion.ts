/** The previous version, as its release left it here (`scripts/keepPrevious.ts`), with today's packages and those that this version has dropped. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { repositoryRoot } from '../../../scripts/repository.ts';
import { npmCommand, npmFlags } from '../../../scripts/setup/npm.mjs';
import { runProgram } from '../../../scripts/setup/program.mjs';
import { makeDirectory } from '../support/service.ts';

export const previousArchive = path.join(import.meta.dirname, 'previous.tar.gz');

type PreviousVersion = AsyncDisposable & {
  /** The program that Node.js runs. */
  program: string;
};

export async function unpackPrevious(): Promise<PreviousVersion> {
  const directory = await makeDirectory();
  const { status, stderr } = spawnSync('tar', ['-xzf', previousArchive, '-C', directory.path]);
  if (status !== 0) throw new Error(`The previous version could not be unpacked: ${stderr}`);
  const shared = path.join(repositoryRoot, 'node_modules');
  await symlink(shared, path.join(directory.path, 'node_modules'));
  await installGivenUp(directory.path, shared);
  return {
    program: path.join(directory.path, 'server/dist/cli.js'),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** Installs packages that the older version loads and this one dropped. */
async function installGivenUp(place: string, shared: string): Promise<void> {
  const manifest = await readFile(path.join(place, 'server/package.json'), 'utf8');
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(manifest);
  const missing = Object.entries(dependencies).filter(
    ([name]) => !name.startsWith('@tapedeck/') && !existsSync(path.join(shared, name)),
  );
  if (missing.length === 0) return;
  const workshop = path.join(place, 'given-up');
  await mkdir(workshop);
  const wanted = { private: true, dependencies: Object.fromEntries(missing) };
  await writeFile(path.join(workshop, 'package.json'), JSON.stringify(wanted));
  const npm = npmCommand(process.execPath, ['install', ...npmFlags]);
  const failure = 'What the version before needs could not be installed.';
  const program = {
    ...npm,
    label: 'installing the dependencies of the previous version',
    directory: workshop,
    failure,
  };
  await runProgram(program, { say() {} });
  await rename(path.join(workshop, 'node_modules'), path.join(place, 'server/node_modules'));
}
