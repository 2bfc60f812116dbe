/** Links planted in the data directory: the service reads, writes and deletes nothing behind them. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { describeRefusal } from '../support/client.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { runTapedeck } from '../support/tapedeck.ts';
import {
  formOf,
  listTraces,
  makePicture,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readUsage,
  sendForm,
  type Uploaded,
  uploadFile,
} from '../support/uploading.ts';

const secret = 'the secret of somebody else';
const picture = await makePicture(64, 48);
const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const outside = await makeDirectory();
after(() => outside[Symbol.asyncDispose]());
const victim = path.join(outside.path, 'victim.png');

beforeEach(() => writeFile(victim, secret));

async function findBlob({ id }: Uploaded): Promise<string> {
  const { blobs } = await listTraces(service);
  return blobs.find(at => path.basename(at).startsWith(id) && !at.includes('variants'))!;
}

async function plantForFile(): Promise<{ file: Uploaded; at: string }> {
  const file = await uploadFile(service, picture);
  const at = await findBlob(file);
  await rm(at);
  await symlink(victim, at);
  return { file, at };
}

/** Requires that `verify` finds both broken and reveals none of the other's bytes. */
async function requireUnread(response: Response): Promise<void> {
  assert.ok(response.status === 404 || response.status === 503, String(response.status));
  assert.ok(!(await response.text()).includes(secret));
}

describe('a symbolic link in place of a file', () => {
  it('is not read, in whole, in part, or in a smaller size', async () => {
    const { file } = await plantForFile();
    const url = pathOf(file.url);
    await requireUnread(await service.fetch(url));
    await requireUnread(await service.fetch(url, { headers: { range: 'bytes=0-3' } }));
    await requireUnread(await service.fetch(`${url}?w=320`));
  });

  it('is deleted with the file, and its target stays', async () => {
    const { file } = await plantForFile();
    const response = await service.fetch(`/api/v3/file/${file.id}`, {
      method: 'DELETE',
      headers: { authorization: mediaToken },
    });
    assert.equal(response.status, 200);
    assert.equal(await readFile(victim, 'utf8'), secret);
    assert.equal((await service.fetch(pathOf(file.url))).status, 404);
  });

  it('is reported by verify', async () => {
    const { file } = await plantForFile();
    const environment = { TAPEDECK_DATA_DIR: service.dataDir };
    const { exitCode, printed } = await runTapedeck(['verify', '--json'], environment);
    assert.equal(exitCode, 1);
    assert.ok(printed.includes(file.id), printed);
    assert.equal(await readFile(victim, 'utf8'), secret);
  });
});

describe('a symbolic link in the upload path', () => {
  for (const level of ['project', 'day'] as const) {
    it(`in place of the ${level} is not followed`, async () => {
      await using planted = await startTestService({ environment: mediaEnvironment });
      const { url } = await uploadFile(planted, picture);
      const [blob = ''] = (await listTraces(planted)).blobs;
      const day = path.dirname(blob);
      const folder = level === 'day' ? day : path.dirname(day);
      const elsewhere = path.join(outside.path, level);
      await rename(folder, elsewhere);
      await symlink(elsewhere, folder);
      const before = await readdir(elsewhere, { recursive: true });
      assert.equal(await describeRefusal(await sendForm(planted, formOf(picture))), '503 blobs_unavailable');
      await requireUnread(
        await planted.fetch(`${pathOf(url)}?download=1`, { headers: { range: 'bytes=1-' } }),
      );
      assert.deepEqual(await readdir(elsewhere, { recursive: true }), before);
      assert.equal((await readUsage(planted)).files, 1);
      assert.deepEqual((await listTraces(planted)).staging, []);
    });
  }

  it('that existed first is not followed', async () => {
    await using planted = await startTestService({ environment: mediaEnvironment });
    await mkdir(path.join(planted.dataDir, 'media', 'files'), { recursive: true });
    await symlink(outside.path, path.join(planted.dataDir, 'media', 'files', 'default'));
    const before = await readdir(outside.path);
    assert.equal(await describeRefusal(await sendForm(planted, formOf(picture))), '503 blobs_unavailable');
    assert.deepEqual(await readdir(outside.path), before);
    assert.deepEqual(await readUsage(planted), { files: 0, bytes: 0 });
    const { staging, open } = await listTraces(planted);
    assert.deepEqual({ staging, open }, { staging: [], open: [] });
  });
});
