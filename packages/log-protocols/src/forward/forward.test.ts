/** Tests messages of the forward protocol in all four forms. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, testRefusals, wording } from '../../tests/reading.ts';
import { readEvents } from './events.ts';
import { isKnownKey, readForwardMessage, readPing, writeAck, writeHelo, writePong } from './messages.ts';
import { ValueReader, ValueScanner, writeValue } from './msgpack.ts';

const seconds = Buffer.from([0xce, 0x69, 0x22, 0xbf, 0x40]); // 1763884864
const eventTime = Buffer.from([0xd7, 0x00, 0x69, 0x22, 0xbf, 0x40, 0x07, 0x5b, 0xcd, 0x15]); // and 123456789 ns
const record = writeValue({ message: 'm', level: 'warn', player: 'Ann' });
const pair = (time: Buffer) => Buffer.concat([Buffer.from([0x92]), time, record]);
const list = (...items: Buffer[]) => Buffer.concat([Buffer.from([0x90 | items.length]), ...items]);
const options = writeValue({ chunk: 'c1' });
const entry = {
  level: 'warn',
  message: 'm',
  resource: 'game.app',
  metadata: { player: 'Ann', tag: 'game.app' },
};
const millis = 1763884864000;

function readMessage(bytes: Buffer) {
  const scanner = new ValueScanner();
  assert.equal(scanner.findEnd(bytes), bytes.length);
  return readForwardMessage(bytes, scanner.itemEnds);
}

const forms: readonly [title: string, message: Buffer, times: readonly number[], chunk: string | null][] = [
  ['one event', list(writeValue('game.app'), seconds, record), [millis], null],
  [
    'one event with options',
    list(writeValue('game.app'), eventTime, record, options),
    [millis + 123.456],
    'c1',
  ],
  [
    'a list',
    list(writeValue('game.app'), list(pair(seconds), pair(eventTime)), options),
    [millis, millis + 123.456],
    'c1',
  ],
  [
    'packed',
    list(writeValue('game.app'), writeValue(Buffer.concat([pair(seconds), pair(seconds)]))),
    [millis, millis],
    null,
  ],
];
for (const [title, bytes, times, chunk] of forms)
  test(title, () => {
    const message = readMessage(bytes);
    assert.ok(message);
    assert.equal(message.chunk, chunk);
    assert.deepEqual(
      readEvents(message.events, message, wording).map(brief),
      times.map(timestamp => ({ ...entry, timestamp })),
    );
  });

const in64Bits = Buffer.alloc(8);
in64Bits.writeBigUInt64BE((123_456_789n << 34n) | 1_763_884_864n);
const in96Bits = Buffer.concat([Buffer.from([0x07, 0x5b, 0xcd, 0x15, 0, 0, 0, 0]), seconds.subarray(1)]);
const beyondDates = Buffer.concat([Buffer.alloc(4), Buffer.from([0x7f]), Buffer.alloc(7, 0xff)]);
const exact = millis + 123.456;
for (const [title, time, timestamp, metadata] of [
  ["Fluentd's, with its length", [0xc7, 8, 0, ...eventTime.subarray(2)], exact, {}],
  ['32 bits', [0xd6, 0xff, ...seconds.subarray(1)], millis, {}],
  ['64 bits', [0xd7, 0xff, ...in64Bits], exact, {}],
  ['96 bits', [0xc7, 12, 0xff, ...in96Bits], exact, {}],
  ['another length', [0xd4, 0xff, 1], undefined, { timestamp: 'AQ==' }],
  [
    'a time that no date can hold',
    [0xc7, 12, 0xff, ...beyondDates],
    undefined,
    { timestamp: beyondDates.toString('base64') },
  ],
] as const)
  test(`the time of an event as an extension: ${title}`, () => {
    const [only] = readEvents(list(pair(Buffer.from(time))), { tag: '', form: 'list' }, wording);
    const { resource: _, ...expected } = entry;
    const found = { ...expected, metadata: { player: 'Ann', ...metadata } };
    assert.deepEqual(brief(only), timestamp === undefined ? found : { ...found, timestamp });
  });

const about = writeValue({ otlp: { trace_id: 'ab', severity: 'INFO' } });
const told = { otlp: { trace_id: 'ab', severity: 'INFO' } };
const own = { message: 'm', fluent: 'f' };
for (const [title, given, sent, expected] of [
  ['is kept', about, { message: 'm' }, { fluent: told }],
  ['is kept beside a field of the same name', about, own, { fluent: 'f', fluent_metadata: told }],
  ['is omitted when empty', writeValue({}), { message: 'm' }, undefined],
  ['is omitted when it has another type', Buffer.from([0x07]), { message: 'm' }, undefined],
] as const)
  test(`metadata of an event ${title}`, () => {
    const body = list(list(list(eventTime, given), writeValue(sent)));
    const [only] = readEvents(body, { tag: '', form: 'list' }, wording);
    const metadata = expected && { metadata: expected };
    assert.deepEqual(brief(only), { message: 'm', timestamp: millis + 123.456, ...metadata });
  });

test('shows the whole record when it has no message', () => {
  const body = Buffer.concat([seconds, writeValue({ a: 'b' })]);
  const [only] = readEvents(body, { tag: '', form: 'single' }, wording);
  assert.deepEqual(brief(only), { message: '{"a":"b"}', timestamp: millis, metadata: { a: 'b' } });
});

test('cuts what exceeds the limits, and reads times of any kind', () => {
  const read = (...parts: Buffer[]) => {
    const [only] = readEvents(Buffer.concat(parts), { tag: '', form: 'single' }, wording);
    assert.ok(only);
    return only;
  };
  const { message, metadata } = read(
    seconds,
    writeValue({ message: 'm'.repeat(65_535), long: 'v'.repeat(20_000) }),
  );
  assert.deepEqual([message.length, metadata.long], [65_535, 'v'.repeat(16_384)]);
  assert.equal(metadata.truncated, 'metadata.long: 20000 bytes');
  const far = Buffer.from([0xce, 0xff, 0xff, 0xff, 0xff]); // in 2106
  for (const [time, told] of [
    [far, 4_294_967_295],
    [Buffer.from([0xff]), -1],
    [writeValue('soon'), 'soon'],
  ] as const) {
    const entry = read(time, writeValue({ message: 'm' }));
    assert.deepEqual(brief(entry), { message: 'm', metadata: { timestamp: told } });
  }
  for (const none of [0x00, 0xc0])
    assert.deepEqual(brief(read(Buffer.from([none]), writeValue({ message: 'm' }))), { message: 'm' });
  const inner = Buffer.concat([Buffer.from([0x81]), writeValue('at'), Buffer.from([0x91]), eventTime]);
  assert.deepEqual(read(seconds, inner).metadata, { at: ['2025-11-23T08:01:04.123Z'] });
});

test('finds complete values however the bytes are split', () => {
  const [, , [, bytes = Buffer.alloc(0)] = []] = forms;
  const scanner = new ValueScanner();
  for (let length = 0; length < bytes.length; length++)
    assert.equal(scanner.findEnd(bytes.subarray(0, length)), null);
  assert.equal(scanner.findEnd(Buffer.concat([bytes, bytes])), bytes.length);
  const tagEnd = 1 + writeValue('game.app').length;
  assert.deepEqual(scanner.itemEnds, [tagEnd, bytes.length - options.length, bytes.length]);
});

test('keeps the sign, size and fraction of numbers', () => {
  const rows: readonly [bytes: number[], value: unknown][] = [
    [[0x07], 7],
    [[0xff], -1],
    [[0xd1, 0xff, 0x00], -256],
    [[0xcf, 0, 0, 0, 1, 0, 0, 0, 0], 4_294_967_296],
    [[0xcf, 255, 255, 255, 255, 255, 255, 255, 255], '18446744073709551615'],
    [[0xca, 0x3f, 0x80, 0, 0], 1],
    [[0xc0], null],
    [[0xc3], true],
    [[0xc4, 2, 0xff, 0xfe], '//4='],
  ];
  for (const [bytes, value] of rows) assert.deepEqual(new ValueReader(Buffer.from(bytes)).read(), value);
});

test('accepts only the shared key in the handshake', async () => {
  const { createHash } = await import('node:crypto');
  const nonce = Buffer.from('nonce');
  const handshake = { nonce, key: 'the token' };
  const digest = (key: string) => createHash('sha512').update(`saltclient${nonce}${key}`).digest('hex');
  const ping = (key: string) => readPing(writeValue(['PING', 'client', 'salt', digest(key), '', '']));
  assert.ok(isKnownKey(ping('the token'), handshake));
  assert.ok(!isKnownKey(ping('another'), handshake));
  const [word, isGood, , server, answer] = new ValueReader(
    writePong(ping('the token'), handshake, { serverName: 'server', refusal: null }),
  ).read() as unknown[]; // a PONG
  assert.deepEqual([word, isGood, server], ['PONG', true, 'server']);
  assert.equal(answer, createHash('sha512').update(`saltserver${nonce}the token`).digest('hex'));
  assert.deepEqual(new ValueReader(writeAck('c1')).read(), { ack: 'c1' });
  assert.deepEqual(new ValueReader(writeHelo(nonce)).read(), [
    'HELO',
    { nonce: 'nonce', auth: '', keepalive: true },
  ]);
});

test('omits values that are nested too deep, and keeps the rest of the record', () => {
  const deep = Buffer.concat([Buffer.alloc(100_000, 0x91), Buffer.from([0xc0])]);
  const record = Buffer.concat([
    Buffer.from([0x82]),
    writeValue('deep'),
    deep,
    writeValue('message'),
    writeValue('m'),
  ]);
  const [entry] = readEvents(Buffer.concat([seconds, record]), { tag: '', form: 'single' }, wording);
  assert.equal(entry?.message, 'm');
  assert.match(JSON.stringify(entry.metadata), /^{"deep(\.0)+":"\[+\\"…\\"\]+"}$/);
});

testRefusals([
  ['a map instead of a message', () => readMessage(writeValue({ a: 'b' })), /list of a tag/],
  ['a message without events', () => readMessage(list(writeValue('t'))), /list of a tag/],
  [
    'options without an end',
    () =>
      readMessage(
        list(writeValue('t'), writeValue(Buffer.alloc(0)), writeValue({ chunk: 'c'.repeat(20_000) })),
      ),
    /options/,
  ],
  [
    'an unknown compression',
    () => readMessage(list(writeValue('t'), writeValue(Buffer.alloc(0)), writeValue({ compressed: 'lzma' }))),
    /gzip or zstd/,
  ],
  ['no PING', () => readPing(writeValue(['PONG'])), /must be a PING/],
  ['an undefined byte', () => new ValueReader(Buffer.from([0xc1])).read(), /MessagePack/],
  [
    'a list that announces more than it contains',
    () => new ValueReader(Buffer.from([0xdd, 255, 255, 255, 255])).read(),
    /MessagePack/,
  ],
  [
    'events that are not pairs',
    () => readEvents(list(writeValue('x')), { tag: '', form: 'list' }, wording),
    /time and a record/,
  ],
]);
