/** Senders for chat platforms work unchanged except for the base URL. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type Headers, makeSender, readJson, writeForm } from '../support/fieldRequests.ts';
import { startTestService } from '../support/service.ts';
import { openLogBook, summarise } from '../support/storedEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const book = await openLogBook(service);
const { send, take } = makeSender(service);
const hook = `/api/webhooks/123456789012345678/${book.token}`;
const versioned = hook.replace('/api/', '/api/v10/');
const json: Headers = { 'Content-Type': 'application/json' };
const form = 'application/x-www-form-urlencoded';

/** Returns the stored body and the response. */
async function post(path: string, headers: Headers, body: string | Buffer) {
  const dataset = book.newDataset();
  const answer = await send(`POST ${path}`, { ...headers, 'X-Brand-Dataset': dataset }, body);
  return { answer, stored: await book.read(dataset) };
}

describe('libraries', () => {
  it('that require 204 get it', async () => {
    const { answer, stored } = await post(hook, json, '{"content":"hi"}');
    assert.deepEqual([answer.status, answer.body], [204, '']);
    assert.deepEqual(stored.map(summarise), ['info: hi']);
  });

  it('that require a message get one', async () => {
    const body =
      '{"content":null,"username":"bot","avatar_url":"https://cdn.example/a.png","embeds":[{"title":"t","color":16711680,"fields":[{"name":"a","value":1,"inline":true}]}],"flags":0}';
    const { answer, stored } = await post(`${versioned}?wait=true`, json, body);
    const message = readJson(answer);
    assert.match(String(message.id), /^\d+$/);
    assert.equal(message.channel_id, '123456789012345678');
    assert.deepEqual(stored.map(summarise), ['error: t']);
  });

  it('that send a picture with their message work', async () => {
    const { contentType, body } = writeForm({
      by: 'the form data of JavaScript servers',
      part: 'files[0]',
      filename: 'shot.png',
      fields: { payload_json: '{"content":"pic","attachments":[{"id":"0","filename":"shot.png"}]}' },
    });
    const { answer, stored } = await post(`${versioned}?wait=true`, { 'Content-Type': contentType }, body);
    assert.equal(readJson(answer).content, 'pic');
    assert.deepEqual(stored.map(summarise), ['info: pic']);
  });

  it('that check their webhook first find it', async () => {
    for (const path of [hook, versioned]) {
      const { id, token, type } = await take(`GET ${path}`);
      assert.deepEqual([id, token, type], ['123456789012345678', book.token, 1]);
    }
  });

  it('that write messages with attachments work', async () => {
    const message = {
      username: 'Server',
      attachments: [
        {
          color: 'danger',
          title: 'Kick',
          text: 'spam',
          fields: [{ title: 'Who', value: 'x', short: true }],
          ts: 1,
        },
        { color: '#00ff00', fallback: 'joined', author_name: 'y', footer: 'z' },
      ],
    };
    for (const path of [`${hook}/slack`, `${versioned}/slack`]) {
      const { answer, stored } = await post(path, json, JSON.stringify(message));
      assert.deepEqual([answer.status, answer.body], [200, 'ok']);
      const [first, second] = stored
        .toSorted((one, other) => one.body.localeCompare(other.body))
        .toReversed();
      assert.deepEqual(
        [first, second].map(entry => summarise(entry!)),
        ['error: Kick\nspam', 'info: joined'],
      );
      assert.deepEqual(first!.metadata, {
        'chat.username': 'Server',
        'embed.color': '#a30200',
        'field.Who': 'x',
      });
    }
  });

  it('that write text and no attachments work', async () => {
    const { stored } = await post(`${hook}/slack`, json, '{"text":"hi","attachments":null}');
    assert.deepEqual(stored.map(summarise), ['info: hi']);
  });

  it('that send their message as a form work', async () => {
    const body = new URLSearchParams({
      payload: '{"text":"hi","blocks":[{"type":"header","text":{"text":"Head"}}]}',
    });
    const { answer, stored } = await post(`${hook}/slack`, { 'Content-Type': form }, body.toString());
    assert.deepEqual([answer.status, answer.body], [200, 'ok']);
    assert.deepEqual(stored.map(summarise), ['info: hi\nHead']);
  });

  it('that request a thread and components work', async () => {
    const body = '{"flags":32768,"components":[{"type":10,"content":"laid out"}]}';
    const { answer, stored } = await post(
      `${versioned}?wait=true&with_components=true&thread_id=1`,
      json,
      body,
    );
    assert.equal(answer.status, 200);
    assert.deepEqual(stored.map(summarise), ['info: laid out']);
  });
});

describe('scripts', () => {
  const rows: readonly [string, string, string][] = [
    ['a custom form', form, 'content=hi%20there&username=bot&tts=false'],
    ['a payload in a form', form, 'payload_json=%7B%22content%22%3A%22hi+there%22%7D'],
    ['JSON declared as a form', form, '{"content":"hi there"}'],
    ['JSON declared as text', 'text/plain;charset=UTF-8', '{"content":"hi there"}'],
    ['JSON without a type', '', '{"content":"hi there"}'],
  ];
  for (const [name, type, body] of rows) {
    it(`send ${name}`, async () => {
      for (const path of [hook, '/api/v3/logs/chat']) {
        const { answer, stored } = await post(
          path,
          { 'Content-Type': type, Authorization: book.token },
          body,
        );
        assert.equal(answer.status, path === hook ? 204 : 200);
        assert.deepEqual(stored.map(summarise), ['info: hi there']);
      }
    });
  }

  it('get a pointer to the picture route when they send only a picture with a logs token', async () => {
    const { contentType, body } = writeForm({ part: 'files[]', filename: 'shot.png' });
    const { answer, stored } = await post(hook, { 'Content-Type': contentType }, body);
    assert.deepEqual(readJson(answer).attachments, []);
    assert.deepEqual(stored.map(summarise), ['info: shot.png']);
    assert.match(stored[0]!.metadata['attachments.0.refused'] ?? '', /webhook/);
  });

  it('get an error when they send more than can be ignored', async () => {
    const { contentType, body } = writeForm({
      part: 'files[0]',
      filename: 'movie.mp4',
      fields: { content: 'look' },
    });
    const end = body.lastIndexOf('\r\n--');
    for (const [mebibytes, status] of [
      [20, 200],
      [70, 413],
    ] as const) {
      const padding = Buffer.alloc(mebibytes * 1024 * 1024);
      const long = Buffer.concat([body.subarray(0, end), padding, body.subarray(end)]);
      const { answer } = await post(hook, { 'Content-Type': contentType }, long);
      assert.equal(answer.status, status);
    }
  });

  it('get an error when they send a truncated form', async () => {
    const { contentType, body } = writeForm({
      part: 'files[0]',
      filename: 'shot.png',
      fields: { content: 'x' },
    });
    const { answer } = await post(hook, { 'Content-Type': contentType }, body.subarray(0, 150));
    assert.equal(answer.status, 400);
  });

  it('a resource configured with /v3/logs/discord logs there', async () => {
    const body = '{"username":"bot","embeds":[{"title":"t","color":"16711680"}]}';
    const { answer, stored } = await post(
      '/api/v3/logs/discord',
      { ...json, Authorization: book.token },
      body,
    );
    assert.equal(readJson(answer).status, 'ok');
    assert.deepEqual(stored.map(summarise), ['error: t']);
  });

  it('accepts a base URL that ends in a slash', async () => {
    const { answer } = await post(`/api/${hook.slice('/api'.length)}/`, json, '{"content":"hi"}');
    assert.equal(answer.status, 204);
  });
});
