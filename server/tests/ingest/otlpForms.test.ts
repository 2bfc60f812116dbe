/** OTLP over HTTP in clients' unusual spellings: bodies that are not objects, and ids in capitals. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { queryLogs } from '@tapedeck/contract/logs';
import { readAs } from '../support/jsonAnswers.ts';
import { openLogClient } from '../support/logSender.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const client = await openLogClient(service);

const send = (body: string | Buffer<ArrayBuffer>, type = 'application/json') =>
  service.fetch('/v1/logs', {
    method: 'POST',
    headers: { authorization: `Bearer ${client.token}`, 'content-type': type },
    body,
  });

for (const body of ['[]', '[{"resourceLogs":[]}]', 'null', '"resourceLogs"', '7'])
  test(`rejects a body of ${body}`, async () => assert.equal((await send(body)).status, 400));

test('accepts an object without records', async () => assert.equal((await send('{}')).status, 200));

const ids = { traceId: 'ABCDEF0123456789abcdef0123456789', spanId: 'ABCDEF0123456789' };
const stored = { trace_id: ids.traceId.toLowerCase(), span_id: ids.spanId.toLowerCase() };

function wrap(record: object): string {
  return JSON.stringify({ resourceLogs: [{ resource: {}, scopeLogs: [{ logRecords: [record] }] }] });
}

/** Encodes a request with one record that has only a body and ids. Each `field` has the wire type for bytes. */
function encode(): Buffer<ArrayBuffer> {
  const field = (number: number, content: Buffer) =>
    Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
  const record = Buffer.concat([
    field(5, field(1, Buffer.from('protobuf'))),
    field(9, Buffer.from(ids.traceId, 'hex')),
    field(10, Buffer.from(ids.spanId, 'hex')),
  ]);
  return Buffer.from(field(1, field(2, field(2, record))));
}

const record = (message: string) => ({ timeUnixNano: '0', body: { stringValue: message }, ...ids });
const forms: [string, () => Promise<Response>][] = [
  ['plain', () => send(wrap(record('plain')))],
  ['unusual', () => send(wrap({ odd: [{}], ...record('unusual') }))],
  [
    'snaked',
    () =>
      send(
        wrap({
          ...record('snaked'),
          traceId: undefined,
          spanId: undefined,
          trace_id: ids.traceId,
          span_id: ids.spanId,
        }),
      ),
  ],
  ['protobuf', () => send(encode(), 'application/x-protobuf')],
];
for (const [name, sendForm] of forms)
  test(`stores upper-case ids in lower case: ${name}`, async () => {
    const sent = await sendForm();
    assert.equal(sent.status, 200, await sent.clone().text());
    const { data } = await readAs(queryLogs.answer, await client.get(`?dataset=*&query=body:${name}`));
    assert.equal(data.length, 1);
    const { trace_id, span_id } = data[0]!.metadata;
    assert.deepEqual({ trace_id, span_id }, stored);
  });
