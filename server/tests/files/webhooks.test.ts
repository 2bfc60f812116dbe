/** Senders for chat platforms point their webhook here: payloads become entries, and the response is their platform's. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { describeWebhook, WebhookMessage } from '@tapedeck/contract/chatWebhooks';
import { describeRefusal } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { openLogBook, summarise } from '../support/storedEntries.ts';

const service = await startTestService();
const limited = await startTestService({ environment: { TAPEDECK_RATE_LIMIT: '1' } });
after(() => Promise.all([service, limited].map(each => each[Symbol.asyncDispose]())));
const owner = await addPerson(service, { isOwner: true });
const book = await openLogBook(service);
const hook = `/api/webhooks/1234567890/${book.token}`;

function post(path: string, payload: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return service.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(payload),
  });
}

function makeForm(payload: unknown): FormData {
  const form = new FormData();
  form.append('files[0]', new Blob(['a picture']), 'shot.png');
  form.append('payload_json', JSON.stringify(payload));
  return form;
}

describe('a response', () => {
  it('is 204 without a body', async () => {
    const response = await post(hook, { content: 'hello' });
    assert.equal(response.status, 204);
    assert.equal(await response.text(), '');
    assert.equal(response.headers.get('content-type'), null);
  });

  it('is the message for clients that wait', async () => {
    const dataset = book.newDataset();
    const embeds = [{ title: 'Crash', color: 0xff0000 }];
    const response = await post(`${hook}?wait=true&dataset=${dataset}`, { content: 'hello', embeds });
    assert.equal(response.status, 200);
    const message = await readAs(WebhookMessage, response);
    assert.match(message.id, /^[1-9]\d{16,19}$/);
    const shown = { content: message.content, embeds: message.embeds, channel_id: message.channel_id };
    assert.deepEqual(shown, { content: 'hello', embeds, channel_id: '1234567890' });
    const [entry] = await book.read(dataset);
    assert.equal(Date.parse(message.timestamp), Math.floor(Date.parse(entry!.timestamp)));
    assert.equal(Number(BigInt(message.id) >> 22n) + 1_420_070_400_000, Date.parse(entry!.timestamp));
  });

  it('has a list of embeds, whatever was sent', async () => {
    const alone = { title: 'alone' };
    for (const [embeds, shown] of [
      [{}, []],
      ['none', []],
      [null, []],
      [alone, [alone]],
      [['x', alone], [alone]],
    ]) {
      const response = await post(`${hook}?wait=true`, { content: 'hello', embeds });
      assert.deepEqual((await readAs(WebhookMessage, response)).embeds, shown);
    }
  });

  it('has a different number for each message', async () => {
    const send = async () =>
      (await readAs(WebhookMessage, await post(`${hook}?wait=true`, { content: 'again' }))).id;
    const ids = await Promise.all(Array.from({ length: 20 }, send));
    assert.equal(new Set(ids).size, ids.length);
  });

  it('to GET describes the webhook', async () => {
    const { token } = await addToken(owner, { kind: 'logs', name: 'alarms' });
    const response = await service.fetch(`/api/webhooks/77/${token}`);
    assert.equal(response.status, 200);
    const { id, token: shown, type, name } = await readAs(describeWebhook.answer, response);
    assert.deepEqual({ id, shown, type, name }, { id: '77', shown: token, type: 1, name: 'alarms' });
  });
});

describe('stores a payload', () => {
  const paths: Readonly<Record<string, string>> = {
    'under the path without a version': `/api/webhooks/1/${book.token}`,
    'under the path of version 10': `/api/v10/webhooks/1/${book.token}`,
    'under the path of version 3': `/api/v3/webhooks/any-id/${book.token}`,
    'as /v3/logs/discord': `/api/v3/logs/discord?apiKey=${book.token}`,
    'as /v3/logs/chat': `/api/v3/logs/chat?apiKey=${book.token}`,
  };
  for (const [way, path] of Object.entries(paths)) {
    it(way, async () => {
      const dataset = book.newDataset();
      const response = await post(path, { content: way }, { 'X-Brand-Dataset': dataset });
      assert.ok(response.ok, await response.text());
      assert.deepEqual((await book.read(dataset)).map(summarise), [`info: ${way}`]);
    });
  }

  it('from a form, without its files', async () => {
    const dataset = book.newDataset();
    const body = makeForm({
      username: 'Guard',
      embeds: [{ title: 'Door', description: 'open', color: 0xffa500 }],
    });
    const response = await service.fetch(`${hook}?dataset=${dataset}`, { method: 'POST', body });
    assert.deepEqual((await readAs(WebhookMessage, response)).attachments, []);
    const entries = await book.read(dataset);
    assert.deepEqual(entries.map(summarise), ['warn: Door\nopen']);
    assert.equal(entries[0]!.metadata['attachments.0.filename'], 'shot.png');
    assert.equal(entries[0]!.resource, 'Guard');
  });

  it('from a plain form with the fields of the payload', async () => {
    const dataset = book.newDataset();
    const body = new FormData();
    body.append('content', 'by hand');
    body.append('username', 'curl');
    const response = await service.fetch(`${hook}?dataset=${dataset}`, { method: 'POST', body });
    assert.equal(response.status, 204);
    const entries = await book.read(dataset);
    assert.deepEqual(entries.map(summarise), ['info: by hand']);
    assert.equal(entries[0]!.metadata['chat.username'], 'curl');
  });

  it('with its embeds below the content', async () => {
    const dataset = book.newDataset();
    const fields = [{ name: 'player', value: 7 }];
    await post(`${hook}?dataset=${dataset}`, {
      content: 'report',
      embeds: [{ title: 'one', fields }, { title: 'two' }],
    });
    const [content, ...embeds] = await book.read(dataset);
    assert.equal(content!.parentId, '');
    assert.deepEqual(
      embeds.map(({ parentId }) => parentId),
      [content!.traceId, content!.traceId],
    );
    assert.equal(embeds[0]!.metadata['field.player'], '7');
  });
});

describe('rejects it', () => {
  const good = { content: 'x' };
  const rows: readonly [string, () => Promise<Response>, string][] = [
    ['with an unknown token', () => post(`/api/webhooks/1/${'x'.repeat(32)}`, good), '401 token_unknown'],
    ['to GET, too', () => service.fetch(`/api/webhooks/1/${'x'.repeat(32)}`), '401 token_unknown'],
    [
      'with a media token',
      async () => post(`/api/webhooks/1/${(await addToken(owner)).token}`, good),
      '403 wrong_token_kind',
    ],
    [
      'with a read-only token',
      async () =>
        post(`/api/webhooks/1/${(await addToken(owner, { kind: 'logs', scopes: ['read'] })).token}`, good),
      '403 scope_missing',
    ],
    [
      'with a token for another dataset',
      async () =>
        post(
          `/api/webhooks/1/${(await addToken(owner, { kind: 'logs', scopes: ['dataset:one'] })).token}`,
          good,
        ),
      '403 scope_missing',
    ],
    ['without content and embeds', () => post(hook, { username: 'silent' }), '400 invalid_field'],
    ['as an array', () => post(hook, [good]), '400 bad_request'],
    [
      'as invalid JSON',
      () =>
        service.fetch(hook, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }),
      '400 invalid_json',
    ],
    [
      'as something else',
      () => post(hook, good, { 'content-type': 'text/csv' }),
      '415 unsupported_content_type',
    ],
    ['for an invalid dataset', () => post(`${hook}?dataset=a%20b`, good), '400 invalid_field'],
    ['under an unknown version', () => post(`/api/vX/webhooks/1/${book.token}`, good), '404 not_found'],
    ['by another method', () => service.fetch(hook, { method: 'PATCH' }), '405 method_not_allowed'],
    [
      'with more than 10 MiB',
      () => post(hook, { content: 'x'.repeat(10 * 1024 * 1024) }),
      '413 body_too_large',
    ],
    [
      'with an unknown encoding',
      () => post(hook, good, { 'content-encoding': 'morse' }),
      '415 unsupported_content_type',
    ],
  ];
  for (const [name, send, refusal] of rows) {
    it(name, async () => assert.equal(await describeRefusal(await send()), refusal));
  }

  it('beyond the rate limit of its token', async () => {
    const { token } = await addToken(await addPerson(limited, { isOwner: true }), { kind: 'logs' });
    const send = () => limited.fetch(`/api/webhooks/1/${token}`);
    assert.equal((await send()).status, 200);
    const response = await send();
    assert.ok(Number(response.headers.get('retry-after')) > 0);
    assert.equal(await describeRefusal(response), '429 rate_limited');
  });
});

it('a webhook writes to the project of its token', async () => {
  await addProject(owner, 'arena');
  const { token } = await addToken(owner, { kind: 'logs', project: 'arena' });
  const dataset = book.newDataset();
  await post(`/api/webhooks/1/${token}?dataset=${dataset}`, { content: 'elsewhere' });
  assert.deepEqual(await book.read(dataset), []);
});

it('no log line and no metric contains a token from a path', async () => {
  await post(`/api/webhooks/1/${book.token}`, { content: 'x' });
  await post('/api/webhooks/1/not-a-token-at-all', { content: 'x' });
  const metrics = await (await service.fetch('/metrics')).text();
  assert.match(metrics, /route="\/api\/webhooks\/:webhook\/:token"/);
  for (const text of [metrics, service.logged.join('')]) {
    assert.ok(!text.includes(book.token));
    assert.ok(!text.includes('not-a-token-at-all'));
  }
});

it('pages of other sites can send, after a preflight', async () => {
  const preflight = await service.fetch(hook, {
    method: 'OPTIONS',
    headers: { origin: 'https://game.example', 'access-control-request-headers': 'content-type' },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
  const sent = await post(hook, { content: 'x' }, { origin: 'https://game.example' });
  assert.equal(sent.headers.get('access-control-allow-origin'), '*');
});

describe('a form', () => {
  it('may have its payload as a Blob, which browsers send with a filename', async () => {
    const dataset = book.newDataset();
    const form = new FormData();
    const payload = JSON.stringify({ content: 'from a browser' });
    form.append('payload_json', new Blob([payload], { type: 'application/json' }));
    const response = await service.fetch(`${hook}?dataset=${dataset}`, { method: 'POST', body: form });
    assert.equal(response.status, 204);
    assert.equal((await book.read(dataset))[0]?.body, 'from a browser');
  });

  for (const encoding of ['gzip', 'unheard-of']) {
    it(`is rejected with Content-Encoding ${encoding}`, async () => {
      const headers = { 'content-encoding': encoding };
      const body = makeForm({ content: 'packed' });
      const response = await service.fetch(hook, { method: 'POST', headers, body });
      assert.equal(await describeRefusal(response), '415 unsupported_content_type');
    });
  }
});
