/** Tests OpenTelemetry's requests in both encodings, and the answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { json, millis, nanos, testEntries, testRefusals, wording } from '../../tests/reading.ts';
import { readOtlp, writeOtlpError, writeOtlpResponse } from './reader.ts';

testEntries([
  [
    'OTLP: JSON with values of all kinds, and attributes of the same name',
    () =>
      readOtlp(
        json({
          resourceLogs: [
            {
              resource: {
                attributes: [
                  { key: 'service.name', value: { stringValue: 'lobby' } },
                  { key: 'same', value: { stringValue: 'outer' } },
                ],
              },
              scopeLogs: [
                {
                  scope: {
                    name: 'lib',
                    version: '1.2',
                    attributes: [{ key: 'same', value: { intValue: '7' } }],
                  },
                  logRecords: [
                    {
                      timeUnixNano: nanos,
                      severityNumber: 'SEVERITY_NUMBER_WARN2',
                      severityText: 'Warn',
                      traceId: 'ab'.repeat(16),
                      body: { stringValue: 'hello' },
                      attributes: [
                        { key: 'same', value: { boolValue: true } },
                        {
                          key: 'list',
                          value: { arrayValue: { values: [{ intValue: 1 }, { doubleValue: 1.5 }] } },
                        },
                        { key: 'map', value: { kvlistValue: { values: [{ key: 'a', value: {} }] } } },
                      ],
                    },
                    {
                      observed_time_unix_nano: nanos,
                      severityText: 'FATAL',
                      body: { kvlistValue: { values: [] } },
                    },
                  ],
                },
              ],
            },
          ],
        }),
        'json',
        wording,
      ),
    [
      {
        level: 'warn',
        message: 'hello',
        resource: 'lobby',
        timestamp: millis,
        metadata: {
          same: true,
          list: [1, 1.5],
          map: { a: '' },
          'scope.same': 7,
          'resource.same': 'outer',
          trace_id: 'ab'.repeat(16),
          severityText: 'Warn',
          'scope.name': 'lib',
          'scope.version': '1.2',
        },
      },
      {
        level: 'error',
        message: '{}',
        resource: 'lobby',
        timestamp: millis,
        metadata: {
          same: 7,
          'resource.same': 'outer',
          severityText: 'FATAL',
          'scope.name': 'lib',
          'scope.version': '1.2',
        },
      },
    ],
  ],
  [
    'OTLP: protobuf',
    () => readOtlp(Buffer.from(writeOtlpRequest()), 'protobuf', wording),
    [
      {
        level: 'error',
        message: 'boom',
        resource: 'lobby',
        timestamp: millis,
        metadata: { big: '-9007199254740993', raw: 'AQI=', span_id: '0102', 'scope.name': 'lib' },
      },
    ],
  ],
]);

testRefusals([
  [
    'a message longer than its bytes',
    () => readOtlp(Buffer.from([10, 200, 1]), 'protobuf', wording),
    /Protocol Buffers/,
  ],
  ['OTLP that is not an object', () => readOtlp(json([]), 'json', wording), /resourceLogs/],
]);

test('writes OTLP responses in the encoding of the request', () => {
  assert.equal(writeOtlpResponse('json', null).toString(), '{}');
  assert.deepEqual(JSON.parse(writeOtlpResponse('json', { count: 2, sentence: 'no' }).toString()), {
    partialSuccess: { rejectedLogRecords: '2', errorMessage: 'no' },
  });
  assert.equal(writeOtlpResponse('protobuf', null).length, 0);
  assert.equal(
    writeOtlpResponse('protobuf', { count: 2, sentence: 'no' }).toString('hex'),
    '0a06080212026e6f',
  );
  assert.equal(writeOtlpError('protobuf', { code: 3, message: 'no' }).toString('hex'), '080312026e6f');
});

function writeOtlpRequest(): Uint8Array {
  const writer = new BinaryWriter();
  const pair = (field: number, key: string, value: () => void) => {
    writer.tag(field, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(key).tag(2, WireType.LengthDelimited).fork();
    value();
    writer.join().join();
  };
  writer.tag(1, WireType.LengthDelimited).fork();
  writer.tag(2, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).string('lib').join();
  writer.tag(2, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.Bit64).fixed64(nanos).tag(2, WireType.Varint).int32(17);
  writer.tag(5, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).string('boom').join();
  pair(6, 'big', () => writer.tag(3, WireType.Varint).int64('-9007199254740993'));
  pair(6, 'raw', () => writer.tag(7, WireType.LengthDelimited).bytes(Uint8Array.of(1, 2)));
  writer.tag(10, WireType.LengthDelimited).bytes(Uint8Array.of(1, 2));
  writer.join().join();
  // The resource may follow its records.
  writer.tag(1, WireType.LengthDelimited).fork();
  pair(1, 'service.name', () => writer.tag(1, WireType.LengthDelimited).string('lobby'));
  writer.join().join();
  return writer.finish();
}
