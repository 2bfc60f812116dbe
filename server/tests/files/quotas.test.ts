/** Quotas hold under concurrent uploads, deletions free space, and usage is exact. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { updateProject } from '@tapedeck/contract/projects';
import { describeRefusal } from '../support/client.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { formOf, listTraces, makePicture, readUsage, sendForm, uploadFile } from '../support/uploading.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const picture = await makePicture();

async function openProject(slug: string, quota: { filesMax?: number; bytesMax?: number }): Promise<string> {
  await addProject(owner, slug);
  await owner.call(updateProject, { params: { project: slug }, body: quota });
  return (await addToken(owner, { project: slug })).token;
}

async function uploadAtOnce(token: string, count: number): Promise<{ stored: number; refused: number }> {
  const outcomes = await Promise.all(
    Array.from({ length: count }, async () => {
      const response = await sendForm(service, formOf(picture), { token });
      return response.status === 200 ? '200' : describeRefusal(response);
    }),
  );
  assert.ok(
    outcomes.every(outcome => ['200', '507 quota_exceeded'].includes(outcome)),
    outcomes.join(),
  );
  const stored = outcomes.filter(outcome => outcome === '200').length;
  return { stored, refused: count - stored };
}

test('stores ten of thirty concurrent uploads into a quota of ten files', async () => {
  const token = await openProject('ten', { filesMax: 10 });
  assert.deepEqual(await uploadAtOnce(token, 30), { stored: 10, refused: 20 });
  assert.deepEqual(await readUsage(service, 'ten'), { files: 10, bytes: 10 * picture.length });
  const { blobs, staging, open } = await listTraces(service);
  assert.equal(blobs.filter(at => at.includes('/ten/')).length, 10);
  assert.deepEqual({ staging, open }, { staging: [], open: [] });
});

test('counts bytes exactly', async () => {
  const token = await openProject('bytes', { bytesMax: 3 * picture.length });
  assert.deepEqual(await uploadAtOnce(token, 5), { stored: 3, refused: 2 });
  await openProject('less', { bytesMax: picture.length - 1 });
  const less = await addToken(owner, { project: 'less' });
  assert.deepEqual(await uploadAtOnce(less.token, 2), { stored: 0, refused: 2 });
  assert.deepEqual(await readUsage(service, 'less'), { files: 0, bytes: 0 });
});

test('deleting frees space; deleting the same file twenty times at once frees it once', async () => {
  const token = await openProject('one', { filesMax: 1 });
  const { id } = await uploadFile(service, picture, {}, { token });
  const deletions = await Promise.all(
    Array.from({ length: 20 }, () =>
      service.fetch(`/api/v3/file/${id}`, { method: 'DELETE', headers: { authorization: token } }),
    ),
  );
  assert.deepEqual(deletions.map(({ status }) => status).sort(), [200, ...Array(19).fill(404)]);
  assert.deepEqual(await readUsage(service, 'one'), { files: 0, bytes: 0 });
  assert.deepEqual(await uploadAtOnce(token, 4), { stored: 1, refused: 3 });
});

test('a quota below the usage rejects uploads, and a removed one rejects none', async () => {
  const token = await openProject('shrinking', {});
  await uploadAtOnce(token, 3);
  await owner.call(updateProject, { params: { project: 'shrinking' }, body: { filesMax: 1 } });
  assert.deepEqual(await uploadAtOnce(token, 2), { stored: 0, refused: 2 });
  await owner.call(updateProject, { params: { project: 'shrinking' }, body: { filesMax: null } });
  assert.deepEqual(await uploadAtOnce(token, 2), { stored: 2, refused: 0 });
});
