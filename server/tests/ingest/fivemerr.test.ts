/** Fivemerr clients find its paths at the root: pictures as scripts upload them, and logs beside OpenTelemetry's. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { smallPng, smallWav } from '@tapedeck/media-facts/samples';
import sharp from 'sharp';
import { addPerson, addToken } from '../support/people.ts';
import { otlpBody } from '../support/protocolBodies.ts';
import { startTestService } from '../support/service.ts';
import { openLogBook } from '../support/storedEntries.ts';
import {
  composeForm,
  listTraces,
  makeSound,
  mediaEnvironment,
  mediaToken,
  pathOf,
  readRecord,
} from '../support/uploading.ts';

const service = await startTestService({
  environment: { ...mediaEnvironment, TAPEDECK_FILE_SIZE_MAX: '256KiB' },
});
after(() => service[Symbol.asyncDispose]());
const book = await openLogBook(service);
const owner = await addPerson(service, { isOwner: true });
const images = '/v1/media/images';
const authorization = mediaToken;
const [log, webhook, other] = [
  book.token,
  (await addToken(owner, { kind: 'webhook' })).token,
  (await addToken(owner, { kind: 'media', scopes: ['write', 'type:video'] })).token,
];

type Body = FormData | URLSearchParams | Uint8Array | string;

function upload(
  body: Body,
  { path = images, headers = {} }: { path?: string; headers?: Record<string, string> } = {},
) {
  return service.fetch(path, { method: 'POST', headers: { authorization, ...headers }, body });
}

/** Checks that the response's URL returns what was sent. */
async function checkKept(response: Response, sent: Uint8Array): Promise<{ id: string; url: string }> {
  const answer = (await response.json()) as { id: string; url: string }; // the assertions below check this
  assert.equal(response.status, 200, JSON.stringify(answer));
  assert.deepEqual(Object.keys(answer).toSorted(), ['id', 'url']);
  const opened = await service.fetch(pathOf(answer.url));
  assert.deepEqual(Buffer.from(await opened.arrayBuffer()), Buffer.from(sent));
  return answer;
}

describe('an in-game screenshot', () => {
  const page = 'https://cfx-nui-screenshot-basic';
  const picture = sharp({ create: { width: 64, height: 36, channels: 3, background: '#204080' } });
  const encodings = { jpg: 'jpeg', png: 'png', webp: 'webp' } as const;
  for (const [encoding, format] of Object.entries(encodings)) {
    it(`as ${encoding} from an in-game page, which sends a preflight`, async () => {
      const preflight = await service.fetch(images, {
        method: 'OPTIONS',
        headers: {
          origin: page,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization',
        },
      });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
      assert.equal(preflight.headers.get('access-control-allow-headers'), 'authorization');
      const bytes = await picture.toFormat(format).toBuffer();
      const form = new FormData();
      form.append(
        'file',
        new Blob([new Uint8Array(bytes)], { type: `image/${format}` }),
        `screenshot.${encoding}`,
      );
      const response = await upload(form, { headers: { origin: page } });
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
      const { id } = await checkKept(response, bytes);
      assert.equal((await readRecord(service, id)).filename, `screenshot.${encoding}`);
    });

    it(`as ${encoding} to a webhook, whose response contains its URL`, async () => {
      const { token } = await addToken(owner, { kind: 'webhook' });
      const bytes = await picture.toFormat(format).toBuffer();
      const form = new FormData();
      form.append(
        'files[]',
        new Blob([new Uint8Array(bytes)], { type: `image/${format}` }),
        `screenshot.${encoding}`,
      );
      const init = { method: 'POST', headers: { origin: page }, body: form };
      const response = await service.fetch(`/api/webhooks/1/${token}`, init);
      assert.deepEqual([response.status, response.headers.get('access-control-allow-origin')], [200, '*']);
      const { attachments } = JSON.parse(await response.text());
      const opened = await service.fetch(pathOf(attachments[0].proxy_url));
      assert.equal(opened.headers.get('content-type'), `image/${format}`);
      assert.deepEqual(Buffer.from(await opened.arrayBuffer()), bytes);
    });
  }
});

describe('an upload', () => {
  const dataUrl = `data:image/png;base64,${smallPng.toString('base64')}`;
  const json = { 'content-type': 'application/json' };
  const rows: readonly [string, Body, Record<string, string>?][] = [
    ['in the part data', composeForm([['data', { bytes: smallPng, filename: 'a.png' }]])],
    ['in a part of its type', composeForm([['image', { bytes: smallPng, filename: 'a.png' }]])],
    ['as a data URL in JSON', JSON.stringify({ file: dataUrl }), json],
    ['as the game server sends it', JSON.stringify({ data: dataUrl }), json],
    ['as a data URL in a form', new URLSearchParams({ file: dataUrl })],
    [
      'as base64 in a form, after another field',
      new URLSearchParams({ a: 'b', data: smallPng.toString('base64') }),
    ],
    ['as a bare data URL', dataUrl, { 'content-type': 'text/plain' }],
  ];
  for (const [name, body, headers = {}] of rows) {
    it(name, async () => {
      await checkKept(await upload(body, { headers }), smallPng);
    });
  }

  it('of a sound, with the token in the query', async () => {
    const sound = makeSound();
    const form = composeForm([['file', { bytes: sound, filename: 'a.wav' }]]);
    await checkKept(
      await service.fetch(`/v1/media/audios?apiKey=${mediaToken}`, { method: 'POST', body: form }),
      sound,
    );
  });

  const wav = composeForm([['file', { bytes: smallWav, filename: 'a.wav' }]]);
  const png = () => composeForm([['file', { bytes: smallPng, filename: 'a.png' }]]);
  const large = composeForm([['file', { bytes: makeSound({ seconds: 60 }), filename: 'a.wav' }]]);
  const refusals: readonly [string, () => Promise<Response>, string][] = [
    ['of another type than the path', () => upload(wav), '415 unsupported_media'],
    [
      'of a text',
      () => upload(JSON.stringify({ file: btoa('a text') }), { headers: json }),
      '415 unsupported_media',
    ],
    ['that is too large', () => upload(large, { path: '/v1/media/audios' }), '413 file_too_large'],
    ['without a file', () => upload(new URLSearchParams({ a: 'b' })), '400 file_missing'],
    ['that is not base64', () => upload(new URLSearchParams({ file: 'é?' })), '400 base64_invalid'],
    ['as invalid JSON', () => upload('{"file":', { headers: json }), '400 invalid_json'],
    [
      'of a form without its boundary',
      () => upload('x', { headers: { 'content-type': 'multipart/form-data' } }),
      '400 multipart_broken',
    ],
    [
      'as something else',
      () => upload('x', { headers: { 'content-type': 'text/csv' } }),
      '415 unsupported_content_type',
    ],
    ['without a token', () => upload(png(), { headers: { authorization: '' } }), '401 token_missing'],
    [
      'with an unknown token',
      () => upload(png(), { headers: { authorization: 'x'.repeat(32) } }),
      '401 token_unknown',
    ],
    ['with a logs token', () => upload(png(), { headers: { authorization: log } }), '403 wrong_token_kind'],
    [
      'with a webhook token',
      () => upload(png(), { headers: { authorization: webhook } }),
      '403 wrong_token_kind',
    ],
    [
      'with a token for videos',
      () => upload(png(), { headers: { authorization: other } }),
      '403 scope_missing',
    ],
  ];
  for (const [name, send, refusal] of refusals) {
    it(`${name} is rejected, and leaves nothing behind`, async () => {
      const before = await listTraces(service);
      const response = await send();
      const { success, message, error, code } = JSON.parse(await response.text());
      assert.equal(`${response.status} ${code}`, refusal);
      assert.deepEqual([success, message], [false, error]);
      assert.deepEqual(await listTraces(service), before);
    });
  }
});

describe('logs', () => {
  const headers = { authorization: book.token, 'content-type': 'application/json' };
  const send = async (body: unknown, path = '/v1/logs') => {
    const dataset = book.newDataset();
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await service.fetch(`${path}?dataset=${dataset}`, {
      method: 'POST',
      headers,
      body: text,
    });
    return {
      status: response.status,
      answer: JSON.parse(await response.text()),
      stored: await book.read(dataset),
    };
  };
  const show = ({ stored }: Awaited<ReturnType<typeof send>>) =>
    stored.map(
      ({ level, resource, body, metadata }) => `${level} ${resource}: ${body} ${JSON.stringify(metadata)}`,
    );

  const rows: readonly [string, unknown, string[]][] = [
    [
      'as documented',
      {
        level: 'fatal',
        message: 'down',
        resource: 'core',
        metadata: { server: 'Primary', player: { id: 7 } },
      },
      ['error core: down {"server":"Primary","player.id":"7"}'],
    ],
    ['with a custom level', { level: 'ban', message: 'm', metadata: [] }, ['info : m {"level":"ban"}']],
    [
      'in a list',
      [
        { level: 'warn', message: 'a' },
        { level: 'debug', message: 'b' },
      ],
      ['warn : a {}', 'debug : b {}'],
    ],
    [
      'with unknown fields',
      { message: 'm', source: 3, metadata: { source: 4 } },
      ['info : m {"source":"4","entry.source":"3"}'],
    ],
  ];
  for (const [name, body, entries] of rows) {
    it(name, async () => {
      const sent = await send(body);
      assert.deepEqual([sent.status, sent.answer], [200, { status: 'ok' }]);
      assert.deepEqual(show(sent).toSorted(), entries.toSorted());
    });
  }

  it('of OpenTelemetry are recognised by the body', async () => {
    const sent = await send(otlpBody);
    assert.deepEqual([sent.status, sent.answer], [200, {}]);
    assert.deepEqual(show(sent), ['error web: boom {}']);
    assert.deepEqual((await send('{}')).answer, {});
  });

  const refusals: readonly [string, unknown, RegExp][] = [
    ['without a message', { level: 'info' }, /Entry 0: must be an object with a message/],
    ['with one invalid entry', [{ message: 'a' }, 7], /Entry 1: must be an object/],
    ['with a message that is too long', { message: 'x'.repeat(64 * 1024 + 1) }, /message/],
    ['malformed after a valid beginning', '{"message":"a"', /valid JSON/],
  ];
  for (const [name, body, says] of refusals) {
    it(`${name} are rejected, and nothing is stored`, async () => {
      const { status, answer, stored } = await send(body);
      assert.equal(status, 400);
      assert.equal(answer.success, false);
      assert.match(answer.message, says);
      assert.equal(answer.error, answer.message);
      assert.deepEqual(stored, []);
    });
  }

  it('with a wrong token are rejected before the body identifies the protocol', async () => {
    const init = {
      method: 'POST',
      headers: { ...headers, authorization: mediaToken },
      body: '{"message":"a"}',
    };
    const response = await service.fetch('/v1/logs', init);
    assert.equal(response.status, 403);
    assert.match(JSON.parse(await response.text()).message, /kind media/);
  });
});
