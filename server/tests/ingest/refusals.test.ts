/** The doors of other programs' protocols over HTTP: how each says that something is wrong, and what clients ask before they send. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { addPerson, addToken } from '../support/people.ts';
import { nowNanos, openSender, otlpBody, type Sent } from '../support/protocolBodies.ts';
import { startTestService } from '../support/service.ts';
import { openLogBook } from '../support/storedEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, read, newDataset } = await openLogBook(service);
const owner = await addPerson(service, { isOwner: true });
const narrow = await addToken(owner, { kind: 'logs', scopes: ['write', 'dataset:shown'] });
const media = await addToken(owner, { kind: 'media' });

const send = openSender(service, token);

const refusals: [title: string, sent: Sent, status: number, says: RegExp][] = [
  [
    'Loki without a token',
    { path: '/loki/api/v1/push', body: '{}', headers: {} },
    ...([401, /^Send an API token in the Authorization header\.\n$/] as const),
  ],
  ['Loki with a body of another kind', { path: '/loki/api/v1/push', body: '[]' }, 400, /list of streams/],
  [
    'Loki with a time in the far future',
    { path: '/loki/api/v1/push', body: `{"streams":[{"stream":{},"values":[["9${nowNanos}","x"]]}]}` },
    ...([400, /Entry 0: timestamp is more than a day ahead/] as const),
  ],
  [
    'OTLP with a token for media',
    { path: '/v1/logs', body: otlpBody, headers: { authorization: media.token } },
    ...([403, /^\{"code":7,"message":"This is a token of the kind media/] as const),
  ],
  [
    'OTLP that is no JSON',
    { path: '/v1/logs', body: '{' },
    400,
    /^\{"code":3,"message":"The body must be valid JSON\."\}$/,
  ],
  [
    'bulk to a dataset that the token is not for',
    {
      path: '/_bulk',
      body: '{"create":{"_index":"other"}}\n{"message":"a"}\n',
      headers: { authorization: narrow.token },
    },
    ...([200, /"reason":"The token is not for the dataset other\."/] as const),
  ],
  [
    'bulk without actions',
    { path: '/_bulk', body: '{"message":"a"}\n' },
    400,
    /"type":"illegal_argument_exception"/,
  ],
  [
    'Datadog with a wrong token',
    { path: '/v1/input', body: '{}', headers: { 'dd-api-key': 'no' } },
    401,
    /^\{"errors":\[/,
  ],
  [
    'Splunk with a wrong token',
    { path: '/services/collector', body: '{}', headers: { authorization: 'Splunk no' } },
    ...([403, /"code":4/] as const),
  ],
  ['Splunk without a token', { path: '/services/collector', body: '{}', headers: {} }, 401, /"code":2/],
  ['Splunk without data', { path: '/services/collector', body: '' }, 400, /"No data","code":5/],
  ['Splunk with broken events', { path: '/services/collector', body: '{"event":' }, 400, /"code":6/],
  [
    'GELF without a token',
    { path: '/gelf', body: '{}', headers: {} },
    401,
    /^\{"error":"Send an API token[^"]+","code":"token_missing"\}$/,
  ],
  [
    'GELF without a message',
    { path: '/gelf', body: '{"host":"h"}' },
    400,
    /"Message 0 must have a short_message\.","code":"bad_request","field":"short_message","index":0\}$/,
  ],
  ['GELF that is no JSON', { path: '/gelf', body: '{' }, 400, /"code":"invalid_json"/],
  ['GELF that is no object', { path: '/gelf', body: '7' }, 400, /Message 0 must be an object/],
  ['GELF of nothing', { path: '/gelf', body: '' }, 400, /send an object/],
  [
    'GELF that is cut off',
    { path: '/gelf', body: gzipSync('{"short_message":"s"}').subarray(0, 20) },
    400,
    /The body is not what/,
  ],
  [
    'lines of which one is broken',
    { path: '/api/v3/logs/lines', body: 'a\n{"b":' },
    400,
    /"error":"Line 1 begins like/,
  ],
];

describe('doors refuse in the words of their protocol', () => {
  for (const [title, sent, status, says] of refusals) {
    it(title, async () => {
      const response = await send(sent);
      assert.match(await response.text(), says);
      assert.equal(response.status, status);
    });
  }

  it('OTLP tells how many records were refused, and stores the others', async () => {
    const dataset = newDataset();
    const logRecords = [{ body: { stringValue: 'kept' } }, { timeUnixNano: `9${nowNanos}` }];
    const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
    const response = await send({ path: `/otlp/v1/logs?dataset=${dataset}`, body });
    assert.deepEqual(await response.json(), {
      partialSuccess: {
        rejectedLogRecords: '1',
        errorMessage: 'Entry 1: timestamp is more than a day ahead.',
      },
    });
    assert.deepEqual(
      (await read(dataset)).map(entry => entry.body),
      ['kept'],
    );
  });
});

describe('what clients ask before they send', () => {
  const questions: [path: string, says: RegExp][] = [
    ['/ready', /^ready\n$/],
    ['/loki/api/v1/status/buildinfo', /"version":/],
    ['/elasticsearch', /"tagline":"You Know, for Search"/],
    ['/_license', /"status":"active"/],
    ['/services/collector/health', /"code":17/],
  ];
  for (const [path, says] of questions) {
    it(path, async () => {
      const response = await service.fetch(path);
      assert.equal(response.status, 200);
      assert.match(await response.text(), says);
    });
  }

  it("Loki's version, by a form, too", async () => {
    const response = await service.fetch('/loki/api/v1/status/buildinfo', {
      method: 'POST',
      body: new URLSearchParams({ any: 'thing' }),
    });
    assert.equal(response.status, 200);
    assert.match(await response.text(), /"version":/);
    const empty = await service.fetch('/loki/api/v1/status/buildinfo', { method: 'POST' });
    assert.equal(empty.status, 200);
  });
});
