/** Direct reading stores exactly the same bytes as reading by JSON.parse. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createItemWriter,
  EntryFailure,
  type ItemSink,
  logLevels,
  parseBody,
  type Stamper,
  writeItem,
  writePlainItems,
} from '@tapedeck/log-entries';
import fc from 'fast-check';
import {
  appendEncodedLeaf,
  appendEncodedRow,
  appendLeaf,
  appendRow,
  createColumns,
  cutColumns,
  encodeBlock,
  markColumns,
  resetColumns,
} from './native.ts';

const now = 1_790_000_000_000_000;
const range = { fromMicros: now - 1e9, toMicros: now + 1e9 };
const columns = createColumns();
/** Gives both ways the same clock and the same identities. */
function createCountingStamper(): Stamper {
  let count = 0;
  return {
    begin() {},
    takeBack: () => {
      count = 0;
    },
    stampTime(row) {
      row.timestampMicros = now + count;
    },
    stampIdentity(row) {
      row.identityHigh = 0x80000000;
      row.identityLow = count++;
    },
  };
}

function openSink(): ItemSink {
  const start = markColumns(columns);
  return {
    batch: {
      addLeaf: (path, value) => appendLeaf(columns, path, value),
      add: row => appendRow(columns, row),
      addEncodedLeaf: (path, value) => appendEncodedLeaf(columns, path, value),
      addEncoded(row) {
        appendEncodedRow(columns, row);
        return true;
      },
      cancel: () => cutColumns(columns, start),
    },
    stamper: createCountingStamper(),
    rules: { range, levelSynonyms: null },
  };
}

/** Encodes the block straight from the bytes; null if they are not plain. */
function encodePlainly(body: Buffer): Buffer | null {
  resetColumns(columns);
  const traceId = writePlainItems(openSink(), body);
  assert.equal(columns.rows > 0, traceId !== null, 'what is not plain leaves nothing behind');
  return traceId === null ? null : Buffer.concat(encodeBlock(columns));
}

/** Encodes the block from parsed values; null if the request is refused. */
function encodeParsed(body: Buffer): Buffer | null {
  resetColumns(columns);
  try {
    const items = parseBody(body);
    if (!Array.isArray(items) || items.length === 0 || items.length > 10_000) return null;
    const writer = createItemWriter(openSink());
    for (const item of items) writeItem(writer, item);
    return Buffer.concat(encodeBlock(columns));
  } catch (error) {
    if (error instanceof EntryFailure) return null;
    throw error;
  }
}

/** Spells an entry with additional fields. */
const entry = (fields: string) => `[{"level":"info","message":"fine",${fields}}]`;
const metadata = (text: string) => entry(`"metadata":${text}`);

const plain: readonly [title: string, text: string][] = [
  ['two fields', '[{"level":"debug","message":""}]'],
  ['many entries', `[${Array(500).fill('{"level":"info","message":"m","metadata":{"a":1}}').join()}]`],
  ['10,000 entries', `[${Array(10_000).fill('{"level":"info","message":"m"}').join()}]`],
  ['fields in another order', '[{"metadata":{"a":"b"},"resource":"r","message":"m","level":"error"}]'],
  [
    'blanks',
    ' \t\r\n[ {\n"level" :\t"warn" , "message": "m", "metadata" : { "a" : [ 1 , 2 ] , "b" : { } } } ]\n ',
  ],
  ['nulls', entry('"resource":null,"parentId":null,"metadata":null,"timestamp":null')],
  ['names', entry('"resource":"server-1","parentId":"0123"')],
  ['an empty table as an array', metadata('[]')],
  ['flat metadata', metadata('{"player":"ann","ping":12,"ok":true,"bad":false,"none":null}')],
  ['nested metadata', metadata('{"pos":{"x":1.5,"y":-2,"deep":{"z":0}},"after":"b"}')],
  ['arrays', metadata(`{"tags":["a","b",["c",{"d":1}]],"long":[${Array(12).fill(7).join()}]}`)],
  ['empty containers', metadata('{"a":{},"b":[],"c":{"d":[]},"e":1}')],
  ['empty keys', metadata('{"":1,"a":{"":2}}')],
  ['keys with dots and nothing nested', metadata('{"pos.x":1,"pos.y":2}')],
  ['the same key in two containers', metadata('{"a":{"x":1},"b":{"x":2},"x":3}')],
  ['__proto__ and similar keys', metadata('{"__proto__":1,"constructor":{"toString":2}}')],
  ['20 levels', metadata(`${'{"a":'.repeat(19)}{"b":1}${'}'.repeat(19)}`)],
  ['64 keys', metadata(`{${Array.from({ length: 64 }, (_, index) => `"k${index}":${index}`).join()}}`)],
  ['256 values', metadata(`{"all":[${Array(256).fill('"v"').join()}]}`)],
  ['a path of 256 bytes', metadata(`{"${'k'.repeat(256)}":1}`)],
  ['a nested path of 256 bytes', metadata(`{"a":{"${'k'.repeat(254)}":1}}`)],
  ['a value of 16 KiB', metadata(`{"v":"${'x'.repeat(16_384)}"}`)],
  ['a message of 64 KiB', `[{"level":"info","message":"${'ä'.repeat(32_768)}"}]`],
  ['texts in other scripts', '[{"level":"info","message":"héllo 漢字 🎮","metadata":{"ключ":"значение"}}]'],
  [
    'escapes',
    String.raw`[{"level":"info","message":"a\"b\\c\/d\b\f\n\r\te","metadata":{"path":"C:\\temp"}}]`,
  ],
  ['numeric escapes', String.raw`[{"level":"info","message":"\u0000\u00e9\u6F22 \ud83C\udFae\u0041!"}]`],
  [
    'numeric escapes at every boundary',
    String.raw`[{"level":"info","message":"\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff\ud800\udc00\udbff\udfff"}]`,
  ],
  ['an escaped level', String.raw`[{"level":"\u0069nfo","message":"m"}]`],
  ['a plain text after an escaped one', String.raw`[{"message":"a\nb","level":"info","resource":"r"}]`],
  [
    'whole numbers',
    metadata(
      '[0,-1,-0,10,123456789012345,1234567890123456,123456789012345678901234]'.replace(/.*/, '{"n":$&}'),
    ),
  ],
  [
    'fractions',
    metadata('{"n":[0.5,-0.5,0.05,1.50,1.0,-0.0,0.000001,0.0000001,12.25,3.141592653589793238]}'),
  ],
  ['a time as text', entry('"timestamp":"2026-09-21T14:13:20.123456Z"')],
  ['a time as a number', entry('"timestamp":1790000000000.25')],
];

for (const [title, text] of plain) {
  test(`takes ${title}`, () => {
    const stored = encodePlainly(Buffer.from(text));
    assert.notEqual(stored, null);
    assert.deepEqual(stored, encodeParsed(Buffer.from(text)));
  });
}

const good = '{"level":"info","message":"m"}';

const leftOver: readonly [title: string, text: string | Buffer][] = [
  ['no bytes', ''],
  ['blanks', ' \n'],
  ['an object', good],
  ['an empty array', '[]'],
  ['10,001 entries', `[${Array(10_001).fill(good).join()}]`],
  ['a byte order mark', `\ufeff[${good}]`],
  ['bytes that are not UTF-8', Buffer.from('[{"level":"info","message":"\xff"}]', 'latin1')],
  ['text after the end', `[${good}]x`],
  ['NUL after the end', `[${good}]\0`],
  ['an array without its end', `[${good}`],
  ['an extra comma', `[${good},]`],
  ['a missing comma', `[${good}${good}]`],
  ['entries that are not objects', `[${good},1]`],
  ['an empty entry', '[{}]'],
  ['an entry without a level', '[{"message":"m"}]'],
  ['an entry without a message', '[{"level":"info"}]'],
  ['an unknown level', '[{"level":"fatal","message":"m"}]'],
  ['a level that is not text', '[{"level":1,"message":"m"}]'],
  ['a message that is not text', '[{"level":"info","message":1}]'],
  ['a message that is null', '[{"level":"info","message":null}]'],
  ['a message of more than 64 KiB', `[{"level":"info","message":"${'x'.repeat(65_537)}"}]`],
  ['a resource of more than 16 KiB', entry(`"resource":"${'x'.repeat(16_385)}"`)],
  ['a resource that is not text', entry('"resource":1')],
  ['half a null', entry('"resource":nul')],
  ['an unknown field', entry('"surplus":1')],
  ['a field twice', entry('"level":"warn"')],
  ['an escaped field', String.raw`[{"l\u0065vel":"info","message":"m","level":"warn"}]`],
  ['a comma after the last field', '[{"level":"info","message":"m",}]'],
  ['a field without a colon', '[{"level" "info","message":"m"}]'],
  ['a field without quotes', '[{level:"info","message":"m"}]'],
  ['a string without its end', '[{"level":"info","message":"m]'],
  ['a line break in a string', '[{"level":"info","message":"a\nb"}]'],
  ['a line break after an escape', '[{"level":"info","message":"\\ta\nb"}]'],
  ['a million escapes in a row', `[{"level":"info","message":"${'\\u0041'.repeat(1_200_000)}"}]`],
  ['an unknown escape', '[{"level":"info","message":"\\x"}]'],
  ['an escape at the end', '[{"level":"info","message":"\\'],
  ['an escape without its digits', '[{"level":"info","message":"\\u12"}]'],
  ['half a surrogate pair', '[{"level":"info","message":"\\ud83c"}]'],
  ['a surrogate pair the wrong way round', '[{"level":"info","message":"\\udfae\\ud83c"}]'],
  ['metadata that are text', metadata('"a"')],
  ['metadata in an array', metadata('[1]')],
  ['a key twice', metadata('{"a":1,"b":2,"a":3}')],
  ['a numeric key', metadata('{"b":1,"1":2}')],
  ['an escaped key', metadata('{"\\n":1}')],
  ['keys with dots beside nested ones', metadata('{"a.b":1,"a":{"b":2}}')],
  ['21 levels', metadata(`${'{"a":'.repeat(20)}{"b":1}${'}'.repeat(20)}`)],
  ['21 levels of arrays', metadata(`{"a":${'['.repeat(20)}1${']'.repeat(20)}}`)],
  ['257 values', metadata(`{"all":[${Array(257).fill('"v"').join()}]}`)],
  ['a path of 257 bytes', metadata(`{"${'k'.repeat(257)}":1}`)],
  ['a nested path of 257 bytes', metadata(`{"a":{"${'k'.repeat(255)}":1}}`)],
  ['an index after a path of 256 bytes', metadata(`{"${'k'.repeat(256)}":[1]}`)],
  ['a value of more than 16 KiB', metadata(`{"v":"${'x'.repeat(16_385)}"}`)],
  ['an element without its comma', metadata('{"a":[1 2]}')],
  ['a comma after the last element', metadata('{"a":[1,]}')],
  ['an exponent', metadata('{"n":1e3}')],
  ['a number with a leading zero', metadata('{"n":01}')],
  ['a number that ends with a point', metadata('{"n":1.}')],
  ['a number that starts with a point', metadata('{"n":.5}')],
  ['only a sign', metadata('{"n":-}')],
  ['a plus', metadata('{"n":+1}')],
  ['NaN', metadata('{"n":NaN}')],
  ['half a literal', metadata('{"n":tru}')],
  ['an invalid time', entry('"timestamp":"yesterday"')],
  ['a time that is a word', entry('"timestamp":true')],
  ['a time too early', entry('"timestamp":0')],
  ['a time too late', entry('"timestamp":"2030-01-01T00:00:00Z"')],
];

for (const [title, text] of leftOver) {
  test(`leaves ${title} to the other reader`, () => {
    assert.equal(encodePlainly(Buffer.from(text)), null);
  });
}

test('leaves a request over for a mistake behind good entries, and discards those entries', () => {
  const text = `[${Array(100).fill(good).join()},{"level":"info"}]`;
  assert.equal(encodePlainly(Buffer.from(text)), null);
});

const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('a', 'b', 'pos', 'x.y', '0', 'é', '🎮', 'line\nbreak', '"', '\\', ''),
);
const names = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('a', 'b', 'pos', 'ключ', '__proto__') },
  { weight: 1, arbitrary: words },
);
const numbers = fc.oneof(fc.integer(), fc.double({ min: -1e6, max: 1e6, noNaN: true }));
const { values } = fc.letrec<{ values: unknown }>(tie => ({
  values: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(words, numbers, fc.boolean(), fc.constant(null)),
    fc.array(tie('values'), { maxLength: 3 }),
    fc.dictionary(names, tie('values'), { maxKeys: 3 }),
  ),
}));
const entries = fc.array(
  fc.record(
    {
      level: fc.constantFrom(...logLevels),
      message: words,
      resource: fc.option(words),
      parentId: words,
      timestamp: fc.constantFrom(null, now / 1000, '2026-09-21T14:13:20Z'),
      metadata: fc.dictionary(names, values, { maxKeys: 4 }),
    },
    { requiredKeys: ['level', 'message'] },
  ),
  { minLength: 1, maxLength: 4 },
);
const texts = fc
  .tuple(entries, fc.constantFrom(undefined, 1, '\t'))
  .map(([items, space]) => JSON.stringify(items, null, space));

test('stores random requests as the values they parse to', () => {
  let taken = 0;
  const runs = 4_000;
  fc.assert(
    fc.property(texts, text => {
      const body = Buffer.from(text);
      const stored = encodePlainly(body);
      if (stored === null) return;
      taken++;
      assert.deepEqual(stored, encodeParsed(body));
    }),
    { numRuns: runs },
  );
  assert.ok(taken > runs / 4, `it took ${taken}`);
});

test('accepts no damaged request that the other reader refuses', () => {
  const bytes = fc.constantFrom(...'[]{}",:\\u0123456789eE+-.tfn\n\0 a'.split(''), '\xff', '\xc3');
  const damages = fc.array(fc.tuple(fc.nat(), fc.nat(2), bytes), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(texts, damages, (text, places) => {
      const pieces = Buffer.from(text).toString('latin1').split('');
      for (const [at, removed, added] of places) pieces.splice(at % pieces.length, removed, added);
      const body = Buffer.from(pieces.join(''), 'latin1');
      const stored = encodePlainly(body);
      if (stored !== null) assert.deepEqual(stored, encodeParsed(body));
    }),
    { numRuns: 8_000 },
  );
});
