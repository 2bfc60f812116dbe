/**
 * Regular expressions in RE2's syntax. Matching takes time linear in the text, so no expression can block a thread.
 */
import { RE2JS } from 're2js';
import { rewriteClasses } from './classNames.ts';
import { charactersMax, weighExpression, weightMax } from './expressionWeights.ts';
import { parseMistake } from './mistakes.ts';

export type Expression = {
  /** Names of the groups, in the order of the groups. */
  groupNames: readonly string[];
  /** Names and numbers of the groups; of several with one name, the first. */
  groups: readonly (readonly [name: string, group: number])[];
  /** Whether the expression matches anywhere in the text. */
  test(text: string): boolean;
  /** Returns the groups of the first match, by number and by name; null without a match. */
  find(
    text: string,
  ): { groups: readonly (string | null)[]; named: readonly [name: string, value: string][] } | null;
  replaceAll(text: string, replacement: string): string;
  count(text: string): number;
};

type Known = { expression: Expression; weight: number };

const knownWeightMax = 200_000; // for all cached expressions of a thread: about sixty megabytes
/** RE2JS keeps what it learns while testing, at most eight megabytes per expression. Few ever come near. */
const learnedWeightMax = 27_000;
const learnedPerWeight = 500;
const known = new Map<string, Known>();
let knownWeight = 0;

/** Caches expressions. Throws a `LogqlMistake` for an invalid one. */
export function compileExpression(source: string, occasion = ''): Expression {
  const found = known.get(source) ?? compileNew(source, occasion);
  known.delete(source);
  known.set(source, found);
  for (const [oldest, { weight }] of known) {
    if (knownWeight <= knownWeightMax) break;
    known.delete(oldest);
    knownWeight -= weight;
  }
  return found.expression;
}

function compileNew(source: string, occasion: string): Known {
  const { expression: written, unknown, unwritable } = rewriteClasses(source);
  if (unwritable !== null)
    throw parseMistake(`${occasion}\`${unwritable}\` is not supported in brackets yet`);
  const weight = weighBounded(written, occasion);
  const compiled = compileWritten({ source, written }, occasion); // reports other mistakes first
  if (unknown !== null)
    throw parseMistake(`${occasion}error parsing regexp: invalid character class range: \`${unknown}\``);
  const created: Known = { weight, expression: compiled };
  const test = countFirst(compiled.test, () => learn(source, created));
  created.expression = weight > testedFirstMin ? testFirst(compiled, test) : { ...compiled, test };
  knownWeight += weight;
  return created;
}

/** Mistakes show the expression as it stands in the query. */
function compileWritten(
  { source, written }: { source: string; written: string },
  occasion: string,
): Expression {
  try {
    return compile(written, occasion);
  } catch (mistake) {
    if (written !== source) compileRe2(source, occasion);
    throw mistake;
  }
}

/** Searching with a heavy expression takes seconds for a long text, testing takes milliseconds. */
const testedFirstMin = 300;

function testFirst(expression: Expression, test: Expression['test']): Expression {
  return {
    ...expression,
    test,
    find: text => (test(text) ? expression.find(text) : null),
    replaceAll: (text, replacement) => (test(text) ? expression.replaceAll(text, replacement) : text),
    count: text => (test(text) ? expression.count(text) : 0),
  };
}

/** Calls `count` before the first test. */
function countFirst(test: Expression['test'], count: () => void): Expression['test'] {
  let isCounted = false;
  return text => {
    if (!isCounted) {
      isCounted = true;
      count();
    }
    return test(text);
  };
}

/** Adds the weight of what RE2JS may learn from testing. The next expression to be compiled takes the place of the oldest ones. */
function learn(source: string, tested: Known): void {
  if (known.get(source) !== tested) return; // it has made room already
  const weight = Math.min(tested.weight * learnedPerWeight, learnedWeightMax);
  tested.weight += weight;
  knownWeight += weight;
}

/** Throws a `LogqlMistake` if the expression is too long or repeats too much. */
function weighBounded(source: string, occasion: string): number {
  if (source.length > charactersMax)
    throw parseMistake(`${occasion}an expression has at most ${charactersMax} characters`);
  const weight = weighExpression(source);
  if (weight > weightMax)
    throw parseMistake(`${occasion}error parsing regexp: expression too large: \`${source}\``);
  return weight;
}

/** Writes a valid expression so that the log store can compile it, too. */
export function writeForStore(source: string): string {
  return rewriteClasses(source).expression;
}

/** Anchors an expression to the whole text, as label matchers require. */
export function anchor(source: string): string {
  return `^(?s:${source})$`;
}

function compile(source: string, occasion: string): Expression {
  const { compiled, twice } = compileNamed(source, occasion);
  // Maps names to group numbers, as the documentation of RE2JS says.
  const names = Object.entries(compiled.namedGroups() as Record<string, number>).sort(
    ([, one], [, other]) => one - other,
  );
  return {
    groupNames: [...names.map(([name]) => name), ...twice],
    groups: names,
    // Unlike a search for the place, testing runs an automaton, whose time does not grow with the expression's repetitions.
    test: text => compiled.test(text),
    find: text => {
      const matcher = compiled.matcher(text);
      if (!matcher.find()) return null;
      const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, index) => matcher.group(index));
      return { groups, named: names.map(([name, index]) => [name, groups[index] ?? '']) };
    },
    replaceAll: (text, replacement) => replaceMatches(compiled, text, replacement),
    count: text => {
      const matcher = compiled.matcher(text);
      let count = 0;
      let end = -1;
      for (; matcher.find(); end = matcher.end()) if (matcher.end() > end) count++; // as in Go, no empty match follows another match
      return count;
    },
  };
}

const namedGroup = /(?<=(?<!\\)(?:\\\\)*)\(\?P?<(\w+)>/g;

/** Go allows several groups with the same name, but RE2JS does not. Only the first group keeps the name. */
function compileNamed(source: string, occasion: string): { compiled: RE2JS; twice: readonly string[] } {
  const known = new Set<string>();
  const twice: string[] = [];
  const plain = source.replaceAll(namedGroup, (all, name: string) => {
    if (!known.has(name)) {
      known.add(name);
      return all;
    }
    twice.push(name);
    return '(';
  });
  return { compiled: compileRe2(twice.length === 0 ? source : plain, occasion), twice };
}

function compileRe2(source: string, occasion: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (cause) {
    const sentence = cause instanceof Error ? cause.message : String(cause);
    const rest = sentence.endsWith('trailing backslash at end of expression') ? ': ``' : ''; // as Go writes it
    throw parseMistake(`${occasion}${sentence}${rest}`);
  }
}

/** Expands references to groups as Go does: `$1`, `${1}` and `${name}`. */
export function expandReplacement(
  replacement: string,
  groups: readonly (string | null)[],
  named: ReadonlyMap<string, string>,
): string {
  return replacement.replaceAll(
    /\$(?:\$|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu,
    (all, braced?: string, plain?: string) => {
      if (all === '$$') return '$';
      const name = braced ?? plain ?? '';
      return (/^\d+$/.test(name) ? groups[Number(name)] : named.get(name)) ?? '';
    },
  );
}

function replaceMatches(compiled: RE2JS, text: string, replacement: string): string {
  // As in `compile`.
  const names = Object.entries(compiled.namedGroups() as Record<string, number>);
  const matcher = compiled.matcher(text);
  const pieces: string[] = [];
  let end = 0;
  while (matcher.find()) {
    const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, index) => matcher.group(index));
    const named = new Map(names.map(([name, index]) => [name, groups[index] ?? '']));
    pieces.push(text.slice(end, matcher.start()));
    // As in Go, no empty match follows another match.
    if (matcher.end() > end || matcher.start() === 0)
      pieces.push(expandReplacement(replacement, groups, named));
    end = matcher.end();
  }
  return pieces.join('') + text.slice(end);
}
