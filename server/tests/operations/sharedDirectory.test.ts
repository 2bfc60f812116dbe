/** A data directory serves one process: a second service changes nothing in it, not even before it is told so. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { lockDirectory, lockName } from '@tapedeck/durable-files';
import { makeDirectory } from '../support/service.ts';
import { runProcess, startProcess, tapedeck } from '../support/tapedeck.ts';

const directory = await makeDirectory();
after(() => directory[Symbol.asyncDispose]());
const refusal = (at: string) =>
  `Another service uses the directory ${at}; give each service its own TAPEDECK_DATA_DIR.\n`;

/** Each file and folder with when it was changed and what it holds. Closing the lock's own file would let go of the lock. */
async function describeAll(at: string): Promise<string[]> {
  const names = (await readdir(at, { recursive: true })).filter(name => name !== lockName).sort();
  const describe = async (name: string) => {
    const file = path.join(at, name);
    const found = await stat(file, { bigint: true });
    const text = found.isFile()
      ? createHash('sha256')
          .update(await readFile(file))
          .digest('hex')
      : '';
    return `${name} ${found.mtimeNs} ${found.ctimeNs} ${text}`;
  };
  return await Promise.all(names.map(describe));
}

test('a service that finds an empty directory in use makes nothing in it', async () => {
  const at = path.join(directory.path, 'empty');
  await mkdir(at);
  using _lock = lockDirectory(at);
  const before = await readdir(at); // the lock's own files
  const { exitCode, complained } = await runProcess(['serve'], { environment: { TAPEDECK_DATA_DIR: at } });
  assert.deepEqual({ exitCode, complained }, { exitCode: 1, complained: refusal(at) });
  assert.deepEqual(await readdir(at), before);
});

test('nor does it touch what a service of before has left', async () => {
  const at = path.join(directory.path, 'used');
  const environment = { TAPEDECK_DATA_DIR: at, TAPEDECK_PORT: '0' };
  await tapedeck(['migrate'], environment);
  await writeFile(path.join(at, 'installation-of-before'), 'kept');
  using _lock = lockDirectory(at);
  const before = await describeAll(at);
  const { exitCode, complained } = await runProcess(['serve'], { environment });
  assert.deepEqual({ exitCode, complained }, { exitCode: 1, complained: refusal(at) });
  assert.deepEqual(await describeAll(at), before);
});

test('beside a running service a second one is refused, and commands are not', async () => {
  const at = path.join(directory.path, 'served');
  const environment = { TAPEDECK_DATA_DIR: at, TAPEDECK_HOST: '127.0.0.1', TAPEDECK_PORT: '0' };
  await using service = await startProcess(environment);
  await rm(path.join(at, 'secret')); // whoever comes past the lock makes another
  const { exitCode, complained } = await runProcess(['serve'], { environment });
  assert.deepEqual({ exitCode, complained }, { exitCode: 1, complained: refusal(at) });
  assert.ok(!(await readdir(at)).includes('secret'));
  for (const args of [['migrate'], ['token', 'list'], ['config'], ['verify']])
    await tapedeck(args, environment);
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
});

test('the next service is let in once the one before has gone, however it went', async () => {
  const at = path.join(directory.path, 'served');
  const environment = { TAPEDECK_DATA_DIR: at };
  for (const end of ['SIGTERM', 'SIGKILL'] as const) {
    await using service = await startProcess(environment);
    service.child.kill(end);
    await service.exit;
  }
  await using _service = await startProcess(environment);
});
