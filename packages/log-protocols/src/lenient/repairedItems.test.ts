/** Tests repairing items that loggers and old clients send to the oldest log routes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { entryLimits, formatMicros, type LogItem } from '@tapedeck/log-entries';
import { levelSynonyms } from '@tapedeck/log-query-language';
import { repairItem } from './repairedItems.ts';
import { findLenientEntries } from './sentEntries.ts';

const range = { fromMicros: 0, toMicros: Date.UTC(2030, 0) * 1000 };
const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const atText = '2026-01-02T03:04:05.678000Z';
const none: LogItem = { level: 'info', message: '', resource: '', parentId: '', metadata: {} };

function readText(text: string, place = {}): LogItem[] {
  const { entries, shared } = findLenientEntries(Buffer.from(text), {
    isForm: false,
    isList: false,
    ...place,
  });
  return entries.map(entry => repairItem(entry, { range, levelSynonyms, shared }));
}

type Row = readonly [title: string, sent: unknown, expected: Partial<LogItem> | readonly Partial<LogItem>[]];

function check(rows: readonly Row[], place = {}): void {
  for (const [title, sent, expected] of rows) {
    it(title, () => {
      const text = typeof sent === 'string' ? sent : JSON.stringify(sent);
      const items = Array.isArray(expected) ? expected : [expected];
      assert.deepEqual(
        readText(text, place),
        items.map(item => ({ ...none, ...item })),
      );
    });
  }
}

describe('entries are', () => {
  check([
    ['one object', { message: 'a' }, { message: 'a' }],
    ['an array', [{ message: 'a' }, { message: 'b' }], [{ message: 'a' }, { message: 'b' }]],
    ['none in an empty array', [], []],
    ['an empty object', {}, {}],
    [
      'the objects and texts among other values',
      [1, null, 'x', [], { message: 'a' }],
      [{ message: 'x' }, { message: 'a' }],
    ],
    ['none in a text', '"text"', []],
    ['unwrapped from logs', { logs: [{ msg: 'a' }, { msg: 'b' }] }, [{ message: 'a' }, { message: 'b' }]],
    ['none in empty logs', { logs: [] }, []],
    ['none in the empty table of a language without lists', { logs: {} }, []],
    [
      'unwrapped with the fields beside the list',
      { logs: [{ msg: 'a' }, { msg: 'b', host: 'own' }], host: 'arena', tags: ['x'] },
      [
        { message: 'a', metadata: { host: 'arena', 'tags.0': 'x' } },
        { message: 'b', metadata: { host: 'own', 'batch.host': 'arena', 'tags.0': 'x' } },
      ],
    ],
    ['unwrapped from any single list of objects', { events: [{ msg: 'a' }] }, { message: 'a' }],
    [
      'unwrapped from the names that shippers use, with the fields beside them',
      {
        events: [
          { RenderedMessage: 'a', Level: 'Error' },
          { '@m': 'b', '@t': atText },
        ],
        source: 'x',
      },
      [
        { message: 'a', level: 'error', metadata: { source: 'x' } },
        { message: 'b', timestamp: atText, metadata: { source: 'x' } },
      ],
    ],
    [
      'not unwrapped from fields of a message',
      { msg: 'm', records: [{ a: 1 }] },
      { message: 'm', metadata: { 'records.0.a': '1' } },
    ],
    [
      'in lines and adjacent, with a date in seconds',
      `{"date":${at / 1000},"log":"a"}{"date":${at / 1000},"log":"b"}`,
      [
        { message: 'a', timestamp: atText },
        { message: 'b', timestamp: atText },
      ],
    ],
    ['not unwrapped from a separate field', { body: [{ a: 1 }] }, { message: '[{"a":1}]' }],
    [
      'not unwrapped from a list of texts',
      { tags: ['a', 'b'] },
      { metadata: { 'tags.0': 'a', 'tags.1': 'b' } },
    ],
    ['lines of JSON', '{"msg":"a"}\n\n{"msg":"b"}\r\n', [{ message: 'a' }, { message: 'b' }]],
    ['a single line', '{"msg":"a"}\n', { message: 'a' }],
    [
      'in lines that are lists',
      '[{"msg":"a"}]\n[{"msg":"b"},{"msg":"c"}]',
      [{ message: 'a' }, { message: 'b' }, { message: 'c' }],
    ],
    [
      'adjacent objects',
      '{"msg":"}{\\""}{"msg":"b"} {"msg":"c"}',
      [{ message: '}{"' }, { message: 'b' }, { message: 'c' }],
    ],
  ]);
  describe('in a list', () => check([['none in an empty object', {}, []]], { isList: true }));
  describe('in a form', () =>
    check(
      [
        [
          'its fields',
          'level=warn&message=a+b%21&player=7',
          { level: 'warn', message: 'a b!', metadata: { player: '7' } },
        ],
        ['repeated fields', 'msg=m&tag=a&tag=b', { message: 'm', metadata: { 'tag.0': 'a', 'tag.1': 'b' } }],
        ['JSON that is declared as a form', '{"message":"a=b"}', { message: 'a=b' }],
      ],
      { isForm: true },
    ));
  for (const text of [
    '',
    ' \n',
    '{',
    '{level:',
    '[{"level":"info"},]',
    '{"a":1}\n{"a":',
    '{"a":1}x',
    'x{"a":1}',
    'a=b',
    '}{',
    '\0',
  ])
    it(`not found in ${JSON.stringify(text)}`, () =>
      assert.throws(() => readText(text), { code: 'invalid_json' }));
  it('refused when there are too many, instead of dropped silently', () => {
    const many = `[${'{},'.repeat(entryLimits.requestItemsMax)}{}]`;
    assert.throws(() => readText(many), { code: 'body_too_large' });
  });
});

describe('the message is', () => {
  check([
    ...['message', 'msg', 'log', 'text', 'body', 'event', 'Message', 'MESSAGE'].map(
      (name): Row => [name, { [name]: 'm' }, { message: 'm' }],
    ),
    ['the first field; the others stay', { text: 't', msg: 'm' }, { message: 'm', metadata: { text: 't' } }],
    ['not an empty field', { message: '', msg: null, log: 'l' }, { message: 'l', metadata: { msg: 'null' } }],
    ['a number', { message: 12.5 }, { message: '12.5' }],
    ['an object', { msg: { a: [1] } }, { message: '{"a":[1]}' }],
    ['cut between characters', { msg: '🎮'.repeat(20_000) }, { message: '🎮'.repeat(16_384) }],
    ['without half surrogate pairs', '{"msg":"a\\ud83d"}', { message: 'a\ufffd' }],
  ]);
});

describe('the level is', () => {
  const words = {
    error: [
      'error',
      'err',
      'fatal',
      'critical',
      'crit',
      'alert',
      'emerg',
      'emergency',
      'PANIC',
      'severe',
      'ERROR+4',
    ],
    warn: ['warn', 'WARNING', 'wrn', 'WARN+1'],
    info: ['info', 'notice', 'log', 'Success', 'Information', 'INF', 'INFO+2'],
    debug: ['debug', 'trace', 'verbose', 'silly', 'http', 'finest', 'finer', 'fine', 'DEBUG-4', 'dbg'],
  } as const;
  check([
    ...Object.entries(words).flatMap(([level, spelled]) =>
      spelled.map((word): Row => [word, { level: word }, { level: level as LogItem['level'] }]),
    ),
    [
      'a number from pino',
      [10, 20, 30, 40, 50, 60].map(level => ({ level })),
      (['debug', 'debug', 'info', 'warn', 'error', 'error'] as const).map(level => ({ level })),
    ],
    ['a number in a text', { level: '50' }, { level: 'error' }],
    ['a word in terminal colours', { level: '\x1b[31merror\x1b[39m' }, { level: 'error' }],
    ['capitalised', { Level: 'Error' }, { level: 'error' }],
    [
      'in another field',
      { levelname: 'WARNING', msg: 'm' },
      { level: 'warn', message: 'm', metadata: { levelname: 'WARNING' } },
    ],
    [
      'a number of PHP beside its name',
      { level: 400, level_name: 'ERROR' },
      { level: 'error', metadata: { level: '400', level_name: 'ERROR' } },
    ],
    ['absent', { level: null, message: 'm' }, { message: 'm' }],
    ['kept when unknown', { level: 'LOUD', metadata: { a: 1 } }, { metadata: { level: 'LOUD', a: '1' } }],
    [
      'kept beside one in the metadata',
      { level: 3, metadata: { level: 'x' } },
      { metadata: { level: '3', 'metadata.level': 'x' } },
    ],
    ['kept when it is an object', { level: { a: 1 } }, { metadata: { level: '{"a":1}' } }],
    [
      'an object of log4js, beside its text',
      { level: { level: 40000, levelStr: 'ERROR' }, data: ['lost', { x: 1 }], categoryName: 'main' },
      {
        level: 'error',
        message: 'lost {"x":1}',
        metadata: { 'level.level': '40000', 'level.levelStr': 'ERROR', categoryName: 'main' },
      },
    ],
  ]);
});

describe('the time is', () => {
  check([
    ...['timestamp', 'time', 'date', '@timestamp', 'Timestamp'].map(
      (name): Row => [name, { [name]: new Date(at).toISOString() }, { timestamp: atText }],
    ),
    ['in milliseconds', { time: at }, { timestamp: atText }],
    ['in seconds with a fraction', { date: at / 1000 }, { timestamp: atText }],
    ['in seconds', { date: at / 1000 - 0.678 }, { timestamp: formatMicros((at - 678) * 1000) }],
    ['in digits', { time: String(at) }, { timestamp: atText }],
    ['with an offset without a colon', { time: '2026-01-02T04:04:05,678+0100' }, { timestamp: atText }],
    ['metadata when it does not parse', { time: 'soon' }, { metadata: { time: 'soon' } }],
    ['metadata when it is out of range', { timestamp: 9e14 }, { metadata: { timestamp: '900000000000000' } }],
    ['the first that parses', { time: 'soon', date: at }, { timestamp: atText, metadata: { time: 'soon' } }],
    ['absent', { timestamp: null, message: 'm' }, { message: 'm' }],
  ]);
});

describe('metadata are', () => {
  const tooMany = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`k${index}`, index]));
  check([
    [
      'flattened',
      { metadata: { a: { b: [1, true, null] }, gone: {} } },
      { metadata: { 'a.b.0': '1', 'a.b.1': 'true', 'a.b.2': 'null' } },
    ],
    ['a text', { metadata: 'text' }, { metadata: { metadata: 'text' } }],
    ['a list', { metadata: ['a', 'b'] }, { metadata: { 0: 'a', 1: 'b' } }],
    ['an empty table', { metadata: [] }, {}],
    [
      'unknown fields',
      { msg: 'm', pid: 7, err: { stack: 's' } },
      { message: 'm', metadata: { pid: '7', 'err.stack': 's' } },
    ],
    [
      'kept apart when names collide',
      { user: 'outer', metadata: { user: 'inner' } },
      { metadata: { user: 'inner', 'entry.user': 'outer' } },
    ],
    ['one when both are equal', { user: 'u', metadata: { user: 'u' } }, { metadata: { user: 'u' } }],
    [
      'without keys that are too long',
      { metadata: { ['k'.repeat(300)]: 1, kept: 2 } },
      { metadata: { kept: '2' } },
    ],
    ['cut', { metadata: { v: 'x'.repeat(20_000) } }, { metadata: { v: 'x'.repeat(16_384) } }],
    [
      'not affected by the names of JavaScript properties',
      '{"__proto__":{"a":1},"msg":"m"}',
      { message: 'm', metadata: { '__proto__.a': '1' } },
    ],
  ]);
  it('the first 256, including the level', () => {
    const [item] = readText(JSON.stringify({ level: '?', metadata: tooMany }));
    assert.equal(Object.keys(item!.metadata).length, 256);
    assert.equal(item!.metadata.level, '?');
  });
  it('read at 10,000 levels of nesting', () => {
    const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    assert.equal(readText(`{"message":${deep},"metadata":${deep},"more":${deep}}`).length, 1);
  });
});

describe('a resource and a parent are', () => {
  check([
    ['numbers as texts', { resource: 1, parentId: 2 }, { resource: '1', parentId: '2' }],
    [
      'cut',
      { resource: 'r'.repeat(20_000), parentId: 'p'.repeat(17_000) },
      { resource: 'r'.repeat(16_384), parentId: 'p'.repeat(16_384) },
    ],
  ]);
});
