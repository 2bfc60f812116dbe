/** Fields beside a file: names, folders, flags and metadata. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limits } from '@tapedeck/domain/vocabulary';
import { parseUploadFields } from './uploadReading.ts';

describe('Upload fields', () => {
  const none = { filename: '', path: '', metadata: {}, retentionExempt: false, visibility: null };
  const good: [title: string, raw: Record<string, unknown>, expected: Record<string, unknown>][] = [
    ['nothing', {}, {}],
    ['empty ones', { filename: '', path: '', metadata: '', retentionExempt: '' }, {}],
    ['null ones', { filename: null, path: null, metadata: null, retentionExempt: null }, {}],
    [
      'all',
      { filename: 'a.png', path: 'p/', metadata: '{"a":1}', retentionExempt: 'true' },
      { filename: 'a.png', path: 'p', metadata: { a: 1 }, retentionExempt: true },
    ],
    ['a visibility', { visibility: ' Private' }, { visibility: 'private' }],
    ['the alternative spelling', { retention_exempt: 'TRUE' }, { retentionExempt: true }],
    ['JSON flags', { retentionExempt: true }, { retentionExempt: true }],
    ['False', { retentionExempt: 'False' }, {}],
    [
      'metadata as an object',
      { metadata: { a: { b: [1, null, 'x'] } } },
      { metadata: { a: { b: [1, null, 'x'] } } },
    ],
    ['metadata of 64 keys', { metadata: JSON.stringify(keys(64)) }, { metadata: keys(64) }],
    ['metadata with more nested keys', { metadata: { a: keys(200) } }, { metadata: { a: keys(200) } }],
    [
      'metadata of 16 KiB',
      { metadata: text(limits.metadataBytesMax) },
      { metadata: JSON.parse(text(limits.metadataBytesMax)) },
    ],
    ['metadata 100 deep', { metadata: nested(100) }, { metadata: JSON.parse(nested(100)) }],
    ['duplicate keys, of which the last counts', { metadata: '{"a":1,"a":2}' }, { metadata: { a: 2 } }],
    [
      'hostile words',
      { metadata: '{"constructor":1,"toString":2,"hasOwnProperty":3}' },
      { metadata: { constructor: 1, toString: 2, hasOwnProperty: 3 } },
    ],
    ['a long name', { filename: 'x'.repeat(1024) }, { filename: 'x'.repeat(1024) }],
    ['unknown ones', { title: 'x', type: 3 }, {}],
    ['inherited ones', Object.create({ filename: 'evil' }), {}],
  ];
  for (const [title, raw, expected] of good) {
    it(`accepts ${title}`, () => assert.deepEqual(parseUploadFields(raw), { ...none, ...expected }));
  }

  const bad: [title: string, raw: Record<string, unknown>, code: string][] = [
    ['a number as a name', { filename: 1 }, 'invalid_field'],
    ['an array as a path', { path: ['a'] }, 'invalid_field'],
    ['a number as metadata', { metadata: 1 }, 'invalid_field'],
    ['a flag as metadata', { metadata: true }, 'invalid_field'],
    ['an unknown visibility', { visibility: 'secret' }, 'invalid_field'],
    ['a number as a flag', { retentionExempt: 1 }, 'invalid_field'],
    ['yes as a flag', { retentionExempt: 'yes' }, 'invalid_field'],
    ['an object as flag', { retentionExempt: {} }, 'invalid_field'],
    ['a name that is too long', { filename: 'é'.repeat(513) }, 'invalid_field'],
    ['a path that leaves the folder', { path: '../x' }, 'path_invalid'],
    ['an array as metadata', { metadata: [] }, 'metadata_invalid'],
    ['JSON text that is not an object', { metadata: '[]' }, 'metadata_invalid'],
    ['JSON text that is null', { metadata: 'null' }, 'metadata_invalid'],
    ['a JSON string', { metadata: '"{}"' }, 'metadata_invalid'],
    ['no JSON', { metadata: '{a:1}' }, 'metadata_invalid'],
    ['NaN', { metadata: '{"a":NaN}' }, 'metadata_invalid'],
    ['a number out of range', { metadata: '{"a":[1e999]}' }, 'metadata_invalid'],
    ['65 keys', { metadata: JSON.stringify(keys(65)) }, 'metadata_invalid'],
    ['65 keys of an object', { metadata: keys(65) }, 'metadata_invalid'],
    ['a byte more than 16 KiB', { metadata: text(limits.metadataBytesMax + 1) }, 'metadata_invalid'],
    [
      'an object of more than 16 KiB',
      { metadata: JSON.parse(text(limits.metadataBytesMax + 1)) },
      'metadata_invalid',
    ],
    [
      'multi-byte characters of more than 16 KiB',
      { metadata: `{"a":"${'é'.repeat(8190)}"}` },
      'metadata_invalid',
    ],
    ['101 levels', { metadata: nested(101) }, 'metadata_invalid'],
    ['unlimited nesting', { metadata: nested(2500) }, 'metadata_invalid'],
    ['__proto__', { metadata: '{"__proto__":{"a":1}}' }, 'metadata_invalid'],
    ['a nested __proto__', { metadata: '{"a":[{"__proto__":1}]}' }, 'metadata_invalid'],
    ['an escaped __proto__', { metadata: '{"\\u005f_proto__":1}' }, 'metadata_invalid'],
    ['U+0000 in a value', { metadata: '{"a":"\\u0000"}' }, 'metadata_invalid'],
    ['U+0000 in a key', { metadata: '{"a\\u0000":1}' }, 'metadata_invalid'],
    ['a lone surrogate', { metadata: '{"a":"\\ud800"}' }, 'metadata_invalid'],
  ];
  for (const [title, raw, code] of bad) {
    it(`rejects ${title}`, () => assert.throws(() => parseUploadFields(raw), { code }));
  }
});

function keys(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
}

/** Returns a JSON object as text of the given size. */
function text(bytes: number): string {
  return `{"a":"${'x'.repeat(bytes - 8)}"}`;
}

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}
