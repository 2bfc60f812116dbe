/**
 * `npm run keep-previous`, with each release: keeps the current service, bundled as set-up does it, for the test that runs it next to the following
 * version (`server/tests/operations/rollingUpgrade.engines.ts`). The same sources give the same bytes.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { previousArchive } from '../server/tests/versions/previousVersion.ts';
import { repositoryRoot } from './repository.ts';

const stage = join(repositoryRoot, '.cache/previous');
rmSync(stage, { recursive: true, force: true });
mkdirSync(join(stage, 'server'), { recursive: true });
run(process.execPath, ['scripts/packaging/bundle.ts', join(stage, 'server/dist')]);
cpSync(join(repositoryRoot, 'server/package.json'), join(stage, 'server/package.json'));
const same = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
run('tar', [
  ...same,
  '--use-compress-program=gzip --best --no-name',
  '-cf',
  previousArchive,
  '-C',
  stage,
  'server',
]);
console.log(previousArchive);

function run(program: string, args: readonly string[]): void {
  const { status, error } = spawnSync(program, args, { cwd: repositoryRoot, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? `it ended with ${status}`}`);
}
