/** Revoking a token ends what it started: uploads within a second, and the upload URLs it made. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createPresignedUrl, listFiles } from '@tapedeck/contract/files';
import { queryLogs } from '@tapedeck/contract/logs';
import { revokeToken } from '@tapedeck/contract/tokens';
import { describeRefusal, withToken } from '../support/client.ts';
import { addPerson, addToken } from '../support/people.ts';
import { compose, describeAnswer, talk } from '../support/rawHttp.ts';
import { startTestService } from '../support/service.ts';
import { formOf, makePicture, sendForm } from '../support/uploading.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const owner = await addPerson(service, { isOwner: true });
const project = 'default';
const revocationMsMax = 1_000; // CONTRACT.md, 2

const entries = '[{"level":"info","message":"too late"}]';
const file = [
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n',
  'Content-Type: image/png\r\n\r\n',
  'too late\r\n--b--\r\n',
].join('');
const form = 'multipart/form-data; boundary=b';

const rows: [route: string, kind: 'logs' | 'media', type: string, body: string][] = [
  ['POST /api/v3/logs', 'logs', 'application/json', entries],
  ['POST /api/v3/logs?dataset=other', 'logs', 'application/json', entries],
  ['POST /api/v3/logs/chat', 'logs', 'application/json', '{"content":"too late"}'],
  ['POST /api/v3/file', 'media', form, file],
];

for (const [route, kind, type, body] of rows) {
  test(`${route}: 401`, async () => {
    const { id, token } = await addToken(owner, { kind });
    const head = compose(route, {
      Authorization: token,
      'Content-Type': type,
      'Content-Length': body.length,
    });
    const talking = talk(service.url, [head + body.slice(0, 5), 2 * revocationMsMax, body.slice(5)], {
      answersMax: 1,
    });
    await owner.call(revokeToken, { params: { project, token: id } });
    assert.deepEqual((await talking).answers.map(describeAnswer), ['401 token_revoked']);
  });
}

test('none of this is stored', async () => {
  const logs = withToken(service, (await addToken(owner, { kind: 'logs' })).token);
  assert.equal((await logs.call(queryLogs, { query: { dataset: '*' } })).pagination.total, 0);
  const media = withToken(service, (await addToken(owner, { kind: 'media' })).token);
  assert.equal((await media.call(listFiles, {})).data.length, 0);
});

test('revoking a token ends its upload URLs', async () => {
  const { id, token } = await addToken(owner);
  const { data } = await withToken(service, token).call(createPresignedUrl, { query: { uses: 5 } });
  const { pathname } = new URL(data.presignedUrl);
  const upload = async () => sendForm(service, formOf(await makePicture()), { route: pathname, token: '' });
  assert.equal((await upload()).status, 200);
  await owner.call(revokeToken, { params: { project, token: id } });
  const refused = await upload();
  assert.equal(await describeRefusal(refused.clone()), '410 presigned_expired');
  assert.match(await refused.text(), /has been revoked/);
});
