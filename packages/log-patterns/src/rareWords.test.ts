/** Tests lines with the same signs: words that are rare in their place vary, and words that several lines share stay. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findRare } from './rareWords.ts';
import { splitTemplate } from './tokens.ts';

const words = 'amber birch cedar delta ember flint grove heath inlet jetty kiosk lemon'.split(' ');
const find = (lines: readonly string[]) =>
  [...new Set(findRare(lines.map(line => splitTemplate(line).tokens)).values())].sort();
const pairs = words.map((word, index) => [word, words[(index + 5) % words.length]] as const);

const rows: readonly [title: string, lines: readonly string[], becomes: readonly string[]][] = [
  ['several side by side', pairs.map(([one, other]) => `sudo: ${one} ${other} as root`), ['sudo: <*> <*> as root']],
  [
    'shared words stay',
    ['paid', 'fined'].flatMap(done => pairs.map(([one, other]) => `bank: ${one} ${other} ${done}`)),
    ['bank: <*> <*> fined', 'bank: <*> <*> paid'],
  ],
  ['too few lines', pairs.slice(1).map(([one, other]) => `sudo: ${one} ${other} as root`), []],
  ['decisive words', words.map(word => `door ${word} was opened`).concat(words.map(word => `door ${word} was closed`)), ['door <*> was closed', 'door <*> was opened']],
  ['nothing in common', pairs.map(([one, other]) => `${one} ${other} now`), []],
]; // biome-ignore format: a table

for (const [title, lines, becomes] of rows) test(title, () => assert.deepEqual(find(lines), becomes));
