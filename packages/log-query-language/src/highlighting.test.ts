/** Tests colouring the parts of a query and finding the part being typed. A | marks the caret. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSpans } from './highlighting.ts';
import { findTyping } from './typing.ts';

const shown: Readonly<Record<string, string>> = {
  'level:error -oxmysql': 'field level, operator :, value error, negation -, text oxmysql',
  'a AND NOT (b OR "c d")':
    'text a, operator AND, negation NOT, bracket (, text b, operator OR, text "c d", bracket )',
  'ms:>=5 x:(a, OR)':
    'field ms, operator :>=, value 5, field x, operator :, bracket (, value a, error ,, operator OR, bracket )',
  'x: y': 'field x, error :, text y',
  'a "b': 'text a, error "b',
  'level:loud': 'field level, operator :, error loud',
  'a:b:c': 'field a, operator :, value b:c',
  '(a ': 'error (, text a',
  '': '',
};

for (const [text, expected] of Object.entries(shown)) {
  test(`colours ${text}`, () => {
    const { spans } = listSpans(text);
    assert.equal(
      spans.map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`).join(', '),
      expected,
    );
  });
}

test('returns a mistake together with the colours', () => {
  const { mistake } = listSpans('a )');
  assert.deepEqual([mistake?.position, mistake?.end, mistake?.code], [2, 3, 'query_invalid']);
  assert.equal(listSpans('a').mistake, null);
});

const id = { kind: 'metadata', path: 'player.id' };
const level = { kind: 'level' };
const inValue = { kind: 'value', isQuoted: false, isInList: false };
const inName = { kind: 'name', isQuoted: false, isBehindTerm: false };

const typed: Readonly<Record<string, object>> = {
  '|': { ...inName, from: 0, to: 0, written: '' },
  'lev|': { ...inName, from: 0, to: 3, written: 'lev' },
  '-lev|': { ...inName, from: 1, to: 4, written: 'lev' },
  'a (l|ev': { ...inName, from: 3, to: 6, written: 'l' },
  'a |': { ...inName, from: 2, to: 2, written: '', isBehindTerm: true },
  'a O|': { ...inName, from: 2, to: 3, written: 'O', isBehindTerm: true },
  'a OR|': { ...inName, from: 2, to: 4, written: 'OR', isBehindTerm: true },
  'a OR |': { ...inName, from: 5, to: 5, written: '' },
  '"pla|': { ...inName, from: 0, to: 4, written: '"pla', isQuoted: true },
  'pl|ayer.id:5': { ...inName, from: 0, to: 9, written: 'pl' },
  'player.id|:5': { ...inName, from: 0, to: 9, written: 'player.id' },
  'player.id:|': { ...inValue, field: id, from: 10, to: 10, written: '' },
  'player.id:4|3 a': { ...inValue, field: id, from: 10, to: 12, written: '4' },
  'player.id=43 |': { ...inName, from: 13, to: 13, written: '', isBehindTerm: true },
  'level:| a': { ...inValue, field: level, from: 6, to: 6, written: '' },
  'level:"e|': { ...inValue, field: level, from: 6, to: 8, written: '"e', isQuoted: true },
  'level:(|': { ...inValue, field: level, from: 7, to: 7, written: '', isInList: true },
  'level:(a, |b)': { ...inValue, field: level, from: 10, to: 11, written: '', isInList: true },
  'level:(a,|': { ...inValue, field: level, from: 9, to: 9, written: '', isInList: true },
  'level:(a) |': { ...inName, from: 10, to: 10, written: '', isBehindTerm: true },
  'player.id:>|': { kind: 'number', field: id, from: 11, to: 11, written: '' },
  'player.id>1|0': { kind: 'number', field: id, from: 10, to: 12, written: '1' },
  'player.id:|>5': { kind: 'operator', field: id, from: 9, to: 11, written: ':' },
};

for (const [drawn, expected] of Object.entries(typed)) {
  test(`finds what is being typed in ${drawn}`, () => {
    assert.deepEqual(findTyping(drawn.replace('|', ''), drawn.indexOf('|')), expected);
  });
}
