/** Backups in a bucket of a real S3: the next one uploads only new files, and a restore works, or is refused, as from a folder. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { openObjectFolder, S3Client } from '@tapedeck/blob-stores';
import { startSwift } from '../../../scripts/engines/swift.ts';
import { openLogClient } from '../support/logSender.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { runTapedeck, tapedeck } from '../support/tapedeck.ts';
import {
  makePicture,
  mediaEnvironment,
  mediaToken,
  type Uploaded,
  uploadFile,
} from '../support/uploading.ts';

await using opened = new AsyncDisposableStack();
const engine = opened.use(await startSwift());
const place = opened.use(await makeDirectory());
const bucket = { ...engine, bucket: 'backups', forcePathStyle: true };
const client = new S3Client(bucket);
await client.call({ method: 'PUT', key: '' });
client.close();
const service = opened.use(await startTestService({ environment: mediaEnvironment }));
const objects = opened.use(await openObjectFolder(bucket, 'nightly/'));
const running = opened.move();
after(() => running.disposeAsync());

const keys = {
  AWS_ENDPOINT_URL_S3: engine.endpoint,
  AWS_ACCESS_KEY_ID: engine.accessKeyId,
  AWS_SECRET_ACCESS_KEY: engine.secretAccessKey,
};
const from = { ...keys, TAPEDECK_DATA_DIR: service.dataDir };
const url = 's3://backups/nightly';

async function save(): Promise<number[]> {
  const { files_saved, files_there_before } = JSON.parse(await tapedeck(['backup', url, '--json'], from))
    .parts.media;
  return [files_saved, files_there_before];
}

const listNames = async () => (await Array.fromAsync(objects.list())).map(({ name }) => name);

async function restore(name: string, ...args: string[]) {
  const environment = { ...keys, TAPEDECK_DATA_DIR: path.join(place.path, name) };
  const outcome = await runTapedeck(['restore', url, ...args], environment);
  if (outcome.exitCode !== 0) return { ...outcome, files: 0, entries: 0 };
  const { files, findings, logs } = JSON.parse(await tapedeck(['verify', '--json'], environment));
  assert.deepEqual(findings, []);
  return { ...outcome, files, entries: logs?.entries ?? 0 };
}

test('writes, updates and restores a backup, whole and in part, and rejects an incomplete one', async () => {
  const uploads: Uploaded[] = [];
  for (let width = 4; width < 7; width += 1)
    uploads.push(await uploadFile(service, await makePicture(width)));
  const logClient = await openLogClient(service);
  await logClient.store([{ level: 'info', message: 'kept' }], 'main');
  assert.deepEqual(await save(), [3, 0]);
  const deleted = uploads[0]!;
  await service.fetch(`/api/v3/file/${deleted.id}`, {
    method: 'DELETE',
    headers: { authorization: mediaToken },
  });
  await uploadFile(service, await makePicture(20));
  await logClient.store([{ level: 'info', message: 'later' }], 'main');
  assert.deepEqual(await save(), [1, 2]);
  const names = await listNames();
  assert.ok(!names.some(name => name.includes(deleted.id) || name.startsWith('metadata/')), names.join());
  assert.deepEqual(
    (await readdir(service.dataDir)).filter(name => name.startsWith('backup-')),
    [],
  );

  const whole = await restore('whole');
  assert.match(whole.printed, /^Restored .* from s3:\/\/backups\/nightly\./);
  assert.deepEqual([whole.files, whole.entries], [3, 2]);
  const files = await restore('files', '--only', 'files');
  assert.deepEqual([files.files, files.entries], [3, 0]);

  await objects.remove(names.find(name => name.includes(uploads[1]!.id))!);
  assert.match((await restore('missing')).complained, /^The backup is damaged: .* where 3 of/);
  assert.deepEqual(await save(), [1, 2]);
  assert.equal((await restore('mended')).files, 3);
});

test('reports bucket errors', async () => {
  const refuse = async (to: string, environment: Record<string, string | undefined>, says: RegExp) => {
    const { complained, exitCode } = await runTapedeck(['backup', to], { ...from, ...environment });
    assert.match(complained, says);
    assert.notEqual(exitCode, 0);
  };
  await refuse('s3://', {}, /^A bucket is written as s3:\/\/BUCKET or s3:\/\/BUCKET\/FOLDER\./);
  await refuse('s3://missing', {}, /^The bucket missing at http:\S+ does not exist: create it/);
  await refuse(url, { AWS_ACCESS_KEY_ID: '' }, /^AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are needed/);
  await refuse('s3://backups', {}, /holds nightly\/\S+ there but no backup; choose an empty folder\./);
  const media = {
    TAPEDECK_S3_BUCKET: 'backups',
    TAPEDECK_S3_ENDPOINT: engine.endpoint,
    TAPEDECK_S3_ACCESS_KEY_ID: engine.accessKeyId,
    TAPEDECK_S3_SECRET_ACCESS_KEY: engine.secretAccessKey,
    TAPEDECK_S3_FORCE_PATH_STYLE: 'true',
  };
  await refuse(url, media, /^The bucket backups holds the media themselves: name another one\./);
  await using other = await startTestService();
  await refuse(
    url,
    { TAPEDECK_DATA_DIR: other.dataDir },
    /holds a backup of another installation; name another folder\./,
  );
});
