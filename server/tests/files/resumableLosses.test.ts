/** Resumable uploads whose stored bytes are lost, and uploads that turn out to be empty: clients hear that they must start again. */
import assert from 'node:assert/strict';
import { rename, rm, truncate } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import {
  listPartials,
  locationOf,
  refusalOf,
  requireGone,
  resultOf,
  resumableRoute,
  speakTus,
  type TusClient,
} from '../support/resuming.ts';
import { changeDatabase, startTestService } from '../support/service.ts';
import { makeSound, mediaToken } from '../support/uploading.ts';

const service = await startTestService({ environment: { TAPEDECK_MEDIA_TOKEN: mediaToken } });
after(() => service[Symbol.asyncDispose]());
const tus = speakTus(service);
const sound = makeSound({ seconds: 40 });
const half = Math.floor(sound.length / 2);

const bytesOf = (at: string) => path.join(service.dataDir, 'media/partial', at.split('/').at(-1)!);

async function beginHalf(client: TusClient): Promise<string> {
  const at = await client.begin(sound.length);
  assert.equal((await client.append(at, 0, sound.subarray(0, half))).status, 204);
  return at;
}

describe('an upload whose bytes are lost is gone:', () => {
  const losses: [title: string, lose: (at: string) => Promise<void>][] = [
    ['its file was removed', at => rm(bytesOf(at))],
    ['its file was cut', at => truncate(bytesOf(at), half - 1)],
  ];
  const asks: [title: string, ask: (at: string) => Promise<Response>][] = [
    ['HEAD', at => tus.send('HEAD', at)],
    ['PATCH', at => tus.append(at, half, sound.subarray(half))],
    ['GET of the result', at => tus.result(at)],
  ];
  for (const [loss, lose] of losses)
    for (const [title, ask] of asks)
      test(`${loss}: ${title} answers 404, as does everything after it`, async () => {
        const at = await beginHalf(tus);
        await lose(at);
        assert.equal(await refusalOf(await ask(at)), '404 not_found');
        await requireGone(service, tus, at);
        assert.equal(await refusalOf(await tus.append(at, half, sound.subarray(half))), '404 not_found');
      });
  test('not while its whole folder is gone, as when its disk is not mounted', async () => {
    const at = await beginHalf(tus);
    const folder = path.join(service.dataDir, 'media/partial');
    await rename(folder, `${folder}.away`);
    assert.equal(await refusalOf(await tus.send('HEAD', at)), '503 blobs_unavailable');
    assert.equal(await refusalOf(await tus.append(at, half, sound.subarray(half))), '503 blobs_unavailable');
    await rename(`${folder}.away`, folder);
    await resultOf(await tus.append(at, half, sound.subarray(half)));
  });
  test('it was complete, but not yet a file', async () => {
    const at = await beginHalf(tus);
    const id = at.split('/').at(-1);
    await changeDatabase(
      service,
      `UPDATE resumable_uploads SET length_bytes = size_bytes WHERE id = '${id}'`,
    );
    await rm(bytesOf(at));
    assert.equal(await refusalOf(await tus.send('HEAD', at)), '404 not_found');
    await requireGone(service, tus, at);
  });
  test('it began through a presigned URL, which can be used again', async () => {
    const headers = { authorization: mediaToken };
    const presigned = await service.fetch('/api/v3/file/presigned-url', { headers });
    const { data } = (await presigned.json()) as { data: { presignedUrl: string } };
    const route = `${new URL(data.presignedUrl).pathname}/resumable`;
    const client = speakTus(service, { token: '', route });
    const lost = await beginHalf(client);
    await rm(bytesOf(lost));
    assert.equal(await refusalOf(await client.send('HEAD', lost)), '404 not_found');
    const at = await beginHalf(client);
    await resultOf(await client.append(at, half, sound.subarray(half)));
  });
  test('a finished one keeps its result', async () => {
    const at = await beginHalf(tus);
    await resultOf(await tus.append(at, half, sound.subarray(half)));
    assert.ok(!(await listPartials(service)).includes(at.split('/').at(-1)));
    await resultOf(await tus.send('HEAD', at));
  });
});

test('an upload that turns out to be empty is refused and ends', async () => {
  const begun = await tus.send('POST', resumableRoute, { 'upload-defer-length': '1' });
  const at = locationOf(begun);
  const answer = await tus.appendWith({ 'upload-length': '0' }, at, 0, new Uint8Array());
  assert.equal(await refusalOf(answer), '415 unsupported_media');
  await requireGone(service, tus, at);
});
