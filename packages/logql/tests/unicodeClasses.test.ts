/** Tests which Unicode classes expressions may name, against Go 1.26. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileExpression, parseLogql } from '@tapedeck/logql';

const found: readonly [expression: string, matching: string, other: string][] = [
  ['\\pN', '7', 'a'],
  ['\\pn', '7', 'a'],
  ['\\PL', '7', 'a'],
  ['\\p{Greek}', 'Ω', 'a'],
  ['\\p{greek}', 'Ω', 'a'],
  ['\\p{^Greek}', 'a', 'Ω'],
  ['\\P{^Greek}', 'Ω', 'a'],
  ['\\P{GREEK}', 'a', 'Ω'],
  ['[^\\p{Greek}a]', 'b', 'aΩ'],
  ['\\p{Letter}', 'ß', '7'],
  ['\\p{lowercase letter}', 'a', 'A'],
  ['\\p{Lowercase-Letter}', 'a', 'A'],
  ['\\p{digit}', '7', 'a'],
  ['\\p{punct}', '!', 'a'],
  ['\\p{Old_Italic}', '\u{10300}', 'a'],
  ['\\p{SignWriting}', '\u{1d800}', 'a'],
  ['\\p{Any}', 'a', ''],
  ['\\p{ASCII}', 'a', 'ß'],
  ['\\P{ascii}', 'ß', 'a'],
  ['[\\P{ASCII}7]', '7', 'a'],
  ['[x\\p{ASCII}]', 'a', 'ß'],
  ['^\\p{LC}$', 'ǅ', 'ª'],
  ['\\P{Cased_Letter}', '東', 'aA'],
  ['[\\p{LC}7]', '7', '東'],
  ['\\p{Assigned}', 'a', '\u0378'],
  ['\\p{Cn}', '\u0378', 'a'],
  ['[x\\P{Cn}]', 'a', '\u0378'],
  ['[\\P{Unassigned}]', 'a', '\u0378'],
  ['[]\\p{ASCII}]', 'a', 'ß'],
  ['[a[]\\P{LC}', '[7', '[a'],
  ['[[:digit:]\\p{ASCII}]', 'a', 'ß'],
  ['\\Q\\pX\\E\\p{greek}', '\\pXΩ', '\\pX'],
  ['\\\\p{2}', '\\pp', '\\p'],
  ['\\x{1234}', '\u{1234}', '1234'],
  ['(?:\\x{10000}|\\x{41}){500}', 'A'.repeat(500), 'A'.repeat(499)],
];

describe('an expression', () => {
  for (const [expression, matching, other] of found)
    it(`finds ${JSON.stringify(matching).slice(0, 20)} by ${expression}`, () => {
      const { test } = compileExpression(expression);
      assert.deepEqual([test(matching), test(other)], [true, false]);
    });
});

const range = (text: string) => `error parsing regexp: invalid character class range: \`${text}\``;
const refused: readonly [expression: string, sentence: string][] = [
  ...['\\p{Alphabetic}', '\\P{Dash}', '\\p{^Lowercase}', '\\p{}', '\\pX', '\\p{sc=Greek}', '\\p{Emoji}'].map(
    text => [text, range(text)] as [string, string],
  ),
  ['[a\\p{White_Space}]', range('\\p{White_Space}')],
  ['\\p{Greek', range('\\p{Greek')],
  ['\\p{Alphabetic}(', 'error parsing regexp: missing closing ): `\\p{Alphabetic}(`'],
  ['[\\p{Cn}]', '`\\p{Cn}` is not supported in brackets yet'],
  ['[\\P{LC}]', '`\\P{LC}` is not supported in brackets yet'],
  ['\\x{110000}', 'error parsing regexp: invalid escape sequence: `\\x{110000`'],
  ['a{99999999999}', 'error parsing regexp: invalid repeat count: `{99999999999}`'],
  ['(a{100}){11}', 'error parsing regexp: invalid repeat count: `{11}`'],
];

describe('an expression is refused:', () => {
  for (const [expression, sentence] of refused)
    it(expression, () =>
      assert.throws(() => compileExpression(expression), { message: `parse error : ${sentence}` }),
    );
});

const invalidUtf8: readonly [title: string, query: string, occasion?: string][] = [
  ['a line filter', '{a="b"} |~ "c\\xff"'],
  ['an alternative', '{a="b"} !~ "c" or "\\377"'],
  ['a matcher', '{a=~"\\xff"}'],
  ['a label filter', '{a="b"} | c !~ "\\xe2\\x82"'],
  ['a parser', '{a="b"} | regexp "(?P<c>\\xff)"', 'invalid regexp parser: '],
  ['label_replace', 'label_replace(rate({a="b"}[1m]), "x", "$1", "a", "\\xff")'],
];

describe('bytes that are no characters are refused in', () => {
  for (const [title, query, occasion = ''] of invalidUtf8)
    it(title, () =>
      assert.throws(() => parseLogql(query), {
        message: new RegExp(`^parse error : ${occasion}error parsing regexp: invalid UTF-8: `),
      }),
    );
});

it('bytes that make a character are accepted, and any bytes in texts', () => {
  for (const query of [
    '{a=~"\\xe2\\x82\\xac"}',
    '{a="b"} |= "\\xff"',
    '{a="b"} |~ "\\ufffd"',
    '{a="b"} |~ `\\xff`',
  ])
    assert.equal(parseLogql(query).kind, 'log');
});
