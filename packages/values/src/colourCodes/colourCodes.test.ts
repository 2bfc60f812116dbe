/** Tests texts with codes and the styles that they mean. No code that a terminal obeys may remain. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { plainStyle, readColours, removeColours, type Style } from './colourCodes.ts';

/** `red:text`, `bold+red:text`; unstyled parts are plain. */
function describeSpans(text: string): string[] {
  return readColours(text).map(({ text, style }) => [...describeStyle(style), text].join(':'));
}

function describeStyle(style: Style): string[] {
  const { colour, background, ...flags } = style;
  const on = Object.entries(flags).flatMap(([name, isOn]) => (isOn ? [name.slice(2).toLowerCase()] : []));
  const words = [...on, ...(colour ? [colour] : []), ...(background ? [`on ${background}`] : [])];
  return words.length > 0 ? [words.join('+')] : [];
}

const rows: Readonly<Record<string, readonly [string, readonly string[]][]>> = {
  terminals: [
    ['\u001b[31mred\u001b[0m plain', ['red:red', ' plain']],
    ['\u001b[31;1merror\u001b[m: bad', ['bold+red:error', ': bad']],
    ['\u001b[1;2;3;4;9mall\u001b[22;23;24;29mnone', ['bold+dim+italic+underlined+struck:all', 'none']],
    ['\u001b[92mbright\u001b[39m', ['brightGreen:bright']],
    ['\u001b[41;97mboth\u001b[49ma', ['brightWhite+on red:both', 'brightWhite:a']],
    ['\u001b[104mbright behind', ['on brightBlue:bright behind']],
    ['\u001b[38;5;208morange\u001b[38;5;9mred', ['#ff8700:orange', 'brightRed:red']],
    ['\u001b[48;5;244mgrey', ['on #808080:grey']],
    ['\u001b[38;2;1;20;255mexact', ['#0114ff:exact']],
    ['\u001b[38:2::1:2:3mexact\u001b[38:2:4:5:6mtoo', ['#010203:exact', '#040506:too']],
    ['\u001b[38;2;1;2;3;1mbold behind', ['bold+#010203:bold behind']],
    ['\u001b[38;5mnothing\u001b[38;2;300;0;0mnothing', ['nothingnothing']],
    ['\u001b[4:3mcurly\u001b[4:0mplain', ['underlined:curly', 'plain']],
    ['\u009b31mof one character', ['red:of one character']],
    ['\u001b[2J\u001b[Hscreen\u001b[1;1H', ['screen']],
    ['\u001b]0;title\u0007text', ['text']],
    ['\u001b]8;;https://a.example\u001b\\link\u001b]8;;\u001b\\', ['link']],
    ['\u001b]52;c;cGFzdGU=', []],
    ['\u001bP1$r\u001b\\dcs', ['dcs']],
    ['\u001b(Bcharset\u001bcreset', ['charsetreset']],
    ['ends early \u001b[31', ['ends early ']],
    ['ends early \u001b', ['ends early ']],
    ['\u001b[31m\u001b[32mgreen', ['green:green']],
    ['\u001b[31mone \u001b[31mspan', ['red:one span']],
  ],
  FiveM: [
    ['^1SCRIPT ERROR^7: bad', ['brightRed:SCRIPT ERROR', ': bad']],
    ['[script:shop] ^2ok^0', ['[script:shop] ', 'brightGreen:ok']],
    ['^3^*bold^r plain', ['bold+brightYellow:bold', ' plain']],
    ['^5^_a^~b^r^=c', ['underlined+brightCyan:a', 'underlined+struck+brightCyan:b', 'underlined+struck:c']],
    ['2^10 is 1024, x^2 + y^2', ['2^10 is 1024, x^2 + y^2']],
    ['(a)^2, a[1]^2, x^y, ^_^', ['(a)^2, a[1]^2, x^y, ^_^']],
    ['took ^3120^7 ms', ['took ', 'brightYellow:120', ' ms']],
  ],
  Minecraft: [
    ['§aHello §l§4World§r!', ['brightGreen:Hello ', 'red:World', '!']],
    ['§6gold §Lbold§m§n§o§k', ['yellow:gold ', 'bold+yellow:bold']],
    ['§x§F§f§0§0§8§0rgb', ['#ff0080:rgb']],
    ['§ 5 and §z stay', ['§ 5 and §z stay']],
  ],
  'texts without codes': [
    ['', []],
    ['plain\nlines\t', ['plain\nlines\t']],
    ['[31m', ['[31m']],
  ],
};

for (const [name, texts] of Object.entries(rows)) {
  describe(name, () => {
    for (const [text, expected] of texts) {
      it(JSON.stringify(text), () => assert.deepEqual(describeSpans(text), expected));
    }
  });
}

test('leaves no start of a terminal sequence, and loses nothing else', () => {
  const unit = fc.constantFrom(
    '\u001b',
    '[',
    ']',
    '3',
    '1',
    ';',
    ':',
    'm',
    '\\',
    '\u0007',
    '\u009b',
    '^',
    '§',
    'a',
    'ß',
    '\n',
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), text => {
      const left = removeColours(text);
      assert.doesNotMatch(left, /[\u001b\u009b]/);
      let from = 0;
      for (const character of left) from = text.indexOf(character, from) + 1;
      assert.ok(from > 0 || left === '');
    }),
    { numRuns: 2000 },
  );
});

test('a text without codes is a single span', () => {
  assert.deepEqual(readColours('plain'), [{ text: 'plain', style: plainStyle }]);
});

test('time grows with the length of the text', () => {
  for (const part of ['\u001b[', '\u001b]', '^1', '§', '\u001b[38;5;', '^']) {
    const text = part.repeat(64_000 / part.length);
    const startedAt = performance.now();
    removeColours(text);
    assert.ok(performance.now() - startedAt < 1_000, part);
  }
});
