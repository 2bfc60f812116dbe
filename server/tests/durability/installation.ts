/** An installation on a drive: starts, loads, queries and stops it there. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Environment } from '../../src/config.ts';
import { findEngineProcess } from '../support/logWriters.ts';
import { type BegunProcess, cleanEnvironment, commandOf } from '../support/tapedeck.ts';
import { mediaEnvironment } from '../support/uploading.ts';
import type { LoadTarget } from './load.ts';
import type { Drive } from './powerCutDrives.ts';

const logsToken = 'logs-token-of-the-tests-01234567';
const owner = { email: 'owner@example.org', password: 'correct horse battery' };

export const installationSettings: Environment = {
  ...mediaEnvironment,
  TAPEDECK_LOGS_TOKEN: logsToken,
  TAPEDECK_ADMIN_EMAIL: owner.email,
  TAPEDECK_ADMIN_PASSWORD: owner.password,
};

export const settingsOn = (drive: Drive): Environment => ({
  ...installationSettings,
  TAPEDECK_DATA_DIR: path.join(drive.path, 'data'),
});

/** Signs in. A session from before a cut must still be valid. */
export async function signIn(url: string, former: LoadTarget | null = null): Promise<LoadTarget> {
  if (former !== null) return { ...former, url };
  const response = await fetch(`${url}/api/manage/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(owner),
  });
  assert.equal(response.status, 200, await response.text());
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
  return { url, token: logsToken, cookie };
}

/** Kills the service and its engine, as a power cut would. */
export async function killService({ child, exit }: BegunProcess): Promise<void> {
  const engine = await findEngineProcess(child.pid ?? 0);
  child.kill('SIGKILL');
  if (engine !== null) process.kill(engine, 'SIGKILL');
  await exit;
}

export function beginCommand(drive: Drive, environment: Environment, args: readonly string[]) {
  const [command = '', ...words] = [...drive.launcher, ...commandOf(args)];
  const child = spawn(command, words, {
    env: { ...cleanEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([printed, complained]) => ({ exitCode: child.exitCode, printed, complained }),
  );
  return { child, end };
}

/** Runs a command that must succeed, and returns its output. */
export async function runOn(
  drive: Drive,
  environment: Environment,
  args: readonly string[],
): Promise<string> {
  const { exitCode, printed, complained } = await beginCommand(drive, environment, args).end;
  assert.equal(exitCode, 0, `${args.join(' ')}: ${complained}${printed}`);
  return printed;
}

/** Looks for the folders into which the engine merges. Returns undefined if folders disappeared meanwhile. */
export async function isMerging(drive: Drive): Promise<boolean | undefined> {
  const store = path.join(drive.seen, 'data', 'logs');
  const names = await readdir(store, { recursive: true }).catch(() => undefined);
  return names?.some(name => path.basename(name).startsWith('tmp_merge_'));
}

/** Lists unfinished and unneeded files in a data directory without writers. */
export async function listLeftovers(directory: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true });
  return names
    .map(entry => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .filter(name => /^staging\/files\/.|\.draft$|(^|\/)\.restor|(^|\/)tmp_/.test(name));
}
