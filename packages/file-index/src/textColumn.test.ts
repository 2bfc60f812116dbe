/** Compares every way of marking texts with checking them one by one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findJsonNumber, holdsParts, matchesParts } from '@tapedeck/log-query-language';
import { foldCase } from '@tapedeck/values/case-folding';
import fc from 'fast-check';
import { type Mask, TextColumn } from './textColumn.ts';
import { TextHashes } from './textHashes.ts';

// Few distinct characters, so that needles occur at the start, at the end, across texts and repeatedly.
const textOf = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom('4', '3', 'a', 'A', 'ẞ', '\0', '\u{10400}'), maxLength });
const texts = fc.array(textOf(6), { maxLength: 40 });
const parts = fc.array(textOf(2).map(foldCase), { minLength: 1, maxLength: 3 });

const ways: Record<
  string,
  {
    mark(column: TextColumn, asked: { text: string; parts: string[] }): Mask;
    means(text: string, asked: { text: string; parts: string[] }): boolean;
  }
> = {
  'equal texts': {
    mark: (column, { text }) => column.markEqual(text),
    means: (text, asked) => text === asked.text,
  },
  'texts that contain the parts': {
    mark: (column, asked) => column.markHolding(asked.parts.map(part => part || 'a')),
    means: (text, asked) =>
      holdsParts(
        foldCase(text),
        asked.parts.map(part => part || 'a'),
      ),
  },
  'texts made up of the parts': {
    mark: (column, asked) => column.markMatching(asked.parts),
    means: (text, asked) => matchesParts(foldCase(text), asked.parts),
  },
  'texts that contain a part anywhere': {
    mark: (column, { parts: [part = ''] }) => column.markMatching(['', part, '']),
    means: (text, { parts: [part = ''] }) => matchesParts(foldCase(text), ['', part, '']),
  },
  numbers: {
    mark: column => column.markNumbers(number => number > 40),
    means: text => (findJsonNumber(text) ?? 0) > 40,
  },
};

describe('a column marks', () => {
  for (const [name, { mark, means }] of Object.entries(ways))
    it(name, () => {
      const property = fc.property(texts, textOf(3), parts, (all, text, asked) => {
        const marked = [...mark(TextColumn.of(all), { text, parts: asked })];
        assert.deepEqual(
          marked,
          all.map(one => Number(means(one, { text, parts: asked }))),
        );
      });
      fc.assert(property, { numRuns: 500 });
    });
});

it('hashes find every text, and reject most that are absent', () => {
  const there = Array.from({ length: 1000 }, (_, index) => `player ${index}`);
  const hashes = TextHashes.of(there);
  assert.ok(there.every(text => hashes.mayHold(text)));
  const absent = there.map(text => `${text}x`).filter(text => hashes.mayHold(text));
  assert.ok(absent.length < 250, `${absent.length} of 1000`);
  assert.ok(!TextHashes.of([]).mayHold(''));
});
