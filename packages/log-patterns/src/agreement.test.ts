/** Tests that the byte reader agrees with the rules written as regular expressions. BODIES=100000 tries more bodies. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { PatternReader, templateBytesMax } from './patternReader.ts';
import { findPattern } from './patterns.ts';

const numRuns = Number(process.env.BODIES ?? 5000);

const pieces = [
  'a',
  'ab',
  'dead',
  'cafe',
  'xyz',
  'e',
  'x',
  'Z',
  'T',
  'Nov',
  '_',
  '0',
  '1',
  '22',
  '007',
  '2026',
  '12345678',
  '0x1f',
];
const signs = [
  ' ',
  '  ',
  '\t',
  '.',
  ',',
  ':',
  '::',
  '-',
  '+',
  '/',
  '%',
  '(',
  ')',
  '"',
  '>',
  '^',
  '^1',
  '^r',
  '§',
  '§a',
  '§z',
  '…',
  'µ',
  'ü',
  '中',
  '🔥',
  '\0',
];
const wholes = [
  '10.0.0.1',
  '256.1.1.1',
  'fe80::1',
  '::1',
  '1:2:3:4:5:6:7:8',
  '00:1b:44:11:3a:b7',
  '12:30',
  '10:11:12',
  '.123',
  '+0200',
  ' +0000',
  '+02:00',
];
const more = [
  '2026-11-22',
  '22/Nov/2026',
  '11/22/2026',
  '22.11.2026',
  '123e4567-e89b-12d3-a456-426614174000',
  'deadbeef',
  '1e5',
  '1.5ms',
  'e-7',
  '\u001b[31m',
  '\u001b[',
  '\n',
  '\r',
];
const body = fc
  .oneof(
    fc
      .array(fc.constantFrom(...pieces, ...signs, ...wholes, ...more), { maxLength: 12 })
      .map(all => all.join('')),
    fc
      .array(fc.constantFrom(...pieces, ...signs), { minLength: 200, maxLength: 400 })
      .map(all => all.join('')),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.string({
      unit: fc.constantFrom('1', '2', 'a', 'f', 'g', ':', '.', '-', '/', ' ', '\u001b', '[', 'm'),
      maxLength: 30,
    }),
  )
  .map(text => text.toWellFormed());

/** Bodies from earlier random runs in which the two disagreed. */
const foundBefore: readonly [body: string, template: string][] = [
  ['_00:1b:44:11:3a:b7:10.0.0.1', '<id>:<n>b:<n>:<n>:<id>:<id>:<ip>'],
  ['44:11:3a:b7:c3:10.0.0.1', '<n>:<n>:<id>:<id>:<id>:<ip>'],
  ['00:1b:44:11:3a:b7:10.0.0.1', '<ip>'],
  ['00:1b:44:11:3a:10.0.0', '<mac>.<n>'],
];

describe('the byte reader', () => {
  test('agrees with regular expressions', () => {
    const check = (text: string) => assert.equal(findPattern(text).template, formatNaively(text));
    fc.assert(fc.property(body, check), { numRuns });
  });

  for (const [text, template] of foundBefore) {
    test(`agrees with them about ${text}`, () => {
      assert.deepEqual([findPattern(text).template, formatNaively(text)], [template, template]);
    });
  }

  test('ignores everything outside its range', () => {
    const reader = new PatternReader();
    const check = (before: string, text: string, behind: string) => {
      const whole = Buffer.from(before + text + behind);
      const start = Buffer.byteLength(before);
      reader.read(whole, start, start + Buffer.byteLength(text));
      const { pattern, template } = findPattern(text);
      assert.equal(reader.formatTemplate(), template);
      assert.equal(reader.formatPattern(), pattern);
    };
    fc.assert(fc.property(body, body, body, check), { numRuns });
  });

  test('gives different templates different digits, and equal ones the same', () => {
    const templates = new Map<string, string>();
    const check = (text: string) => {
      const { pattern, template } = findPattern(text);
      assert.match(pattern, /^[0-9a-f]{16}$/);
      assert.equal(templates.get(pattern) ?? template, template);
      templates.set(pattern, template);
    };
    fc.assert(fc.property(body, check), { numRuns });
    assert.ok(templates.size > numRuns / 4);
  });

  test('takes time that grows with the length, whatever the body holds', () => {
    const units = [
      'a',
      '1',
      '1:',
      'a:',
      '::',
      '1.',
      '1,',
      '1-',
      '-',
      'dead:',
      '^1',
      '\u001b[1',
      '§',
      '1e',
      '12:30:',
      'a1-',
      '1/',
      'abcdefab-',
    ];
    for (const unit of units) {
      const long = unit.repeat((64 * 1024) / unit.length);
      const start = process.cpuUsage();
      for (let times = 0; times < 10; times++) findPattern(long);
      const { user } = process.cpuUsage(start);
      assert.ok(user < 500_000, `${unit} took ${user / 10} µs`); // about 100 µs each; quadratic time would take seconds
    }
  });
});

const letter = '[A-Za-z_\\u00c0-\\u1fff\\u3000-\\uffff\\u{40000}-\\u{10ffff}]';
const word = `(?:${letter}|[0-9])`;
const time = `\\d{1,2}:\\d\\d(?!\\d)(?::\\d\\d(?!\\d)(?:[.,]\\d+(?!\\d)|(?![.,]\\d)))?(?:Z(?!${word})|[+-]\\d\\d:?\\d\\d(?!${word})| [+-]\\d{4}(?!${word})|(?!:\\d)(?!${word}))`;
const dateEnd = (sign: string) => `(?:[T :]${time}|(?!${sign}\\d)(?!${word}))`;
const date = [
  ...['-', '/'].map(sign => `\\d{4}${sign}\\d{1,2}(?!\\d)${sign}\\d{1,2}(?!\\d)${dateEnd(sign)}`),
  ...['-', '/', '\\.'].map(
    sign =>
      `\\d{1,2}${sign}(?:\\d{1,2}|(?:(?=[^\\u0080-\\u{10ffff}])${letter}){3})${sign}\\d{4}(?!\\d)${dateEnd(sign)}`,
  ),
].join('|');
const byte = '(?:25[0-5]|2[0-4]\\d|[01]?\\d?\\d)';
const ipV4 = `${byte}(?:\\.${byte}){3}(?!\\.\\d)(?!${word})`;
const hex = '[0-9a-fA-F]';
const uuid = `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}(?!${word})`;
/** Matches a number greedily, without backtracking. */
const number = '(?=(\\d+(?:[.,]\\d+)*))\\1';
const unit = 'ns us ms s m h d min b k g t kb mb gb tb kib mib gib tib x px hz khz mhz ghz fps st nd rd th'
  .replaceAll(/[a-z]/g, char => `[${char}${char.toUpperCase()}]`)
  .replaceAll(' ', '|');

const rules: readonly [string, string | ((found: string) => string)][] = [
  [
    '\\^(?:[0-9*=_~]|r(?!WORD))|§[0-9a-fA-Fk-oK-OrRxX]|\\x1b\\[[\\x20-\\x3f]*[\\x40-\\x7e]'.replace(
      'WORD',
      word,
    ),
    '',
  ],
  [uuid, '<uuid>'],
  // A last pair that begins an IPv4 address belongs to that address.
  [`(?:${hex}{2}:){5}(?!${ipV4})${hex}{2}(?!:${hex}|::)(?!${word})`, '<mac>'],
  [date, '<time>'],
  [`(?<!:)${time}`, '<time>'],
  [ipV4, '<ip>'],
  [`(?=\\d*[a-fA-F])${hex}{8,}(?!${word})|0[xX]${hex}+(?!${word})`, '<hex>'],
  [`${number}[eE](?:\\d+|[+-]\\d+)(?!${word})`, '<n>'],
  [`${number}(?!${word})`, '<n>'],
  [`${number}(?:${unit})(?!${word})`, found => found.replace(/^[\d.,]+/, '<n>')],
  [`${number}${word}*`, '<id>'],
  [`${letter}+\\d${word}*`, '<id>'],
  [`${letter}+`, found => found],
];
const sticky = rules.map(([pattern, replacement]) => ({ pattern: new RegExp(pattern, 'uy'), replacement }));

function formatNaively(text: string): string {
  let template = '';
  let isBehindWord = false;
  for (let position = 0; position < text.length; ) {
    const token = readNaively(text, position, isBehindWord);
    if (token === null) {
      if (template !== '') break;
      position++;
      continue;
    }
    position += token.length;
    isBehindWord = token.isWord;
    const isNoBlank = !/^[ \t]/.test(token.output);
    if (!isNoBlank && (template === '' || template.endsWith(' '))) continue;
    if (Buffer.byteLength(template + token.output) > templateBytesMax) return `${template}…`;
    template += token.output;
  }
  return template.replace(/ $/, '');
}

/** Reads the next piece; null at the end of a line. */
function readNaively(text: string, position: number, isBehindWord: boolean) {
  const rest = text.slice(position);
  if (/^[\r\n]/.test(rest)) return null;
  if (/^[ \t]/.test(rest)) return { output: ' ', length: 1, isWord: false };
  if (!isBehindWord && /^[-+]\d/.test(rest)) return { output: '', length: 1, isWord: false };
  const address = /^[0-9a-f]/i.test(rest) || !isBehindWord ? findAddress(rest) : '';
  for (const { pattern, replacement } of sticky) {
    if (address !== '' && replacement === '<time>') break;
    pattern.lastIndex = position;
    const [found] = pattern.exec(text) ?? [];
    if (found === undefined) continue;
    if (replacement !== '<uuid>' && replacement !== '<mac>' && replacement !== '' && address !== '') break;
    const output = typeof replacement === 'string' ? replacement : replacement(found);
    return { output, length: found.length, isWord: replacement !== '' };
  }
  if (address !== '') return { output: '<ip>', length: address.length, isWord: true };
  const char = String.fromCodePoint(rest.codePointAt(0)!);
  return { output: char, length: char.length, isWord: false };
}

/** Finds groups with colons, as long as possible, and then judges them. */
function findAddress(rest: string): string {
  const group = `${hex}+`;
  const cut = new RegExp(`^(?:::)?(?:${group}(?:::?(?=${hex})|::(?!${hex}))?)*`, 'u').exec(rest)?.[0] ?? '';
  if (!cut.includes(':')) return '';
  const mapped = /(?<![0-9a-fA-F])\d+$/.exec(cut);
  const v4 = mapped ? new RegExp(`^${ipV4}`, 'u').exec(rest.slice(mapped.index))?.[0] : undefined;
  const whole = mapped && v4 ? cut.slice(0, mapped.index) + v4 : cut;
  const groups = cut.split(/::?/).filter(part => part !== '');
  const gaps = cut.split('::').length - 1;
  const count = groups.length + (v4 ? 1 : 0);
  if (new RegExp(`^${word}`, 'u').test(rest.slice(whole.length))) return '';
  if (gaps > 1 || groups.some((part, index) => part.length > 4 && !(v4 && index === groups.length - 1)))
    return '';
  if (gaps === 1) return /\d/.test(whole) && count > 0 && count < 8 ? whole : '';
  return count === 8 ? whole : '';
}
