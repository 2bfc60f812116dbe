/** Obstacles to a backup are reported in one sentence, and the next backup works. Mounting needs root. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openObjectFolder, S3Client } from '@tapedeck/blob-stores';
import { startFaultyProxy } from '@tapedeck/blob-stores/faulty-proxy';
import { startSwift } from '../../../scripts/engines/swift.ts';
import { makeDirectory, startQuietService } from '../support/service.ts';
import { makeSmallDisk } from '../support/smallDisk.ts';
import { bundledCli, cleanEnvironment, runTapedeck, tapedeck } from '../support/tapedeck.ts';
import { makePicture, mediaEnvironment, uploadFile } from '../support/uploading.ts';

await using opened = new AsyncDisposableStack();
const place = opened.use(await makeDirectory());
const disk = opened.use(await makeSmallDisk(4));
const engine = opened.use(await startSwift());
const proxy = opened.use(await startFaultyProxy(engine.endpoint));
const service = opened.use(await startQuietService({ environment: mediaEnvironment }));
const bucket = { ...engine, bucket: 'backups', forcePathStyle: true };
const client = new S3Client(bucket);
await client.call({ method: 'PUT', key: '' });
client.close();
const objects = opened.use(await openObjectFolder(bucket, 'nightly/'));
const running = opened.move();
after(() => running.disposeAsync());

const url = 's3://backups/nightly';
const from = {
  TAPEDECK_DATA_DIR: service.dataDir,
  AWS_ENDPOINT_URL_S3: proxy.endpoint,
  AWS_ACCESS_KEY_ID: engine.accessKeyId,
  AWS_SECRET_ACCESS_KEY: engine.secretAccessKey,
};
const filesAll = 12;

before(async () => {
  for (let index = 0; index < filesAll; index += 1) {
    const picture = await makePicture(4 + index);
    await uploadFile(service, Buffer.concat([picture, Buffer.alloc(500_000, index)]));
  }
});

async function refuse(to: string, says: RegExp, environment: Record<string, string> = from): Promise<void> {
  const { exitCode, printed, complained } = await runTapedeck(['backup', to], environment);
  assert.match(complained, says);
  assert.match(complained, /^[^\n]+\n$/, 'one sentence, without a stack');
  assert.deepEqual([exitCode, printed], [1, '']);
}

async function restore(target: string, name: string): Promise<number> {
  const environment = { ...from, TAPEDECK_DATA_DIR: path.join(place.path, name) };
  await tapedeck(['restore', target], environment);
  const { files, findings } = JSON.parse(await tapedeck(['verify', '--json'], environment));
  assert.deepEqual(findings, []);
  return files;
}

describe('a folder', () => {
  it('on a disk that fills up, and has space afterwards', async () => {
    const folder = path.join(disk.path, 'backup');
    await refuse(folder, /^The disk of \S+ is full: make room\. The next backup there continues/);
    const there = (await readdir(path.join(folder, 'media'), { recursive: true })).length;
    assert.ok(there > 0);
    spawnSync('mount', ['-o', 'remount,size=40m', disk.path]);
    const { parts } = JSON.parse(await tapedeck(['backup', folder, '--json'], from));
    const { files_saved, files_there_before } = parts.media;
    assert.equal(files_saved + files_there_before, filesAll);
    assert.ok(files_there_before > 0);
    assert.equal(await restore(folder, 'from the small disk'), filesAll);
    await disk.fill(process.pid);
    await refuse(folder, /^The disk of \S+ is full/);
    await disk.makeRoom(process.pid);
  });

  it('on a read-only disk', async () => {
    const folder = path.join(disk.path, 'backup');
    spawnSync('mount', ['-o', 'remount,ro', disk.path]);
    await refuse(folder, /cannot be read or written: permission is missing \(EROFS\)/);
    await refuse(path.join(disk.path, 'new'), /cannot be created; name another|permission is missing/);
    spawnSync('mount', ['-o', 'remount,rw', disk.path]);
  });

  it('whose path leads through a file, and one that belongs to another user', async () => {
    const file = path.join(place.path, 'file');
    await writeFile(file, '');
    await refuse(path.join(file, 'backup'), /cannot be created; name another/);
    await refuse(file, /cannot be created; name another|is gone|cannot be/);
  });

  it('that is not writable', async () => {
    const powers = '-dac_override,-dac_read_search'; // with these, root may write anywhere
    const folder = path.join(place.path, 'closed');
    await tapedeck(['backup', folder], from);
    await chmod(folder, 0o500);
    const child = spawn(
      'setpriv',
      [`--bounding-set=${powers}`, `--inh-caps=${powers}`, process.execPath, bundledCli, 'backup', folder],
      {
        env: { ...cleanEnvironment(), ...from },
      },
    );
    const [complained, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    assert.match(complained, /permission is missing \(EACCES\)/);
    assert.match(complained, /^[^\n]+\n$/);
    assert.equal(exitCode, 1);
  });
});

describe('a bucket', () => {
  for (const refusal of ['answer 403', 'answer 507'] as const)
    it(`that returns ${refusal} in the middle, and accepts the rest afterwards`, async () => {
      for await (const { name } of objects.list()) await objects.remove(name);
      proxy.plan('PUT', Array(5).fill('pass'), refusal);
      await refuse(url, /S3|bucket/i);
      const there = (await Array.fromAsync(objects.list())).filter(({ name }) => name.startsWith('media/'));
      assert.ok(there.length > 0 && there.length < filesAll, `${there.length} files are there`);
      proxy.plan('', []);
      const early = await runTapedeck(['restore', url], {
        ...from,
        TAPEDECK_DATA_DIR: path.join(place.path, `early ${refusal}`),
      });
      assert.match(early.complained, /is not finished/);
      const { parts } = JSON.parse(await tapedeck(['backup', url, '--json'], from));
      assert.deepEqual(
        [parts.media.files_saved, parts.media.files_there_before],
        [filesAll - there.length, there.length],
      );
      assert.equal(await restore(url, `after ${refusal}`), filesAll);
      const names = (await Array.fromAsync(objects.list())).map(({ name }) => name);
      assert.ok(!names.includes('unfinished.json'));
    });

  it('whose backup was killed: nothing of it stays in the data directory', async () => {
    for await (const { name } of objects.list()) await objects.remove(name);
    proxy.plan('PUT', Array(4).fill('pass'), 'answer slowly');
    const child = spawn(process.execPath, [bundledCli, 'backup', url], {
      env: { ...cleanEnvironment(), ...from },
      stdio: 'ignore',
    });
    const end = once(child, 'close');
    const count = async () =>
      (await Array.fromAsync(objects.list())).filter(({ name }) => name.startsWith('media/')).length;
    while ((await count()) === 0 && child.exitCode === null) await wait(5);
    child.kill('SIGKILL');
    await end;
    proxy.plan('', []);
    assert.equal(child.signalCode, 'SIGKILL');
    const listOwn = async () => (await readdir(service.dataDir)).filter(name => name.startsWith('backup-'));
    assert.equal((await listOwn()).length, 1);
    const { parts } = JSON.parse(await tapedeck(['backup', url, '--json'], from));
    assert.ok(parts.media.files_there_before > 0);
    assert.deepEqual(await listOwn(), []);
    assert.equal(await restore(url, 'from the bucket, again'), filesAll);
  });

  it('while the data directory has no space for rows and entries', async () => {
    const small = path.join(disk.path, 'data');
    await rm(path.join(disk.path, 'backup'), { recursive: true, force: true });
    await using other = await startQuietService({ dataDir: small });
    await disk.fill(process.pid);
    await refuse('s3://backups/other', /full/, { ...from, TAPEDECK_DATA_DIR: other.dataDir });
    await disk.makeRoom(process.pid);
  });

  it('that does not respond', async () => {
    const unreachable = { ...from, AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' };
    await refuse(url, /bucket/i, unreachable);
  });
});

test('a restore to a full disk reports it in a sentence, too', async () => {
  const folder = path.join(place.path, 'whole');
  await tapedeck(['backup', folder], from);
  const dataDir = path.join(disk.path, 'restored');
  spawnSync('mount', ['-o', 'remount,size=45m', disk.path]);
  await disk.fill(process.pid);
  const outcome = await runTapedeck(['restore', folder], { TAPEDECK_DATA_DIR: dataDir });
  await disk.makeRoom(process.pid);
  assert.match(outcome.complained, /^[^\n]*(full|no room)[^\n]*\n$/i);
  assert.equal(outcome.exitCode, 1);
});
