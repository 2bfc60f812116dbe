/** Runs programs for the packages, and packs a folder with npm. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '../repository.ts';

/** Returns the path of the tarball. */
export function packFolder(folder: string, targetDirectory: string): string {
  const packed = run('npm', ['pack', '--json', '--silent', '--pack-destination', targetDirectory], folder);
  const [{ filename }]: [{ filename: string }] = JSON.parse(packed);
  return join(targetDirectory, filename);
}

/** Returns the output. */
export function run(program: string, args: readonly string[], directory: string = repositoryRoot): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: directory, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? `${stdout}${stderr}`}`);
  return stdout;
}
