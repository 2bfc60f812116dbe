/** A data directory serves one process: a second service is refused, and changes nothing in it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { lockDirectory, lockName } from '@tapedeck/durable-files';
import type { ShownSetting } from '../../src/config.ts';
import { makeDirectory } from '../support/service.ts';
import { runProcess, runTapedeck, startProcess, tapedeck } from '../support/tapedeck.ts';

const directory = await makeDirectory();
after(() => directory[Symbol.asyncDispose]());
const refusal = (at: string) =>
  `Another service uses the directory ${at}; give each service its own TAPEDECK_DATA_DIR.\n`;

/** Describes each file and folder by change time and content. Skips the lock's own file, because closing it would release the lock. */
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

test('a service that finds an empty directory in use creates nothing in it', async () => {
  const at = path.join(directory.path, 'empty');
  await mkdir(at);
  using _lock = lockDirectory(at);
  const before = await readdir(at); // the lock's own files
  const { exitCode, complained } = await runProcess(['serve'], { environment: { TAPEDECK_DATA_DIR: at } });
  assert.deepEqual({ exitCode, complained }, { exitCode: 1, complained: refusal(at) });
  assert.deepEqual(await readdir(at), before);
});

test('nor does it change what an earlier service has left', async () => {
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

test('rejects a second service next to a running one, but accepts commands', async () => {
  const at = path.join(directory.path, 'served');
  const environment = { TAPEDECK_DATA_DIR: at, TAPEDECK_HOST: '127.0.0.1', TAPEDECK_PORT: '0' };
  await using service = await startProcess(environment);
  await rm(path.join(at, 'secret')); // a process that gets past the lock creates another
  const { exitCode, complained } = await runProcess(['serve'], { environment });
  assert.deepEqual({ exitCode, complained }, { exitCode: 1, complained: refusal(at) });
  assert.ok(!(await readdir(at)).includes('secret'));
  for (const args of [['migrate'], ['token', 'list'], ['config'], ['verify']])
    await tapedeck(args, environment);
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
});

test('the next service starts once the previous one has exited, in any way', async () => {
  const at = path.join(directory.path, 'served');
  const environment = { TAPEDECK_DATA_DIR: at };
  for (const end of ['SIGTERM', 'SIGKILL'] as const) {
    await using service = await startProcess(environment);
    service.child.kill(end);
    await service.exit;
  }
  await using _service = await startProcess(environment);
});

test('a command uses the settings of the running service, and asks which if there are several', async () => {
  const place = await realpath(await mkdtemp(path.join(directory.path, 'terminal-')));
  const [one, two] = [path.join(place, 'one'), path.join(place, 'two')];
  const before = process.cwd();
  process.chdir(place); // the content of ./data decides too
  after(() => process.chdir(before));
  const first = await startProcess({
    TAPEDECK_DATA_DIR: one,
    TAPEDECK_PUBLIC_URL: 'https://media.example.org',
    TAPEDECK_SECRET: 'a secret of the tests, long enough',
    TAPEDECK_ADMIN_EMAIL: 'owner@example.org', // has no effect without its password, which the command is not given
    TAPEDECK_ADMIN_PASSWORD: 'a password of the tests',
  });
  await using _first = first;
  const token = (await tapedeck(['token', 'create', '--kind', 'media'], {})).trim();
  assert.equal((await fetch(`${first.url}/api/v3/file`, { headers: { authorization: token } })).status, 200);
  // The command prints `ShownSetting`s.
  const settings = JSON.parse(await tapedeck(['config', '--json'], {})) as ShownSetting[];
  const taken = settings.filter(({ source }) => source === 'service').map(({ name, value }) => [name, value]);
  assert.deepEqual(taken.slice(-2), [
    ['TAPEDECK_PUBLIC_URL', 'https://media.example.org'],
    ['TAPEDECK_DATA_DIR', one],
  ]);
  const saved = await runTapedeck(['backup', path.join(place, 'backup')], { TAPEDECK_PORT: '' });
  assert.match(
    saved.complained,
    /^The running service \(.*\) uses TAPEDECK_SECRET, .* set it here, too\.\n$/,
  );
  await using second = await startProcess({ TAPEDECK_DATA_DIR: two });
  const listing = await runTapedeck(['token', 'list'], {});
  assert.equal(listing.exitCode, 1);
  for (const words of ['TAPEDECK_DATA_DIR', one, two, first.url, second.url, `process ${second.child.pid}`])
    assert.ok(listing.complained.includes(words), words);
  assert.equal(await tapedeck(['token', 'list', '--json'], { TAPEDECK_DATA_DIR: two }), '[]\n');
  first.child.kill('SIGKILL'); // the file it leaves behind no longer counts
  await first.exit;
  assert.equal(await tapedeck(['token', 'list', '--json'], {}), '[]\n');
  second.child.kill('SIGTERM');
  await second.exit;
  const { complained } = await runTapedeck(['status'], {});
  assert.match(complained, /holds no installation/);
});
