/** Measures administrators' commands, run from a shell next to a measured service. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';

export function createToken(dataDir: string, kind: 'admin' | 'logs', project = 'default'): string {
  return runCommand(dataDir, ['token', 'create', '--kind', kind, '--project', project]);
}

export function createProject(dataDir: string, project: string): void {
  runCommand(dataDir, ['project', 'create', project, '--slug', project]);
}

function runCommand(dataDir: string, words: readonly string[]): string {
  const { stdout } = spawnSync('sh', ['scripts/tapedeck.sh', ...words], {
    cwd: path.join(import.meta.dirname, '..'),
    env: { ...process.env, TAPEDECK_DATA_DIR: dataDir },
    encoding: 'utf8',
  });
  return stdout.trim();
}
