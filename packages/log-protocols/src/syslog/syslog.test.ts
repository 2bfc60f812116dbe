/** Tests syslog messages and their frames in a stream. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, wording } from '../../tests/reading.ts';
import { packMessages, readDatagram, SyslogFrames, type SyslogMessage } from './frames.ts';
import { readMessage } from './message.ts';
import { syslog } from './protocol.ts';

const now = Date.UTC(2026, 0, 2, 12);
const local = (
  year: number,
  ...rest: [month: number, day: number, hour: number, minute: number, second: number]
) => new Date(year, ...rest).getTime();

const rows: readonly (readonly [message: string, entry: object])[] = [
  [
    '<165>1 2026-01-02T03:04:05.123456Z host app 42 ID7 [a@1 k="v\\"\\]" l="x"][b] \ufeffGrüße',
    {
      message: 'Grüße',
      resource: 'app',
      timestamp: Date.UTC(2026, 0, 2, 3, 4, 5) + 123.456,
      metadata: {
        facility: 'local4',
        host: 'host',
        pid: '42',
        msgid: 'ID7',
        'a@1': { k: 'v"]', l: 'x' },
        b: {},
      },
    },
  ],
  ['<11>1 - - - - - - boom', { level: 'error', message: 'boom', metadata: { facility: 'user' } }],
  [
    "<34>Jan  1 22:14:15 mymachine su[9]: 'su root' failed",
    {
      level: 'error',
      message: "'su root' failed",
      resource: 'su',
      timestamp: local(2026, 0, 1, 22, 14, 15),
      metadata: { facility: 'auth', host: 'mymachine', pid: '9' },
    },
  ],
  [
    '<28>Dec 31 23:59:59 h d: x',
    {
      level: 'warn',
      message: 'x',
      resource: 'd',
      timestamp: local(2025, 11, 31, 23, 59, 59),
      metadata: { facility: 'daemon', host: 'h' },
    },
  ],
  [
    '<15>2026-01-02T05:04:05+02:00 h app: x',
    {
      level: 'debug',
      message: 'x',
      resource: 'app',
      timestamp: Date.UTC(2026, 0, 2, 3, 4, 5),
      metadata: { facility: 'user', host: 'h' },
    },
  ],
  ...[
    'Error: no header',
    'INFO: a level',
    'java.io.IOException: gone',
    'http://x/y: no',
    'a b: c',
    '12: x',
    'a:b',
  ].map(text => [`<14>${text}`, { message: text, metadata: { facility: 'user' } }] as const),
  [
    '<14>my-app: with an ident',
    { resource: 'my-app', message: 'with an ident', metadata: { facility: 'user' } },
  ],
  [
    '<14>2026-01-02T03:04:05Z h app[7] \ufeffforwarded by rsyslog',
    {
      message: 'forwarded by rsyslog',
      resource: 'app',
      timestamp: Date.UTC(2026, 0, 2, 3, 4, 5),
      metadata: { facility: 'user', host: 'h', pid: '7' },
    },
  ],
  ...[
    ['  forwarded', 'forwarded'],
    ['    indented', '   indented'],
    [' ', ''],
  ].map(
    ([sent = '', message = '']) =>
      [
        `<14>1 - h a - - -${sent}`,
        { message, resource: 'a', metadata: { facility: 'user', host: 'h' } },
      ] as const,
  ),
  ['<14>list[7] is empty', { message: 'list[7] is empty', metadata: { facility: 'user' } }],
  [
    '<14>app[7]: from Python',
    { message: 'from Python', resource: 'app', metadata: { facility: 'user', pid: '7' } },
  ],
  ['app: no priority', { message: 'app: no priority', metadata: { facility: 'user' } }],
  ['<999>x', { message: '<999>x', metadata: { facility: 'user' } }],
  [
    '<14>1 2030-01-01T00:00:00Z h a - - - future',
    {
      message: 'future',
      resource: 'a',
      metadata: { facility: 'user', host: 'h', timestamp: '2030-01-01T00:00:00Z' },
    },
  ],
  [
    '\ufeff<11>a mark in front',
    { level: 'error', message: 'a mark in front', metadata: { facility: 'user' } },
  ],
  ...[
    'Oct 99 22:14:15 h a: x',
    'Feb 30 22:14:15 h a: x',
    'Oct 11 45:14:15 h a: x',
    'Oct  0 22:14:15 h a: x',
  ].map(text => [`<14>${text}`, { message: text, metadata: { facility: 'user' } }] as const),
  [
    '<14>1 2030-01-01T00:00:00Z h a - - [timestamp x="1"] two of the name',
    {
      message: 'two of the name',
      resource: 'a',
      metadata: {
        facility: 'user',
        host: 'h',
        timestamp: { x: '1' },
        'sent.timestamp': '2030-01-01T00:00:00Z',
      },
    },
  ],
];
for (const [message, entry] of rows)
  test(message, () => assert.deepEqual(brief(readMessage(whole(message), now)), entry));

function whole(text: string): SyslogMessage {
  const bytes = Buffer.from(text);
  return { bytes, sentBytes: bytes.length };
}

/** Adds the sent length if the message was cut. */
function show({ bytes, sentBytes }: SyslogMessage): string {
  return sentBytes === bytes.length ? String(bytes) : `${bytes} of ${sentBytes}`;
}

const streams: readonly [title: string, bytes: string, messages: readonly string[]][] = [
  ['lines', '<1>a\n<2>b\r\n\n<3>c\n', ['<1>a', '<2>b', '<3>c']],
  ['ended by NUL', '<1>a\0<2>b\0', ['<1>a', '<2>b']],
  ['ended by NUL, with line breaks', '<1>a\n\0<2>b\0', ['<1>a', '<2>b']],
  ['lines after one with NUL', '<1>\0<2>b\n<3>c\n<4>d', ['<1>', '<2>b', '<3>c', '<4>d']],
  ['counted, with line breaks inside', '6 <1>a\nb5 <2>cd', ['<1>a\nb', '<2>cd']],
  ['counted and lines', '4 <1>a<2>b\n4 <3>c', ['<1>a', '<2>b', '<3>c']],
  ['a line that begins with digits', '42 is the answer\n', ['42 is the answer']],
  ['a last line without a line end', '<1>a\n<2>b', ['<1>a', '<2>b']],
  ['counted and too long', `30 <1>${'x'.repeat(27)}4 <2>b`, [`<1>${'x'.repeat(17)} of 30`, '<2>b']],
  ['a line that is too long', `<1>${'x'.repeat(27)}\r\n<2>b\n`, [`<1>${'x'.repeat(17)} of 30`, '<2>b']],
  ['a last line that is too long', `<2>b\n<1>${'x'.repeat(27)}`, ['<2>b', `<1>${'x'.repeat(17)} of 30`]],
  ['too long, ended by NUL', `<1>${'x'.repeat(27)}\0<2>b\0`, [`<1>${'x'.repeat(17)} of 30`, '<2>b']],
];
for (const [title, bytes, messages] of streams)
  for (const step of [1, 3, 1000])
    test(`${title}, ${step} bytes at a time`, () => {
      const frames = new SyslogFrames(20);
      const taken: string[] = [];
      for (let at = 0; at < bytes.length; at += step)
        for (const each of frames.take(Buffer.from(bytes.slice(at, at + step)))) taken.push(show(each));
      for (const each of frames.end()) taken.push(show(each));
      assert.deepEqual(taken, messages);
    });

test('keeps line breaks in messages that end with NUL', () => {
  const frames = new SyslogFrames(60);
  const take = (bytes: string) => frames.take(Buffer.from(bytes)).map(show);
  assert.deepEqual(take('<1>broken\n  at a\n<x>\0<2>b\0'), ['<1>broken\n  at a\n<x>', '<2>b']);
  assert.deepEqual(take('<1>broken\n  at'), []);
  assert.deepEqual(take(' b\n'), []);
  assert.deepEqual(take('<3'), []);
  assert.deepEqual(take('>line\0'), ['<1>broken\n  at b', '<3>line']);
});

test('cuts what exceeds the limits, and keeps the message', () => {
  const read = (text: string) => readMessage(whole(text), now);
  const long = 'v'.repeat(20_000);
  const cut = 'v'.repeat(16_384);
  assert.equal(read(`<14>1 - h a - - [b k="${long}"] m`).metadata['b.k'], cut);
  assert.equal(read(`<14>1 - ${long} a - - - m`).metadata.host, cut);
  assert.equal(read(`<14>1 - ${long} a - - - m`).metadata.truncated, 'metadata.host: 20000 bytes');
  const unread = readMessage({ bytes: Buffer.from('<14>cut'), sentBytes: 100_007 }, now);
  assert.deepEqual([unread.message, unread.metadata.truncated], ['cut', 'body: 100003 bytes']);
  const names = Array.from({ length: 400 }, (_, index) => ` k${index}="v"`).join('');
  for (const parameters of [names, ' k="v"'.repeat(400)]) {
    const { message, metadata } = read(`<14>1 - h a - - [b${parameters}] m`);
    assert.deepEqual([message, Object.keys(metadata).length], ['m', 256]);
    assert.equal(metadata.truncated, '147 values left out');
  }
});

test('a line after NUL may be complete, but a waiting counted message is not', () => {
  for (const [bytes, waits] of [
    ['<1>a\n', false],
    ['<1>\0<2>b\n', true],
    ['<1>\0<2>b', false],
    ['<1>\u000099 <2>b\n', false],
  ] as const) {
    const frames = new SyslogFrames(60);
    frames.take(Buffer.from(bytes));
    assert.equal(frames.waitsBehindLine, waits, bytes);
    if (waits) assert.deepEqual(frames.end().map(show), ['<2>b']);
  }
});

test('reads a datagram as one message', () => {
  const read = (bytes: string) => {
    const message = readDatagram(Buffer.from(bytes), 10);
    return message && show(message);
  };
  assert.deepEqual(['<1>a\nb\n\0', '4 <1>a', '5 <1>a', '\n', `<1>${'x'.repeat(9)}`].map(read), [
    '<1>a\nb',
    '<1>a',
    '5 <1>a',
    null,
    `<1>${'x'.repeat(7)} of 12`,
  ]);
});

test('reads a body back as it was packed', () => {
  const body = packMessages([whole('<11>a'), { ...whole('<14>b'), sentBytes: 12 }]);
  const { entries } = syslog.read(body, {}, { ...wording, bytesMax: 1000, usualDataset: 'default' });
  assert.deepEqual(
    entries.map(({ level, message, metadata }) => [level, message, metadata.truncated]),
    [
      ['error', 'a', undefined],
      ['info', 'b', 'body: 8 bytes'],
    ],
  );
});
