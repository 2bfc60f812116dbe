/** Extreme values in other protocols: infinite times, broken texts, names that programs trip over. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { snappyCompress } from 'hysnappy';
import { nowNanos, openSender, type Sent } from '../support/protocolBodies.ts';
import { startTestService } from '../support/service.ts';
import { openLogBook } from '../support/storedEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, read, newDataset } = await openLogBook(service);
const send = openSender(service, token);
const { LengthDelimited, Bit64 } = WireType;

/** A request, its status, and the values stored. */
type Row = [title: string, sent: Sent, status: number, bodies: string[], metadata?: Record<string, string>];

const json = 'application/json';
const loki = (body: string | Uint8Array): Sent => ({ path: '/loki/api/v1/push', body });
const lokiLine = (time: string, text = '"x"', metadata = '{}') =>
  loki(`{"streams":[{"stream":{},"values":[[${time},${text},${metadata}]]}]}`);
const otlp = (record: string): Sent => ({
  path: '/v1/logs',
  body: `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${record}]}]}]}`,
});
const bulk = (document: string): Sent => ({
  path: '/_bulk',
  type: 'application/x-ndjson',
  body: `{"create":{}}\n${document}\n`,
});
const datadog = (body: string): Sent => ({ path: '/api/v2/logs', body });
const splunk = (body: string): Sent => ({ path: '/services/collector', body });
const lines = (body: string | Uint8Array): Sent => ({ path: '/api/v3/logs/lines', type: 'text/plain', body });

/** Writes a record with this body and time. */
function writeRecord(text: Uint8Array, nanos: bigint): Uint8Array {
  const writer = new BinaryWriter().tag(1, LengthDelimited).fork().tag(2, LengthDelimited).fork();
  writer.tag(2, LengthDelimited).fork().tag(1, Bit64).fixed64(nanos);
  writer.tag(5, LengthDelimited).fork().tag(1, LengthDelimited).bytes(text).join();
  return writer.join().join().join().finish();
}

const otlpBytes = (text: Uint8Array, nanos: bigint): Sent => ({
  path: '/v1/logs',
  type: 'application/x-protobuf',
  body: writeRecord(text, nanos),
});

const times: Row[] = [
  ['Loki: nanoseconds beyond 64 bits', lokiLine(`"${'9'.repeat(20)}"`), 400, []],
  ['Loki: more digits than that', lokiLine(`"${'9'.repeat(300)}"`), 400, []],
  ['Loki: nanoseconds before 1970', lokiLine('"-1763884800123456789"'), 400, []],
  ['Loki: the year 10000', lokiLine('"253402300800000000000"'), 400, []],
  ['Loki: a number', lokiLine(nowNanos), 400, []],
  ['Loki: not a number', lokiLine('1e400'), 400, []],
  ['Loki: a word', lokiLine('"now"'), 400, []],
  ['OTLP: nanoseconds beyond 64 bits', otlp(`{"timeUnixNano":"${'9'.repeat(20)}"}`), 200, []],
  ['OTLP: not a number', otlp('{"timeUnixNano":1e400}'), 400, []],
  ['OTLP: before 1970', otlp('{"timeUnixNano":"-5000000"}'), 200, []],
  ['OTLP: the largest of 64 bits', otlpBytes(Buffer.from('x'), 2n ** 64n - 1n), 200, []],
  ['bulk: the year 10000', bulk('{"@timestamp":"10000-01-01T00:00:00Z","message":"x"}'), 200, ['x']],
  ['bulk: a day as far ahead', bulk('{"@timestamp":"9999-01-01T00:00:00Z","message":"x"}'), 200, []],
  [
    'Datadog: not a number',
    datadog('{"timestamp":1e400,"message":"x"}'),
    202,
    ['x'],
    { timestamp: 'Infinity' },
  ],
  ['Datadog: before 1970', datadog('{"timestamp":-5,"message":"x"}'), 202, ['x'], { timestamp: '-5' }],
  ['Splunk: not a number', splunk('{"time":1e400,"event":"x"}'), 200, ['x'], { time: 'Infinity' }],
  ['Splunk: the far future', splunk('{"time":99999999999,"event":"x"}'), 400, []],
  ['lines: a word', lines('{"time":"tomorrow","msg":"x"}'), 200, ['x'], { time: 'tomorrow' }],
  ['lines: the far future', lines('{"time":99999999999999,"msg":"x"}'), 400, []],
];

const brokenUtf8 = Buffer.from([0x22, 0xff, 0xed, 0xa0, 0x80, 0x22]);
const names = '"__proto__":{"a":1},"constructor":"c","toString":"t"';
const kept = { '__proto__.a': '1', constructor: 'c', toString: 't' };
const texts: Row[] = [
  ['Loki: a lone surrogate', lokiLine(`"${nowNanos}"`, '"\\ud800"'), 400, []],
  ['bulk: a lone surrogate', bulk('{"message":"\\udc00"}'), 200, []],
  ['Splunk: a lone surrogate as a name', splunk('{"event":"x","fields":{"\\ud800":1}}'), 400, []],
  ['lines: invalid UTF-8', lines(brokenUtf8), 200, ['"\ufffd\ufffd\ufffd\ufffd"']],
  [
    'Datadog: invalid UTF-8',
    { ...datadog(''), body: Buffer.concat([Buffer.from('{"message":'), brokenUtf8, Buffer.from('}')]) },
    400,
    [],
  ],
  ['OTLP: invalid UTF-8 in protobuf', otlpBytes(Buffer.from([0x61, 0xff]), 0n), 200, ['a\ufffd']],
  ['lines: a zero byte', lines('a\0b'), 200, ['a\0b']],
  ['Splunk: NUL as a name', splunk('{"event":"x","\\u0000":"y"}'), 200, ['x'], { '\0': 'y' }],
  ['Loki: names of JavaScript members', lokiLine(`"${nowNanos}"`, '"x"', `{${names}}`), 204, ['x'], kept],
  [
    'OTLP: names of JavaScript members',
    otlp('{"attributes":[{"key":"__proto__","value":{"stringValue":"p"}}],"body":{"stringValue":"x"}}'),
    200,
    ['x'],
    JSON.parse('{"__proto__":"p"}'),
  ],
  ['bulk: names of JavaScript members', bulk(`{"message":"x",${names}}`), 200, ['x'], kept],
  ['Datadog: names of JavaScript members', datadog(`{"message":"x",${names}}`), 202, ['x'], kept],
  ['Splunk: names of JavaScript members', splunk(`{"event":"x",${names}}`), 200, ['x'], kept],
  [
    'lines: names of JavaScript members',
    { ...lines(`{"x":"y",${names}}`), path: '/api/v3/logs/lines?messageField=__proto__,toString' },
    200,
    ['t'],
    { x: 'y', '__proto__.a': '1', constructor: 'c' },
  ],
  ['lines: an empty name', lines('{"":"y","msg":"x"}'), 200, ['x'], { '': 'y' }],
];

const brackets = '['.repeat(100_000);
const closed = brackets + ']'.repeat(100_000);
const deepOtlp = `${'{"arrayValue":{"values":['.repeat(20_000)}{}${']}}'.repeat(20_000)}`;
const depths: Row[] = [
  ...[loki, otlp, datadog, splunk].map(
    (make, index): Row => [`brackets that open, ${index}`, make(brackets), 400, []],
  ),
  ['bulk: a document of brackets', bulk(brackets), 200, []],
  ['lines: brackets', lines(brackets), 400, []],
  ['Loki: a value of brackets', lokiLine(`"${nowNanos}"`, '"x"', `{"a":${closed}}`), 400, []],
  ['OTLP: a body of lists', otlp(`{"body":${deepOtlp}}`), 400, []],
  ['OTLP: a body of brackets', otlp(`{"body":${closed}}`), 200, []],
  ['OTLP: a time of brackets', otlp(`{"timeUnixNano":${closed}}`), 400, []],
  ['bulk: a message of brackets', bulk(`{"message":${closed}}`), 200, []],
  ['bulk: a name of brackets', bulk(`{"a":${closed}}`), 200, []],
  ['Datadog: a message of brackets', datadog(`{"message":${closed}}`), 400, []],
  [
    'Datadog: a message of brackets as text',
    datadog(`{"message":"{\\"a\\":${closed.slice(50_000, -50_000)}}"}`),
    400,
    [],
  ],
  ['Splunk: an event of brackets', splunk(`{"event":{"a":${closed}}}`), 400, []],
  ['lines: a message of brackets', lines(`{"msg":${closed}}`), 400, []],
];

for (const [name, rows] of Object.entries({ times, texts, depths })) {
  describe(name, () => {
    for (const [title, sent, status, bodies, metadata] of rows) {
      it(`${title}: ${status}`, async () => {
        const dataset = newDataset();
        const path = `${sent.path}${sent.path.includes('?') ? '&' : '?'}dataset=${dataset}`;
        const answer = await send({ type: json, ...sent, path });
        assert.equal(answer.status, status, (await answer.text()).slice(0, 300));
        const entries = await read(dataset);
        assert.deepEqual(
          entries.map(({ body }) => body),
          bodies,
        );
        if (metadata !== undefined) assert.deepEqual(entries[0]?.metadata, metadata);
      });
    }
  });
}

it('Snappy around invalid protobuf', async () => {
  const type = 'application/x-protobuf';
  const answer = await send({ ...loki(snappyCompress(Buffer.from(closed))), type });
  assert.deepEqual(
    [answer.status, await answer.text()],
    [400, 'The body must be a valid Protocol Buffers message.\n'],
  );
});

it('a Loki push with Content-Encoding: snappy', async () => {
  const dataset = newDataset();
  const writer = new BinaryWriter().tag(1, LengthDelimited).fork();
  writer.tag(1, LengthDelimited).string(`{dataset="${dataset}"}`).tag(2, LengthDelimited).fork();
  writer
    .tag(1, LengthDelimited)
    .fork()
    .tag(1, WireType.Varint)
    .int64(Math.floor(Date.now() / 1000))
    .join();
  const push = writer.tag(2, LengthDelimited).string('packed').join().join().finish();
  const headers = { authorization: `Bearer ${token}`, 'content-encoding': 'snappy' };
  const type = 'application/x-protobuf';
  const answer = await send({ ...loki(snappyCompress(push)), type, headers });
  assert.deepEqual([answer.status, await answer.text()], [204, '']);
  assert.deepEqual(
    (await read(dataset)).map(({ body }) => body),
    ['packed'],
  );
  const refused = await send({ ...loki('{"streams":[]}'), headers });
  assert.equal(refused.status, 415);
});
