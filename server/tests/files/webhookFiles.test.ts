/** Webhook tokens: messages become log entries, attached files become media, and the response says where they are. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { WebhookMessage } from '@tapedeck/contract/chatWebhooks';
import { revokeToken } from '@tapedeck/contract/tokens';
import { smallPng, smallWav } from '@tapedeck/media-facts/samples';
import { describeRefusal } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { openMessages, payload, shot } from '../support/messageForms.ts';
import { addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { type Entry, summarise } from '../support/storedEntries.ts';
import { type FormEntry, mediaEnvironment, pathOf, readRecord } from '../support/uploading.ts';

const service = await startTestService({
  environment: { ...mediaEnvironment },
});
after(() => service[Symbol.asyncDispose]());
const { owner, book, token, post, send, countFiles } = await openMessages(service);

function namesIn({ metadata }: Entry): string[] {
  return Object.keys(metadata).filter(name => name.startsWith('attachments.'));
}

describe('a screenshot', () => {
  it('is stored, returned and named, without ?wait', async () => {
    const { message, stored } = await send([shot]);
    const [attachment, ...others] = message.attachments;
    assert.deepEqual(others, []);
    const { id, filename, size, content_type, url, proxy_url, width, height } = attachment!;
    assert.deepEqual(
      { filename, size, content_type, width, height },
      { filename: 'screenshot.png', size: smallPng.length, content_type: 'image/png', width: 2, height: 2 },
    );
    assert.match(id, /^1\d{19}$/);
    assert.equal(proxy_url, url);
    const opened = await service.fetch(pathOf(proxy_url));
    assert.deepEqual(Buffer.from(await opened.arrayBuffer()), smallPng);
    const record = await readRecord(service, id);
    assert.deepEqual([record.path, record.filename, record.url], ['chat', 'screenshot.png', url]);
    assert.deepEqual(stored.map(summarise), ['info: screenshot.png']);
    assert.deepEqual(stored[0]!.metadata, {
      'attachments.0.filename': 'screenshot.png',
      'attachments.0.url': url,
      'attachments.0.id': id,
      'attachments.0.content_type': 'image/png',
      'attachments.0.size': String(smallPng.length),
      'attachments.0.width': '2',
      'attachments.0.height': '2',
    });
  });

  for (const name of ['files[]', 'files[0]', 'file', 'file1', 'files', 'attachments', 'attachment[0]', 'x']) {
    it(`is found under the name ${name}`, async () => {
      const { message } = await send([[name, { bytes: smallPng, filename: 'a.png' }]]);
      assert.deepEqual(
        message.attachments.map(({ filename }) => filename),
        ['a.png'],
      );
    });
  }

  it('is found without a filename, too', async () => {
    const boundary = 'edge';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"\r\n\r\n`;
    const body = Buffer.concat([Buffer.from(head), smallPng, Buffer.from(`\r\n--${boundary}--\r\n`)]);
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const init = { method: 'POST', headers, body: new Uint8Array(body) };
    const message = await readAs(WebhookMessage, await service.fetch(`/api/webhooks/1/${token}`, init));
    const [attachment] = message.attachments;
    assert.equal(attachment?.filename, `${attachment?.id}.png`);
  });
});

describe('a message with files', () => {
  const fields = payload({
    content: 'look',
    username: 'Guard',
    embeds: [{ title: 'Door', color: 0xff0000 }],
  });
  const sound: FormEntry = ['files[1]', { bytes: smallWav, filename: 'a.wav' }];
  for (const [order, entries] of Object.entries({
    'before its payload': [shot, sound, fields],
    'after its payload': [fields, shot, sound],
    'around its payload': [shot, fields, sound],
  })) {
    it(`may have them ${order}`, async () => {
      const { message, stored } = await send(entries);
      assert.equal(message.content, 'look');
      assert.deepEqual(
        message.attachments.map(({ content_type }) => content_type),
        ['image/png', 'audio/wav'],
      );
      assert.deepEqual(stored.map(summarise), ['info: look', 'error: Door']);
      assert.equal(stored[0]!.metadata['attachments.1.filename'], 'a.wav');
      assert.deepEqual(namesIn(stored[1]!), []);
      assert.equal(stored[1]!.resource, 'Guard');
    });
  }

  it('names them on the first embed without content, and embeds refer to them', async () => {
    const embed = { title: 'Kick', image: { url: 'attachment://screenshot.png' } };
    const { message, stored } = await send([payload({ embeds: [embed] }), shot]);
    assert.equal(stored[0]!.metadata['embed.image.url'], message.attachments[0]!.url);
    assert.equal(stored[0]!.metadata['attachments.0.filename'], 'screenshot.png');
  });

  it('returns the same as before without the files', async () => {
    assert.equal((await post([payload({ content: 'x' })])).status, 204);
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"content":"x"}' };
    assert.equal((await service.fetch(`/api/v10/webhooks/1/${token}`, init)).status, 204);
  });

  it('is accepted by the chat route as well', async () => {
    const dataset = book.newDataset();
    const path = '/api/v3/logs/chat';
    const response = await post([shot], {
      path,
      query: `dataset=${dataset}`,
      headers: { authorization: token },
    });
    const answer = (await response.json()) as { status: string; attachments: { url: string }[] };
    assert.equal(answer.status, 'ok');
    assert.equal((await service.fetch(pathOf(answer.attachments[0]!.url))).status, 200);
    assert.deepEqual((await book.read(dataset)).map(summarise), ['info: screenshot.png']);
  });
});

describe('scopes of its token', () => {
  const rows: readonly [string[], string][] = [
    [[], 'chat'],
    [['path:shots/game'], 'shots/game'],
    [['path:shots', 'path:chat'], 'chat'],
    [['path:one', 'path:two'], 'one'],
    [['write', 'type:image'], 'chat'],
  ];
  for (const [scopes, folder] of rows) {
    it(`[${scopes.join(', ')}] store files in ${folder}`, async () => {
      const { token: by } = await addToken(owner, { kind: 'webhook', scopes });
      const { message } = await send([shot], { token: by });
      assert.equal((await readRecord(service, message.attachments[0]!.id)).path, folder);
    });
  }

  it('for a dataset apply to the message', async () => {
    const { token: by } = await addToken(owner, { kind: 'webhook', scopes: ['dataset:one'] });
    const before = await countFiles();
    assert.equal(await describeRefusal(await post([shot], { token: by })), '403 scope_missing');
    assert.equal((await post([shot], { token: by, query: 'dataset=one' })).status, 200);
    assert.equal(await countFiles(), before + 1);
  });

  it('allow only webhook and chat routes', async () => {
    const rows: readonly [string, string][] = [
      ['POST', '/api/v3/file'],
      ['GET', '/api/v3/file'],
      ['GET', '/api/v3/file/presigned-url'],
      ['POST', '/api/v3/logs'],
      ['GET', '/api/v3/logs'],
      ['GET', '/api/v3/logs/datasets'],
      ['POST', '/api/logs'],
      ['POST', '/api/v2/image'],
      ['POST', '/api/sdk/report'],
      ['GET', '/api/manage/projects/default/tokens'],
    ];
    for (const [method, path] of rows) {
      const response = await service.fetch(path, { method, headers: { authorization: token } });
      assert.equal(await describeRefusal(response), '403 wrong_token_kind', `${method} ${path}`);
    }
    assert.equal((await service.fetch(`/api/webhooks/1/${token}`)).status, 200);
  });

  it('do not outlive the token', async () => {
    const { token: by, id } = await addToken(owner, { kind: 'webhook' });
    await owner.call(revokeToken, { params: { project: 'default', token: id } });
    assert.equal(await describeRefusal(await post([shot], { token: by })), '401 token_revoked');
  });
});

describe('with a logs token', () => {
  it('a message of files alone becomes an entry that names them, and no file is stored', async () => {
    const before = await countFiles();
    const { message, stored } = await send([shot, ['file2', { bytes: smallWav, filename: 'b.wav' }]], {
      token: book.token,
    });
    assert.deepEqual(message.attachments, []);
    assert.deepEqual(stored.map(summarise), ['info: screenshot.png, b.wav']);
    assert.match(stored[0]!.metadata['attachments.0.refused'] ?? '', /webhook/);
    assert.equal(await countFiles(), before);
  });
});

describe('?level=', () => {
  const json = { 'content-type': 'application/json' };
  it('sets the level of all entries, on each route', async () => {
    const embeds = [{ title: 'e', color: 0xff0000 }];
    for (const path of [`/api/webhooks/1/${token}`, `/api/v3/logs/chat`, `/api/webhooks/1/${token}/slack`]) {
      const dataset = book.newDataset();
      const response = await service.fetch(`${path}?dataset=${dataset}&level=debug`, {
        method: 'POST',
        headers: { ...json, authorization: token },
        body: JSON.stringify({ content: 'c', text: 'c', embeds }),
      });
      assert.ok(response.ok);
      const levels = (await book.read(dataset)).map(({ level }) => level);
      assert.deepEqual(new Set(levels), new Set(['debug']), path);
    }
  });

  it('is rejected if invalid, and nothing is stored', async () => {
    const before = await countFiles();
    assert.equal(await describeRefusal(await post([shot], { query: 'level=loud' })), '400 invalid_field');
    assert.equal(await countFiles(), before);
  });
});
