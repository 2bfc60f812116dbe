/** The version before this one, as its release left it here (`scripts/keepPrevious.ts`), with the packages that are installed now. */
import { spawnSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { repositoryRoot } from '../../../scripts/repository.ts';
import { makeDirectory } from '../support/service.ts';

export const previousArchive = path.join(import.meta.dirname, 'previous.tar.gz');

type PreviousVersion = AsyncDisposable & {
  /** What Node.js runs. */
  program: string;
};

export async function unpackPrevious(): Promise<PreviousVersion> {
  const directory = await makeDirectory();
  const { status, stderr } = spawnSync('tar', ['-xzf', previousArchive, '-C', directory.path]);
  if (status !== 0) throw new Error(`The version before could not be unpacked: ${stderr}`);
  await symlink(path.join(repositoryRoot, 'node_modules'), path.join(directory.path, 'node_modules'));
  return {
    program: path.join(directory.path, 'server/dist/cli.js'),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
