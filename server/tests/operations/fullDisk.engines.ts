/** A full disk under a whole service: what is refused, what continues, and how it recovers. Mounting needs root. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { describeRefusal } from '../support/client.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import {
  formOf,
  listTraces,
  makePicture,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readUploaded,
  readUsage,
  sendForm,
  type Uploaded,
  uploadFile,
} from '../support/uploading.ts';

const mebibyte = 1024 * 1024;
const logsToken = 'logs-token-of-the-tests-01234567';
const resumesMsMax = 15_000; // CONTRACT.md, 4.5

await using opened = new AsyncDisposableStack();
const disk = opened.use(await makeDirectory());
run('mount', '-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', disk.path);
opened.defer(() => run('umount', '-l', disk.path)); // the system may still be closing files
const service = opened.use(
  await startTestService({
    dataDir: disk.path,
    environment: { ...mediaEnvironment, TAPEDECK_LOGS_TOKEN: logsToken },
  }),
);
const cleanUp = opened.move();
after(() => cleanUp.disposeAsync());

const picture = await makePicture();
const large = Buffer.concat([picture, Buffer.alloc(8 * mebibyte)]);
const kept = await uploadFile(service, picture, { filename: 'kept' });
const ballast = path.join(disk.path, 'ballast');

function run(command: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}

/** Fills the disk to the last block, as another program would. */
async function fillDisk(): Promise<void> {
  await using file = await open(ballast, 'a');
  for (const bytes of [mebibyte, 4096]) {
    const chunk = Buffer.alloc(bytes, 1);
    let isFull = false;
    while (!isFull) {
      await file.write(chunk).catch(() => {
        isFull = true;
      });
    }
  }
}

function deleteFile({ id }: Uploaded): Promise<Response> {
  return service.fetch(`/api/v3/file/${id}`, { method: 'DELETE', headers: { authorization: mediaToken } });
}

function ingest(): Promise<Response> {
  return service.fetch('/api/v3/logs', {
    method: 'POST',
    headers: { authorization: logsToken, 'content-type': 'application/json' },
    body: JSON.stringify([{ level: 'info', message: 'x'.repeat(1000) }]),
  });
}

/** Returns how long the request takes to succeed. Until then only a full disk may refuse it. */
async function measureRecovery(send: () => Promise<Response>): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const response = await send();
    if (response.ok) return performance.now() - startedAt;
    assert.equal(await describeRefusal(response), '507 disk_full');
    assert.ok(performance.now() - startedAt < resumesMsMax, 'it resumes in time');
    await wait(100);
  }
}

async function requireGoingOn(): Promise<void> {
  const response = await service.fetch(pathOf(kept.url));
  assert.ok(Buffer.from(await response.arrayBuffer()).equals(picture));
  for (const route of ['/healthz', '/api/v3/file', `/api/v3/file/${kept.id}`, '/api/v3/file/presigned-url']) {
    const answer = await service.fetch(route, { headers: { authorization: mediaToken } });
    assert.equal(answer.status, 200, route);
  }
}

describe('a full disk', () => {
  const uploaded: Uploaded[] = [];

  it('rejects uploads with 507 and leaves nothing of them', async () => {
    for (;;) {
      const response = await sendForm(service, formOf(large));
      if (!response.ok) {
        assert.equal(await describeRefusal(response), '507 disk_full');
        break;
      }
      uploaded.push(await readUploaded(response));
    }
    assert.ok(uploaded.length > 3);
    await fillDisk();
    for (let round = 0; round < 3; round++) {
      const base64 = { base64: picture.toString('base64') };
      const answers = await Promise.all([
        sendForm(service, formOf(picture)),
        sendForm(service, formOf(large)),
        service.fetch('/api/v3/file/base64', {
          method: 'POST',
          headers: { authorization: mediaToken, 'content-type': 'application/json' },
          body: JSON.stringify(base64),
        }),
      ]);
      for (const answer of answers) assert.equal(await describeRefusal(answer), '507 disk_full');
    }
    assert.deepEqual((await listTraces(service)).staging, []);
    const { files } = await readUsage(service);
    assert.equal(files, uploaded.length + 1);
  });

  it('rejects entries with 507 once its reserves are used up', async () => {
    let refusal = '';
    for (let turn = 0; turn < 200 && refusal === ''; turn++) {
      const response = await ingest();
      if (!response.ok) refusal = await describeRefusal(response);
      await fillDisk();
    }
    assert.equal(refusal, '507 disk_full');
  });

  it('can still read and delete files, and reports that it is alive', async () => {
    await requireGoingOn();
    for (const file of uploaded.splice(0)) {
      assert.equal((await deleteFile(file)).status, 200);
      assert.equal((await service.fetch(pathOf(file.url))).status, 404);
    }
    await requireGoingOn();
  });

  it('accepts uploads and entries again soon after there is space', async () => {
    await fillDisk();
    assert.equal(await describeRefusal(await sendForm(service, formOf(picture))), '507 disk_full');
    await rm(ballast);
    const times = await Promise.all([
      measureRecovery(() => sendForm(service, formOf(picture))),
      measureRecovery(ingest),
    ]);
    assert.ok(Math.max(...times) < resumesMsMax);
    assert.equal((await sendForm(service, formOf(large))).status, 200);
  });

  it('can fill and empty again and again', async () => {
    for (let round = 0; round < 3; round++) {
      const file = await readUploaded(await sendForm(service, formOf(large)));
      await fillDisk();
      assert.equal(await describeRefusal(await sendForm(service, formOf(picture))), '507 disk_full');
      assert.equal((await deleteFile(file)).status, 200);
      await rm(ballast);
      await measureRecovery(() => sendForm(service, formOf(picture)));
      await measureRecovery(ingest);
    }
    await requireGoingOn();
    const failures = service.logged.filter(line => line.includes('a request failed unexpectedly'));
    assert.deepEqual(failures, []);
  });
});
