/** Tests that every pair and all letters of identifiers in a block are found again under the texts that a query has for them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldCase } from '@tapedeck/values/case-folding';
import fc from 'fast-check';
import { type BlockEntry, makeBlock } from '../../../tests/blocks.ts';
import { addTexts, type TextSet } from './blockReading.ts';
import { LetterGrams } from './letterGrams.ts';
import { PairFilter } from './pairFilter.ts';
import { hashPair } from './pairHash.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('a', 'ß', '漢', '🎮', '\0', '\ud800', '\udc00'), maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(...'abcdEFGHyzZ0197 -_@[`{\u0080'), maxLength: 70 }),
  fc.constantFrom('', '0', 'true', 'player.id', 'x'.repeat(100_000), 'id7\u212aing', 'le\u017f\u017fons4'),
);

const entry = fc.record({
  leaves: fc.array(fc.tuple(text, text), { maxLength: 6 }), // the same path may come twice
  message: text,
  resource: text,
  parentId: text,
});

const openSet = (): TextSet => ({ pairs: new PairFilter(4096), letters: new LetterGrams() });

/** Lists the letters of a text that stand in runs of letters and digits with at least one digit. */
function listLetters(text: string): string[] {
  const runs = foldCase(text.toWellFormed()).match(/[a-z0-9]+/g) ?? [];
  return runs.filter(run => /[0-9]/.test(run)).flatMap(run => run.match(/[a-z]+/g) ?? []);
}

test('a set contains every pair and all letters of identifiers of a block, and counts its rows', () => {
  return fc.assert(
    fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 20 }), async entries => {
      const set = openSet();
      assert.equal(await addTexts(makeBlock(entries), set), entries.length);
      for (const { leaves, message, resource, parentId } of entries) {
        for (const [path, value] of leaves) {
          const hash = hashPair(`${path}\0${value}`);
          assert.ok(hash === null || set.pairs.has(hash), JSON.stringify([path, value]));
        }
        const identifiers = [message, resource, ...leaves.map(([, value]) => value)].flatMap(listLetters);
        const parents = foldCase(parentId.toWellFormed()).match(/[a-z]+/g) ?? [];
        for (const letters of [...identifiers, ...parents])
          assert.ok(set.letters.mayContain(letters), `${letters} of ${JSON.stringify(message)}`);
      }
    }),
  );
});

type LettersCase = { title: string; entry: BlockEntry; letters: string; mayContain: boolean };

const identifier = 'Player7Zeppelins';
const padding = 'of words and of more words '; // longer than a step of the reading

const cases: readonly LettersCase[] = [
  { title: 'behind a digit', entry: { message: identifier }, letters: 'zeppelin', mayContain: true },
  { title: 'before a digit', entry: { message: identifier }, letters: 'player', mayContain: true },
  { title: 'within', entry: { message: identifier }, letters: 'ppel', mayContain: true },
  { title: 'that begin like those', entry: { message: identifier }, letters: 'zeppo', mayContain: false },
  { title: 'across the digit', entry: { message: identifier }, letters: 'erze', mayContain: false },
  { title: 'that are too few', entry: { message: identifier }, letters: 'xyz', mayContain: true },
  { title: 'of a word', entry: { message: 'a zeppelin at 7' }, letters: 'zeppelin', mayContain: false },
  { title: 'beside another digit', entry: { message: 'zeppelin-7' }, letters: 'zeppelin', mayContain: false },
  { title: 'in a value', entry: { leaves: [['name', identifier]] }, letters: 'zeppelin', mayContain: true },
  { title: 'in a path', entry: { leaves: [[identifier, 'value']] }, letters: 'zeppelin', mayContain: false },
  { title: 'in a resource', entry: { resource: identifier }, letters: 'zeppelin', mayContain: true },
  { title: 'of a parent', entry: { parentId: 'a zeppelin' }, letters: 'zeppelin', mayContain: true },
  { title: 'in a dataset', entry: {}, letters: 'game', mayContain: false },
  { title: 'of an accent', entry: { message: 'é7zeppelin' }, letters: 'zeppelin', mayContain: true },
];

for (const { title, entry, letters, mayContain } of cases)
  test(`letters ${title} ${mayContain ? 'may be' : 'are not'} there, wherever the text begins`, async () => {
    const { message = '' } = entry;
    for (let length = 0; length <= padding.length; length++) {
      const set = openSet();
      await addTexts(makeBlock([{ ...entry, message: `${padding.slice(0, length)}${message}` }]), set);
      assert.equal(set.letters.mayContain(letters), mayContain, `after ${length} bytes`);
    }
  });

const units = ['1aaaa', 'abcdefghijklmnopqrstuvwxyzab1', 'a', '0123456789abcdef', 'a1'];

for (const unit of units)
  test(`reads ${unit} over and over without delaying other work`, async () => {
    const message = unit.repeat(1_000_000 / unit.length);
    const block = makeBlock(
      Array.from({ length: 16 }, () => ({ message, leaves: [['text', message]] as const })),
    );
    let longest = 0;
    let before = process.threadCpuUsage();
    const look = () => {
      const { user, system } = process.threadCpuUsage(before);
      longest = Math.max(longest, user + system);
      before = process.threadCpuUsage();
    };
    const looking = setInterval(look, 0);
    await addTexts(block, openSet());
    clearInterval(looking);
    look();
    assert.ok(longest < 50_000, `${longest} µs of processor time in one turn`); // CONTRACT.md, 14
  });
