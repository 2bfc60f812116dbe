/** Tests that colour codes are read and removed, and that other text stays unchanged. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasColours, type Look, readColours } from './colours.ts';

const flags = {
  isSwapped: 'swapped',
  isBold: 'bold',
  isFaint: 'faint',
  isItalic: 'italic',
  isUnderlined: 'under',
  isStruck: 'struck',
} as const;

function describeLook(look: Look): string {
  const inks = [look.ink?.toString(16), look.ground === null ? undefined : `on ${look.ground.toString(16)}`];
  const set = Object.entries(flags).map(([flag, word]) =>
    look[flag as keyof typeof flags] ? word : undefined,
  ); // keys of `flags`
  return [...inks, ...set].filter(word => word !== undefined).join(' ');
}

/** Marks unusual looks as `[red|text]`. */
function describe(text: string): string {
  const { plain, runs } = readColours(text);
  let at = 0;
  const parts = runs.map(({ start, end, look }) => {
    const before = plain.slice(at, start);
    at = end;
    return `${before}[${describeLook(look)}|${plain.slice(start, end)}]`;
  });
  return `${parts.join('')}${plain.slice(at)}`;
}

const esc = '\u001b';
const tables: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  terminals: [
    [`${esc}[31merror${esc}[0m: bad`, '[cd3131|error]: bad'],
    [`${esc}[1;92mok${esc}[m done`, '[23c178 bold|ok] done'],
    [`${esc}[31;44mx${esc}[39my${esc}[49mz`, '[cd3131 on 2472c8|x][on 2472c8|y]z'],
    [`${esc}[38;5;208ma${esc}[38;5;9mb${esc}[38;5;244mc`, '[ff8700|a][f14c4c|b][808080|c]'],
    [`${esc}[38;2;255;128;0ma${esc}[48:2::1:2:3mb`, '[ff8000|a][ff8000 on 10203|b]'],
    [`${esc}[38;2;999mx`, '[ff0000|x]'],
    [`${esc}[3;4;9;2;7mx${esc}[23;24;29;22;27my`, '[swapped faint italic under struck|x]y'],
    [`${esc}[2K${esc}[1Aline${esc}[?25h`, 'line'],
    [`${esc}]0;title\u0007text${esc}]8;;https://a.example${esc}\\link${esc}]8;;${esc}\\`, 'textlink'],
    [`\u009b32mgreen`, '[b9d58|green]'],
    [`${esc}(Bplain${esc}7`, 'plain'],
    [`${esc}[999mx${esc}[31`, `x${esc}[31`],
  ],
  Minecraft: [
    ['§aHello §l§4World§r!', '[55ff55|Hello ][aa0000|World]!'],
    ['§4§lBold §fwhite', '[aa0000 bold|Bold ]white'],
    ['§x§f§f§8§0§0§0hex §ktricks', '[ff8000|hex ][ff8000|tricks]'],
    ['§ 5 of the law, §z', '§ 5 of the law, §z'],
  ],
  FiveM: [
    ['^1SCRIPT ERROR^7: bad ^*x^r y', '[ff4444|SCRIPT ERROR]: bad [bold|x] y'],
    ['[^3warn^7] player^2One^0 left', '[[ffbb33|warn]] player[99cc00|One] left'],
    ['^8a^_b^~c^=d', '[ff8800|a][ff8800 under|b][ff8800 under struck|c][ff8800 under struck|d]'],
  ],
  'no colours': [
    ['2^10 is 10^3 and x^2 + (a)^2', '2^10 is 10^3 and x^2 + (a)^2'],
    ['^_^ and a^b', '^_^ and a^b'],
    ['^regular$ ~r~', '^regular$ ~r~'],
    ['', ''],
  ],
};

for (const [name, rows] of Object.entries(tables)) {
  for (const [text, expected] of rows) {
    test(`${name}: ${JSON.stringify(text)}`, () => assert.equal(describe(text), expected));
  }
}

test('whatever is written, only codes are left out, and stretches follow each other', () => {
  const parts = [
    '^1',
    '^',
    '§',
    '§c',
    esc,
    `${esc}[`,
    `${esc}[31m`,
    ';',
    'm',
    'a',
    '😀',
    '\n',
    '1',
    `${esc}]`,
    '\u0007',
  ];
  let seed = 7;
  const draw = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return parts[seed % parts.length] ?? '';
  };
  for (let round = 0; round < 3_000; round++) {
    const text = Array.from({ length: 12 }, draw).join('');
    const { plain, runs } = readColours(text);
    let rest = text;
    for (const character of plain) {
      const at = rest.indexOf(character);
      assert(at >= 0, JSON.stringify(text));
      rest = rest.slice(at + character.length);
    }
    runs.reduce((end, run) => {
      assert(run.start >= end && run.end > run.start && run.end <= plain.length, JSON.stringify(text));
      return run.end;
    }, 0);
    assert.equal(hasColours(text) || plain === text, true);
  }
});
