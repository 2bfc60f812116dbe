/** Tests Loki's push in all three formats. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { snappyCompress } from 'hysnappy';
import { json, millis, nanos, testEntries, testRefusals, wording } from '../../tests/reading.ts';
import { readLokiJson, readLokiProtobuf, readSnappy } from '../index.ts';

testEntries([
  [
    'Loki: labels with a column, structured metadata first, nanoseconds cut to microseconds',
    () =>
      readLokiJson(
        json({
          streams: [
            {
              stream: {
                job: 'game',
                app: 'lobby',
                level: 'odd',
                detected_level: 'WARNING',
                dataset: 'arena',
              },
              values: [
                [nanos, 'first line'],
                [nanos, 'second', { level: 'error', job: 'own', player: '43' }],
              ],
            },
          ],
        }),
        wording,
      ),
    [
      {
        dataset: 'arena',
        level: 'warn',
        message: 'first line',
        resource: 'lobby',
        timestamp: millis,
        metadata: { job: 'game', level: 'odd' },
      },
      {
        dataset: 'arena',
        level: 'error',
        message: 'second',
        resource: 'lobby',
        timestamp: millis,
        metadata: {
          job: 'own',
          player: '43',
          'stream.job': 'game',
          'stream.level': 'odd',
          detected_level: 'WARNING',
        },
      },
    ],
  ],
  [
    'Loki: equal fields of stream and line appear once',
    () =>
      readLokiJson(
        json({
          streams: [
            { stream: { level: 'warn', host: 'a' }, values: [[nanos, 'x', { level: 'warn', host: 'a' }]] },
          ],
        }),
        wording,
      ),
    [{ level: 'warn', message: 'x', timestamp: millis, metadata: { host: 'a' } }],
  ],
  [
    'Loki: labels as Rust writes them, and bytes that Go found to be no UTF-8',
    () =>
      readLokiJson(
        json({
          streams: [
            {
              labels: String.raw`{rust="cafe\u{301} \u{1F980} nul\0 \'", go="\xc3\xa4 \303\244 a\xffb", short="\u{}"}`,
              entries: [{ ts: '2026-01-02T03:04:05Z', line: 'x' }],
            },
          ],
        }),
        wording,
      ),
    [
      {
        message: 'x',
        timestamp: '2026-01-02T03:04:05Z',
        metadata: { rust: "cafe\u0301 \u{1f980} nul\0 '", go: 'ä ä a\ufffdb', short: 'u{}' },
      },
    ],
  ],
  [
    'Loki: the oldest JSON',
    () =>
      readLokiJson(
        json({
          streams: [
            {
              labels: '{job="a \\"b\\" \\u00e4", x=`raw\\n`,}',
              entries: [{ ts: '2026-01-02T03:04:05Z', line: 'old' }],
            },
          ],
        }),
        wording,
      ),
    [{ message: 'old', resource: 'a "b" ä', timestamp: '2026-01-02T03:04:05Z', metadata: { x: 'raw\\n' } }],
  ],
  [
    'Loki: a level under another name',
    () =>
      readLokiJson(
        json({
          streams: [
            {
              stream: { logLevel: 'ERROR' },
              values: [
                [nanos, 'x'],
                [nanos, 'y', { level: 'warn' }],
              ],
            },
            { stream: { lvl: 'odd' }, values: [[nanos, 'z']] },
          ],
        }),
        wording,
      ),
    [
      { level: 'error', message: 'x', timestamp: millis, metadata: { logLevel: 'ERROR' } },
      { level: 'warn', message: 'y', timestamp: millis, metadata: { logLevel: 'ERROR' } },
      { message: 'z', timestamp: millis, metadata: { lvl: 'odd' } },
    ],
  ],
  [
    'Loki: protobuf packed by Snappy',
    () => readLokiProtobuf(readSnappy(snappyCompress(writeLokiPush()), 1_000_000), wording),
    [
      {
        level: 'debug',
        message: 'hello',
        resource: 'shop',
        timestamp: millis,
        metadata: { host: 'a', trace: 'abc' },
      },
    ],
  ],
]);

testRefusals([
  ['no object', () => readLokiJson(json([]), wording), /list of streams/],
  [
    'a line without time',
    () => readLokiJson(json({ streams: [{ values: [['x', 'y']] }] }), wording),
    /Stream 0 .* nanoseconds/,
  ],
  [
    'labels cut off',
    () => readLokiJson(json({ streams: [{ labels: '{a="b', entries: [] }] }), wording),
    /written like \{job="game"\}/,
  ],
  [
    'Snappy that declares gigabytes',
    () => readSnappy(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0]), 1000),
    /at most 1000 bytes/,
  ],
  ['no Snappy', () => readSnappy(Buffer.from('{"streams":[]}'), 1000), /Snappy/],
  ['no protobuf', () => readLokiProtobuf(Buffer.from('hello'), wording), /Protocol Buffers/],
]);

function writeLokiPush(): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).string('{service_name="shop", level="debug", host="a"}');
  writer.tag(2, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.Varint).int64(1763884800).tag(2, WireType.Varint).int32(123456789).join();
  writer.tag(2, WireType.LengthDelimited).string('hello');
  writer.tag(3, WireType.LengthDelimited).fork();
  writer
    .tag(1, WireType.LengthDelimited)
    .string('trace')
    .tag(2, WireType.LengthDelimited)
    .string('abc')
    .join();
  writer.join();
  writer.tag(3, WireType.Varint).uint64(1).join();
  return writer.finish();
}
