/** Counts no use of a presigned URL when its upload fails together with the database. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeRefusal } from '../support/client.ts';
import { changeDatabase, startQuietService } from '../support/service.ts';
import { formOf, makePicture, mediaEnvironment, mediaToken, pathOf, sendForm } from '../support/uploading.ts';

test('a failed upload reports its error, even if its use cannot be returned', async () => {
  await using service = await startQuietService({ environment: mediaEnvironment });
  const response = await service.fetch('/api/v3/file/presigned-url', {
    headers: { authorization: mediaToken },
  });
  // Other tests check this response's shape.
  const { data } = (await response.json()) as { data: { presignedUrl: string } };
  const target = { route: pathOf(data.presignedUrl), token: '' };
  const refuse = async () =>
    describeRefusal(await sendForm(service, formOf(Buffer.from('no picture')), target));
  const trigger = `CREATE TRIGGER no_return BEFORE UPDATE ON presigned_uses WHEN new.uses < old.uses
    BEGIN SELECT raise(ABORT, 'no use comes back'); END`;
  await changeDatabase(service, trigger);
  assert.equal(await refuse(), '415 unsupported_media');
  const warnings = service.logged.filter(line => line.includes('could not release a use'));
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!, /no use comes back/);
  assert.equal(await refuse(), '409 presigned_used', 'the use is lost');
  await changeDatabase(service, 'DROP TRIGGER no_return; DELETE FROM presigned_uses');
  assert.equal(await refuse(), '415 unsupported_media');
  assert.equal((await sendForm(service, formOf(await makePicture()), target)).status, 200);
});
