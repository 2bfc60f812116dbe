/** The doors of other programs' protocols over HTTP: what they store, and where. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { nowNanos, openSender, otlpBody, type Sent } from '../support/protocolBodies.ts';
import { startTestService } from '../support/service.ts';
import { openLogBook } from '../support/storedEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, read, newDataset } = await openLogBook(service);

const send = openSender(service, token);

type Row = {
  title: string;
  sent(dataset: string): Sent;
  status: number;
  /** The status of the response. */
  body: unknown;
  /** Entries as `level resource: body {metadata}`. */
  entries: string[];
};

const loki = (dataset: string) =>
  JSON.stringify({
    streams: [{ stream: { dataset, app: 'lobby' }, values: [[nowNanos, 'line', { level: 'warn' }]] }],
  });
const rows: Row[] = [
  {
    title: 'Loki, the dataset from its label',
    sent: dataset => ({ path: '/loki/api/v1/push', body: loki(dataset) }),
    ...{ status: 204, body: null, entries: ['warn lobby: line {}'] },
  },
  {
    title: 'Loki, packed by gzip, with a password',
    sent: dataset => ({
      path: '/loki/api/v1/push',
      body: gzipSync(loki(dataset)),
      headers: { authorization: `Basic ${btoa(`anybody:${token}`)}`, 'content-encoding': 'gzip' },
    }),
    ...{ status: 204, body: null, entries: ['warn lobby: line {}'] },
  },
  {
    title: 'OTLP in JSON',
    sent: dataset => ({ path: `/v1/logs?dataset=${dataset}`, body: otlpBody }),
    ...{ status: 200, body: {}, entries: ['error web: boom {}'] },
  },
  {
    title: 'bulk: each document by itself, to its index',
    sent: dataset => ({
      path: `/${dataset}/_bulk`,
      type: 'application/x-ndjson',
      headers: { authorization: `ApiKey ${btoa(`id:${token}`)}` },
      body: '{"create":{"_id":"1"}}\n{"message":"a"}\n{"create":{"_index":"bad name"}}\n{"message":"b"}\n{"delete":{"_id":"2"}}\n',
    }),
    status: 200,
    body: {
      errors: true,
      items: [
        { create: { _index: 'THE DATASET', _id: '1', _version: 1, result: 'created', status: 201 } },
        {
          create: {
            ...{ _index: 'bad name', _id: null, status: 400 },
            error: {
              type: 'document_parsing_exception',
              reason: 'The dataset must be 1 to 64 letters, digits, _, . or -.',
            },
          },
        },
        {
          delete: {
            ...{ _index: 'THE DATASET', _id: '2', status: 400 },
            error: {
              type: 'document_parsing_exception',
              reason: 'Entries cannot be changed, so delete is not supported.',
            },
          },
        },
      ],
    },
    entries: ['info : a {"_id":"1"}'],
  },
  {
    title: 'Datadog with its key',
    sent: dataset => ({
      path: `/api/v2/logs?dataset=${dataset}&ddsource=node`,
      headers: { 'dd-api-key': token },
      body: '[{"message":"m","service":"web","status":"error"}]',
    }),
    ...{ status: 202, body: {}, entries: ['error web: m {"ddsource":"node"}'] },
  },
  {
    title: 'Datadog with the key in the path, as text',
    sent: dataset => ({
      path: `/v1/input/${token}?dataset=${dataset}`,
      type: 'text/plain',
      headers: {},
      body: 'a\nb',
    }),
    ...{ status: 202, body: {}, entries: ['info : a {}', 'info : b {}'] },
  },
  {
    title: 'Splunk, two events to the index that they name',
    sent: dataset => ({
      path: '/services/collector/event',
      headers: { authorization: `Splunk ${token}` },
      body: `{"event":"one","index":"${dataset}","host":"h"}{"event":{"msg":"two","level":"warn"},"index":"${dataset}"}`,
    }),
    ...{
      status: 200,
      body: { text: 'Success', code: 0 },
      entries: ['info : one {"host":"h"}', 'warn : two {}'],
    },
  },
  {
    title: 'Splunk, raw lines',
    sent: dataset => ({
      path: `/services/collector/raw?dataset=${dataset}&host=h`,
      type: 'text/plain',
      body: 'x\n',
    }),
    ...{ status: 200, body: { text: 'Success', code: 0 }, entries: ['info : x {"host":"h"}'] },
  },
  {
    title: 'GELF, packed by zlib, without a content type',
    sent: dataset => ({
      path: `/gelf?dataset=${dataset}&apiKey=${token}`,
      type: '',
      headers: {},
      body: deflateSync('{"version":"1.1","host":"h","short_message":"s","level":4,"_player":"Ann"}'),
    }),
    ...{ status: 202, body: null, entries: ['warn h: s {"host":"h","player":"Ann"}'] },
  },
  {
    title: 'lines with names of their own',
    sent: dataset => ({
      path: `/api/v3/logs/lines?dataset=${dataset}&messageField=what,why`,
      type: 'application/x-ndjson',
      body: '{"why":"w","level":30}\nplain\n',
    }),
    ...{ status: 200, body: { status: 'ok' }, entries: ['info : w {}', 'info : plain {}'] },
  },
];

describe('doors store what they take', () => {
  for (const { title, sent, status, body, entries } of rows) {
    it(title, async () => {
      const dataset = newDataset();
      const response = await send(sent(dataset));
      const text = await response.text();
      assert.equal(response.status, status, text);
      if (body !== null) {
        const { took, ...answer } = JSON.parse(text);
        assert.deepEqual(answer, JSON.parse(JSON.stringify(body).replaceAll('THE DATASET', dataset)));
      }
      const stored = await read(dataset);
      assert.deepEqual(
        stored.map(
          ({ level, resource, body, metadata }) =>
            `${level} ${resource ?? ''}: ${body} ${JSON.stringify(metadata)}`,
        ),
        entries,
      );
    });
  }

  it('entries of one body may go to several datasets', async () => {
    const [first, second] = [newDataset(), newDataset()];
    const body = [first, second, first]
      .map(index => `{"create":{"_index":"${index}"}}\n{"message":"${index}"}\n`)
      .join('');
    const response = await send({ path: '/_bulk', method: 'PUT', body, type: 'application/x-ndjson' });
    assert.equal(response.status, 200);
    const { items } = (await response.json()) as { items: { create: { _id: string } }[] }; // as written above
    assert.equal(
      new Set(items.map(({ create }) => create._id).filter(id => id !== '')).size,
      3,
      'an id each',
    );
    assert.equal((await read(first)).length, 2);
    assert.equal((await read(second)).length, 1);
  });

  it('large bodies are read in the thread, and say the same', async () => {
    const dataset = newDataset();
    const events = Array.from({ length: 2_000 }, (_, index) => ({ event: `event ${index}`, index: dataset }));
    const body = events.map(event => JSON.stringify(event)).join('\n');
    const response = await send({ path: '/services/collector', body });
    assert.equal(response.status, 200, await response.text());
    const broken = await send({ path: '/services/collector', body: `${body}{"event":""}` });
    assert.deepEqual(
      [broken.status, await broken.json()],
      [400, { text: 'Event field cannot be blank', code: 13, 'invalid-event-number': 2000 }],
    );
    assert.deepEqual((await read(dataset)).map(({ body }) => body).slice(0, 2), ['event 0', 'event 1']);
  });
});
