/** Tests properties of random trees, texts and entries. QUERIES=100000 tries more of them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { foldCase } from '@tapedeck/values/case-folding';
import fc from 'fast-check';
import { compileCondition, MatchableEntry, type QueriedEntry } from '../src/evaluation.ts';
import { listSpans } from '../src/highlighting.ts';
import { QueryMistake } from '../src/mistakes.ts';
import { parseQuery } from '../src/parser.ts';
import { printQuery } from '../src/printer.ts';
import { allOf, type Condition, negate, type Query } from '../src/tree.ts';
import { findTyping } from '../src/typing.ts';
import { randomEntry, randomParameters, randomQuery, randomText } from './randomQueries.ts';

const numRuns = Number(process.env.QUERIES ?? 3000);
const anyText = fc.oneof(randomText, fc.string({ unit: 'binary', maxLength: 40 }));

describe('Parser and printer', () => {
  test('a printed tree parses back to itself', () => {
    const check = (query: Query) => assert.deepStrictEqual(parseQuery(printQuery(query)), query);
    fc.assert(fc.property(randomQuery.filter(isWithinLimits), check), { numRuns });
  });

  test('a printed text means the same, and prints as itself', () => {
    let accepted = 0;
    const check = (text: string) => {
      const query = tryParse(text);
      if (query === null) return;
      accepted++;
      const printed = printQuery(query);
      assert.deepStrictEqual(parseQuery(printed), query);
      assert.equal(printQuery(query), printed);
    };
    fc.assert(fc.property(randomText, check), { numRuns: numRuns * 3 });
    assert.ok(accepted > numRuns / 4, `only ${accepted} of the texts were accepted`);
  });

  test('throws only mistakes, which lie within the text', () => {
    const check = (text: string) => {
      const { mistake, spans } = listSpans(text);
      if (mistake !== null)
        assert.ok(0 <= mistake.position && mistake.position <= mistake.end && mistake.end <= text.length);
      const [starts, ends] = [spans.map(({ start }) => start), spans.map(({ end }) => end)];
      assert.deepEqual(
        ends.slice(0, -1).filter((end, index) => end > starts[index + 1]!),
        [],
      );
      // Spans cover everything but blanks.
      assert.equal(
        spans.reduceRight((rest, { start, end }) => rest.slice(0, start) + rest.slice(end), text).trim(),
        '',
      );
    };
    fc.assert(fc.property(anyText, check), { numRuns: numRuns * 3 });
  });

  test('finds the typed part at every caret position, surrounded by what it replaces', () => {
    const check = (text: string) => {
      for (let caret = 0; caret <= text.length; caret++) {
        const { from, to, written } = findTyping(text, caret);
        assert.ok(from <= caret && caret <= to);
        assert.equal(written, text.slice(from, caret));
      }
    };
    fc.assert(fc.property(anyText, check), { numRuns });
  });
});

describe('parsing time grows with the length of the text, whatever it is', () => {
  const units = [
    '(',
    ')',
    '"',
    '-',
    '\\',
    '"\\',
    ':',
    '*',
    'a*',
    'x:(',
    'x:("',
    'x:(a,',
    ',',
    '>',
    'a ',
    '-(',
    'NOT ',
    '"" ',
    'x:*a',
  ];
  for (const unit of units) {
    test(`${unit} repeatedly`, () => {
      const judge = (bytes: number) => measureMs(() => listSpans(unit.repeat(bytes / unit.length)));
      assert.ok(judge(2048) < 100);
      // The parser rejects longer texts, but still cuts them into tokens. Quadratic work would take minutes.
      assert.ok(judge(200_000) < 5000);
    });
  }
});

describe('the filter for entries', () => {
  const check = (condition: Condition, entry: QueriedEntry) => {
    const expected = matchNaively(condition, entry);
    assert.equal(compileCondition(condition)(new MatchableEntry(entry)), expected);
    assert.equal(compileCondition(negate(condition))(new MatchableEntry(entry)), !expected);
    return expected;
  };

  test('agrees with a simpler one', () => {
    let matches = 0;
    const property = fc.property(randomQuery, randomEntry, (query, entry) => {
      if (check(query, entry)) matches++;
    });
    fc.assert(property, { numRuns: numRuns * 5 });
    assert.ok(matches > numRuns && matches < numRuns * 4, `${matches} matched`);
  });

  test('agrees with it about parameters, too', () => {
    const property = fc.property(randomQuery, randomParameters, randomEntry, (query, parameters, entry) => {
      check(allOf([query, parameters]), entry);
      check(parameters, entry);
    });
    fc.assert(property, { numRuns });
  });
});

function tryParse(text: string): Query | null {
  try {
    return parseQuery(text);
  } catch (error) {
    if (error instanceof QueryMistake) return null;
    throw error;
  }
}

function isWithinLimits(query: Query): boolean {
  return countTerms(query) <= 64 && Buffer.byteLength(printQuery(query)) <= 2048;
}

function countTerms(query: Query): number {
  if (query.kind === 'not') return countTerms(query.tree);
  if (query.kind !== 'and' && query.kind !== 'or') return 1;
  return query.trees.reduce((count, tree) => count + countTerms(tree), 0);
}

function measureMs(run: () => void): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Evaluates conditions naively: regular expressions handle letter case and stars, JSON handles numbers. */
function matchNaively(condition: Condition, entry: QueriedEntry): boolean {
  const { kind } = condition;
  if (kind === 'and') return condition.trees.every(tree => matchNaively(tree, entry));
  if (kind === 'or') return condition.trees.some(tree => matchNaively(tree, entry));
  if (kind === 'not') return !matchNaively(condition.tree, entry);
  if (kind === 'everything') return true;
  const texts = [entry.body, ...Object.values(entry.metadata)];
  if (kind === 'content') return texts.some(text => matches(text, ['', condition.text, '']));
  if (kind === 'textParts')
    return [...texts, entry.resource].some(text => matches(text, ['', ...condition.parts, '']));
  if (kind === 'text') {
    return (
      [...texts, entry.resource].some(text => matches(text, ['', condition.text, ''])) ||
      foldCase(entry.parentId) === foldCase(condition.text) ||
      entry.traceId === condition.text.toLowerCase()
    );
  }
  if (kind === 'level') return condition.levels.join().includes(entry.level);
  // The language has no members, so the field is an ordinary one.
  if (kind === 'compare') return compareNaively(condition as Extract<Query, { kind: 'compare' }>, entry);
  if (['bodyExactly', 'contains', 'matches', 'bodyPattern', 'plainMembers', 'plainPairs'].includes(kind))
    throw new Error(`no text of the language asks for ${kind}`);
  // Only these kinds are left.
  return matchValuesNaively(condition as Extract<Query, { kind: 'field' | 'body' }>, entry);
}

function matchValuesNaively(term: Extract<Query, { kind: 'field' | 'body' }>, entry: QueriedEntry): boolean {
  const found = readNaively(entry, term.kind === 'body' ? { kind: 'body' } : term.field);
  const isPath = term.kind === 'field' && term.field.kind === 'metadata';
  return term.values.some(value => {
    if (found === undefined) return false;
    if (value.kind === 'empty') return found === '';
    if (value.kind === 'present') return isPath || found.length > 0;
    if (value.kind === 'equals') return found === value.text;
    return matches(found, value.kind === 'holds' ? ['', ...value.parts, ''] : value.parts);
  });
}

function compareNaively(term: Extract<Query, { kind: 'compare' }>, entry: QueriedEntry): boolean {
  const text = readNaively(entry, term.field) ?? '';
  let value: unknown;
  try {
    value = text.trim() === text ? JSON.parse(text) : null;
  } catch {
    return false;
  }
  if (typeof value !== 'number') return false;
  const { operator, number } = term;
  if (value === number) return operator.endsWith('=');
  return operator.startsWith('>') ? value > number : value < number;
}

function readNaively(entry: QueriedEntry, field: { kind: string; path?: string }): string | undefined {
  if (field.kind === 'metadata') return new Map(Object.entries(entry.metadata)).get(field.path ?? '');
  return String(new Map(Object.entries(entry)).get(field.kind) ?? '');
}

function matches(text: string, parts: readonly string[]): boolean {
  const escaped = parts.map(part => part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`, 'sui').test(text);
}
