/** Resumable uploads at two nodes that share PostgreSQL and S3: each continues uploads of the other node, or of a dead one. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openS3Blobs, S3Client } from '@tapedeck/blob-stores';
import { startPostgres } from '../../../scripts/engines/postgres.ts';
import { startSwift } from '../../../scripts/engines/swift.ts';
import { openUploadSocket } from '../support/openUpload.ts';
import { refusalOf, resultOf, speakTus, type TusClient } from '../support/resuming.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { startProcess } from '../support/tapedeck.ts';
import { makeSound, mediaEnvironment } from '../support/uploading.ts';

await using opened = new AsyncDisposableStack();
const postgres = opened.use(await startPostgres());
const engine = opened.use(await startSwift());
const config = { ...engine, bucket: 'media', forcePathStyle: true };
const client = new S3Client(config);
await client.call({ method: 'PUT', key: '' });
client.close();
const blobs = opened.use(openS3Blobs(config));
const environment = {
  ...mediaEnvironment,
  TAPEDECK_DATABASE_URL: postgres.urlOf('postgres'),
  TAPEDECK_SECRET: 's'.repeat(40),
  TAPEDECK_FILE_SIZE_MAX: '1GiB',
  TAPEDECK_S3_BUCKET: config.bucket,
  TAPEDECK_S3_ENDPOINT: engine.endpoint,
  TAPEDECK_S3_ACCESS_KEY_ID: engine.accessKeyId,
  TAPEDECK_S3_SECRET_ACCESS_KEY: engine.secretAccessKey,
  TAPEDECK_S3_FORCE_PATH_STYLE: 'true',
};
const nodes = [
  opened.use(await startTestService({ environment })),
  opened.use(await startTestService({ environment })),
] as const;
const clients = nodes.map(node => speakTus(node));
const [one, other] = [clients[0]!, clients[1]!];
const running = opened.move();
after(() => running.disposeAsync());

const mebibyte = 1024 * 1024;
const sound = Buffer.concat([makeSound(), randomBytes(20 * mebibyte)]);
const sha256 = createHash('sha256').update(sound).digest('hex');

const refuse = (): never => assert.fail('Nothing is staged here.');

async function listPartials(): Promise<string[]> {
  const names: string[] = [];
  // Reads and deletes only: nothing is staged.
  const partials = blobs.openPartials({ create: refuse, stage: refuse, patch: refuse });
  for await (const name of partials.list()) names.push(name);
  return names;
}

async function requireStored(id: string): Promise<void> {
  const file = await (await nodes[0].openStore()).files.find('default', id);
  assert.equal(file?.sha256, sha256);
  const hash = createHash('sha256');
  const place = blobs.placeOf(
    { project: 'default', fileId: id, storageKey: file.key, createdAt: 0, secret: null },
    null,
  );
  for await (const chunk of (await blobs.read(place, { start: 0, end: sound.length }))!) hash.update(chunk);
  assert.equal(hash.digest('hex'), sha256);
  assert.deepEqual(await listPartials(), []);
}

/** Retries: a dead node's uploads are free after 5 s. */
async function appendWhenFree(client: TusClient, at: string, offset: number): Promise<Response> {
  for (;;) {
    const response = await client.append(at, offset, sound.subarray(offset));
    if (response.status !== 423) return response;
    await wait(250);
  }
}

test('either node accepts pieces of any size, and the bucket assembles them', async () => {
  const at = await one.begin(sound.length, { filename: 'long.wav' });
  let offset = 0;
  for (const [index, mebibytes] of [1, 2, 14, 0.5, 20].entries()) {
    const end = Math.min(offset + mebibytes * mebibyte, sound.length);
    const response = await clients[index % 2]!.append(at, offset, sound.subarray(offset, end));
    assert.ok(response.status === 204, response.status === 204 ? '' : await refusalOf(response));
    offset = Number(response.headers.get('upload-offset'));
    assert.equal(offset, end);
    assert.equal(await clients[(index + 1) % 2]!.look(at), offset);
    if (offset === sound.length) await requireStored((await resultOf(response)).id);
  }
  assert.equal((await one.result(at)).status, 200);
});

test('of two concurrent requests at two nodes, one is told to wait', async () => {
  const at = await one.begin(sound.length);
  const socket = await openUploadSocket(nodes[0], { at, offset: 0, announced: sound.length });
  socket.write(sound.subarray(0, 18 * mebibyte));
  while ((await other.look(at)) < 16 * mebibyte) await wait(50);
  assert.equal(await refusalOf(await other.append(at, 16 * mebibyte, Buffer.alloc(1))), '423 upload_locked');
  assert.equal(await refusalOf(await other.send('DELETE', at)), '423 upload_locked');
  socket.destroy();
  while ((await other.look(at)) < 18 * mebibyte) await wait(50);
  await requireStored((await resultOf(await appendWhenFree(other, at, 18 * mebibyte))).id);
});

test('another node continues with what a killed node received', async () => {
  await using directory = await makeDirectory();
  await using victim = await startProcess({ ...environment, TAPEDECK_DATA_DIR: directory.path });
  const at = await one.begin(sound.length);
  const socket = await openUploadSocket(victim, { at, offset: 0, announced: sound.length });
  socket.write(sound.subarray(0, 18 * mebibyte));
  while ((await one.look(at)) < 16 * mebibyte) await wait(50);
  victim.child.kill('SIGKILL');
  await victim.exit;
  const offset = await one.look(at);
  assert.equal(offset, 16 * mebibyte);
  await requireStored((await resultOf(await appendWhenFree(one, at, offset))).id);
});

test('finished and cancelled uploads leave nothing in the bucket', async () => {
  const at = await one.begin(sound.length);
  await one.append(at, 0, sound.subarray(0, 2 * mebibyte));
  assert.equal((await listPartials()).length, 1);
  assert.equal((await other.send('DELETE', at)).status, 204);
  assert.deepEqual(await listPartials(), []);
});
