/** Tests messages in GELF. */
import { json, testEntries, testRefusals, wording } from '../../tests/reading.ts';
import { readGelf } from './protocol.ts';

testEntries([
  [
    'GELF: fields of the format and fields of the sender',
    () =>
      readGelf(
        json({
          version: '1.1',
          host: 'arena-1',
          short_message: 'boom',
          full_message: 'boom\n  at a.js:1',
          timestamp: 1763884800.123456,
          level: 3,
          facility: 'game',
          line: 7,
          _player: { name: 'Ann' },
          _service: 'shop',
        }),
        wording,
      ),
    [
      {
        level: 'error',
        message: 'boom\n  at a.js:1',
        resource: 'shop',
        timestamp: 1763884800123.456,
        metadata: { host: 'arena-1', facility: 'game', line: 7, player: { name: 'Ann' } },
      },
    ],
  ],
  [
    'GELF: a different full message, a level as a word, and fields of the same name',
    () =>
      readGelf(
        json({
          short_message: 's',
          full_message: 'trace',
          level: 'WARNING',
          host: 'h',
          _host: 'own',
          version: '9',
        }),
        wording,
      ),
    [
      {
        level: 'warn',
        message: 's\ntrace',
        resource: 'h',
        metadata: { host: 'h', 'gelf.host': 'own', version: '9' },
      },
    ],
  ],
  [
    'GELF: several messages, the other name of the message, and an invalid time',
    () => readGelf(Buffer.from('{"message":"a"}\n{"full_message":"b","timestamp":"soon","_":1}'), wording),
    [{ message: 'a' }, { message: 'b', metadata: { _: 1, timestamp: 'soon' } }],
  ],
  [
    'GELF: full messages of a layout that ends with a line break',
    () =>
      readGelf(
        Buffer.from('{"short_message":"a","full_message":"a\\n"}\n{"full_message":"b\\n  c\\r\\n"}'),
        wording,
      ),
    [{ message: 'a' }, { message: 'b\n  c' }],
  ],
  [
    'GELF: messages that end with NUL, as over TCP',
    () => readGelf(Buffer.from('{"short_message":"a\\u0000"}\0{"short_message":"b"}\0\0'), wording),
    [{ message: 'a\0' }, { message: 'b' }],
  ],
]);

testRefusals([
  [
    'a message without text',
    () => readGelf(json({ host: 'h', short_message: null }), wording),
    /short_message/,
  ],
  ['a list with something else', () => readGelf(json([{ short_message: 'a' }, 7]), wording), /Message 1/],
  ['nothing', () => readGelf(Buffer.from(' '), wording), /Message 0/],
  ['only NUL', () => readGelf(Buffer.from('\0'), wording), /Message 0/],
  ['NUL within a text', () => readGelf(Buffer.from('{"short_message":"a\0b"}'), wording), /JSON/],
]);
