/** Tests entries as lines: layout, colours, and that a terminal obeys nothing in them. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { type EntryLook, formatEntry, type TerminalEntry } from './entryText.ts';
import { pointAt } from './index.ts';

const usual: TerminalEntry = {
  traceId: '0199c0ffee0a7000800000000000000a',
  timestamp: '2026-01-02T03:04:05.678901Z',
  dataset: 'game',
  level: 'info',
  resource: 'shop',
  body: 'tick',
  metadata: {},
};
const plain: EntryLook = { hasColours: false, isUtc: true, showsDataset: false };
const head = '2026-01-02 03:04:05.678Z INFO  shop';

describe('an entry', () => {
  const rows: [string, Partial<TerminalEntry>, Partial<EntryLook>, string][] = [
    ['with everything', { metadata: { a: '1', 'b.c': 'x' } }, {}, `${head} tick a=1 b.c=x`],
    ['without a resource', { resource: '' }, {}, '2026-01-02 03:04:05.678Z INFO  tick'],
    ['with a dataset', {}, { showsDataset: true }, '2026-01-02 03:04:05.678Z INFO  game shop tick'],
    ['without a body', { body: '', metadata: { a: '1' } }, {}, `${head} a=1`],
    [
      'of several lines',
      { body: 'a\n b\r\n\nc\n\n', metadata: { a: '1' } },
      {},
      `${head} a\n     b\n    \n    c\n    a=1`,
    ],
    [
      'with values that need quotes in the query language',
      { metadata: { 'a b': 'x y', c: '', d: '12:30', e: 'say "a\\b"', f: '-1', g: '*' } },
      {},
      `${head} tick "a b"="x y" c="" d="12:30" e="say \\"a\\\\b\\"" f=-1 g="*"`,
    ],
    ['with colour codes where colours are off', { body: '^1red^7 \u001b[1mbold' }, {}, `${head} red bold`],
    [
      'in colours',
      { level: 'error', body: '^1red^7\nplain §x§0§1§0§2§0§3exact', metadata: { a: '1' } },
      { hasColours: true },
      '\u001b[2m2026-01-02 03:04:05.678Z\u001b[0m \u001b[1;91mERROR\u001b[0m \u001b[36mshop\u001b[0m ' +
        '\u001b[91mred\u001b[0m\n    plain \u001b[38;2;1;2;3mexact\u001b[0m\n    \u001b[2ma=1\u001b[0m',
    ],
    [
      'in a colour that spans lines',
      { body: '\u001b[41mone\ntwo' },
      { hasColours: true },
      '\u001b[2m2026-01-02 03:04:05.678Z\u001b[0m \u001b[32mINFO \u001b[0m \u001b[36mshop\u001b[0m ' +
        '\u001b[41mone\u001b[0m\n    \u001b[41mtwo\u001b[0m',
    ],
  ];
  for (const [name, changes, look, expected] of rows) {
    it(name, () =>
      assert.equal(formatEntry({ ...usual, ...changes }, { ...plain, ...look }), `${expected}\n`),
    );
  }
});

test('lets no control character of an entry reach the terminal', () => {
  const unit = fc.constantFrom(
    '\u001b',
    '[',
    ']',
    '3',
    'm',
    ';',
    '\u0007',
    '\u009b',
    '\r',
    '\n',
    '\t',
    '\0',
    '\u202e',
    '^',
    '1',
    'a',
  );
  const sent = fc.string({ unit, maxLength: 30 });
  const anyEntry = fc.record({
    body: sent,
    resource: sent,
    dataset: sent,
    metadata: fc.dictionary(sent, sent),
  });
  fc.assert(
    fc.property(anyEntry, fc.boolean(), (changes, hasColours) => {
      const text = formatEntry({ ...usual, ...changes }, { hasColours, isUtc: true, showsDataset: true });
      const left = text.replaceAll(hasColours ? /\u001b\[[\d;]+m/g : /$^/g, '');
      assert.doesNotMatch(left, /(?![\n\t])\p{Cc}|\u202e/u);
      assert.match(text, /^[^\n]+\n(?: {4}[^\n]*\n)*$/);
    }),
    { numRuns: 1000 },
  );
});

describe('puts the caret under the place', () => {
  const rows: [string, number, string][] = [
    ['a:', 2, '  a:\n    ^'],
    ['日本 x', 3, '  日本 x\n       ^'],
    ['🎮 x', 3, '  🎮 x\n     ^'],
    ['e\u0301 x', 3, '  e\u0301 x\n    ^'],
    ['a\tb\nc\u001b', 4, '  a b c\u{fffd}\n      ^'],
    ['', 0, '  \n  ^'],
  ];
  for (const [text, position, expected] of rows) {
    it(JSON.stringify(text), () => assert.equal(pointAt(text, position), expected));
  }
});
