/** Message files that cannot be stored, and forms that are refused or repeated: nothing is lost, left over or stored twice. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { WebhookMessage } from '@tapedeck/contract/chatWebhooks';
import { queryLogs } from '@tapedeck/contract/logs';
import { updateProject } from '@tapedeck/contract/projects';
import { noMedia, smallPng, smallWav } from '@tapedeck/media-facts/samples';
import { describeRefusal, withToken } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { openMessages, payload, type Sending, shot } from '../support/messageForms.ts';
import { addProject, addToken, type TokenOptions } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { summarise } from '../support/storedEntries.ts';
import { type FormEntry, listTraces, mediaEnvironment } from '../support/uploading.ts';

const fileSizeMax = 256 * 1024;
const service = await startTestService({
  environment: { ...mediaEnvironment, TAPEDECK_FILE_SIZE_MAX: '256KiB' },
});
after(() => service[Symbol.asyncDispose]());
const { owner, book, token, post, send, countFiles } = await openMessages(service);

describe('a message survives a file that cannot be stored, and gives its name and the reason', () => {
  const broken = Buffer.concat([smallPng.subarray(0, 20), Buffer.alloc(40)]);
  const large = Buffer.concat([smallPng, Buffer.alloc(fileSizeMax)]);
  const rows: readonly [string, Buffer, TokenOptions, RegExp][] = [
    ['of an unsupported type', noMedia, {}, /begins with text/],
    ['that is text', Buffer.from('name,kills\nx,7\n'), {}, /begins with text/],
    ['that is corrupt', broken, {}, /./],
    ['that is empty', Buffer.alloc(0), {}, /./],
    ['that is too large', large, {}, /at most/],
    ["of a type outside the token's scope", smallPng, { scopes: ['type:video'] }, /token is for video/],
  ];
  for (const [name, bytes, options, because] of rows) {
    it(name, async () => {
      const { token: by } = await addToken(owner, { kind: 'webhook', ...options });
      const before = await countFiles();
      const bad: FormEntry = ['file', { bytes, filename: 'bad.png' }];
      const { message, stored } = await send([bad, payload({ content: 'see' })], { token: by });
      assert.deepEqual(message.attachments, []);
      assert.deepEqual(stored.map(summarise), ['info: see']);
      assert.equal(stored[0]!.metadata['attachments.0.filename'], 'bad.png');
      assert.match(stored[0]!.metadata['attachments.0.refused'] ?? '', because);
      assert.equal(await countFiles(), before);
    });
  }

  it('with others that are stored', async () => {
    const bad: FormEntry = ['files[0]', { bytes: noMedia, filename: 'bad.gif' }];
    const { message, stored } = await send([bad, shot]);
    assert.deepEqual(
      message.attachments.map(({ filename }) => filename),
      ['screenshot.png'],
    );
    assert.deepEqual(stored.map(summarise), ['info: bad.gif, screenshot.png']);
    assert.equal(stored[0]!.metadata['attachments.1.url'], message.attachments[0]!.url);
  });

  it('beyond ten per message', async () => {
    const shots = Array.from({ length: 12 }, () => shot);
    const { message, stored } = await send(shots);
    assert.equal(message.attachments.length, 10);
    assert.match(stored[0]!.metadata['attachments.11.refused'] ?? '', /10 files/);
  });

  it('beyond the quota', async () => {
    await addProject(owner, 'full');
    await owner.call(updateProject, { params: { project: 'full' }, body: { filesMax: 1 } });
    const { token: by } = await addToken(owner, { kind: 'webhook', project: 'full' });
    const reader = withToken(service, (await addToken(owner, { kind: 'logs', project: 'full' })).token);
    const message = await readAs(WebhookMessage, await post([shot, shot], { token: by }));
    assert.equal(message.attachments.length, 1);
    const { data } = await reader.call(queryLogs);
    assert.match(data[0]!.metadata['attachments.1.refused'] ?? '', /quota|files/i);
  });
});

describe('stores nothing', () => {
  const rows: readonly [string, readonly FormEntry[], Sending, string][] = [
    ['of a malformed payload', [shot, ['payload_json', '{']], {}, '400 invalid_json'],
    ['of a payload that is a list', [shot, ['payload_json', '[]']], {}, '400 bad_request'],
    ['of an invalid dataset', [shot], { query: 'dataset=a%20b' }, '400 invalid_field'],
    ['of an overlong key', [shot], { headers: { 'idempotency-key': 'k'.repeat(1025) } }, '400 invalid_field'],
  ];
  for (const [name, entries, sending, refusal] of rows) {
    it(name, async () => {
      const before = await listTraces(service);
      const files = await countFiles();
      assert.equal(await describeRefusal(await post(entries, sending)), refusal);
      assert.deepEqual(await listTraces(service), before);
      assert.equal(await countFiles(), files);
    });
  }

  it('of a truncated form', async () => {
    const before = await listTraces(service);
    const entries = await countEntries();
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
    const response = await service.fetch(`/api/webhooks/1/${token}`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: new Uint8Array(Buffer.concat([Buffer.from(head), smallPng])),
    });
    assert.equal(await describeRefusal(response), '400 bad_request');
    assert.deepEqual(await listTraces(service), before);
    assert.equal(await countEntries(), entries);
  });
});

async function countEntries(): Promise<number> {
  const query = { dataset: '*', includeTotal: 'true' };
  return (await withToken(service, book.token).call(queryLogs, { query })).pagination.total;
}

describe('with an Idempotency-Key', () => {
  it('a repeat stores nothing twice and returns the same response', async () => {
    const key = { headers: { 'idempotency-key': 'shot-1' } };
    const entries = [
      shot,
      payload({ content: 'once' }),
      ['file', { bytes: noMedia, filename: 'no' }],
    ] as const;
    const dataset = book.newDataset();
    const sendOnce = async () =>
      readAs(WebhookMessage, await post(entries, { ...key, query: `dataset=${dataset}` }));
    const first = await sendOnce();
    const before = await countFiles();
    assert.deepEqual(await sendOnce(), first);
    assert.equal(await countFiles(), before);
    assert.equal((await book.read(dataset)).length, 1);
  });

  it('other files make another message', async () => {
    const key = { headers: { 'idempotency-key': 'shot-2' } };
    assert.equal((await post([shot], key)).status, 200);
    const other: FormEntry = ['files[]', { bytes: smallWav, filename: 'screenshot.png' }];
    const before = await countFiles();
    assert.equal(await describeRefusal(await post([other], key)), '422 idempotency_key_reused');
    assert.equal(await countFiles(), before);
  });
});
