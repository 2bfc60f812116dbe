/** Finds parts without a match, by what every match must have: pairs of path and value, and letters within identifiers. */
import { type Condition, findTraceId } from '@tapedeck/log-query-language';
import { foldCase } from '@tapedeck/values/case-folding';
import { findLiterals } from './expressionLiterals.ts';
import type { KnownWords } from './knownWords.ts';

const pairsMax = 16; // per query
const lettersMin = 4; // fewer are in nearly every part

/** Reads the pairs of which a match must have one; null for other terms. */
function readPairs(condition: Condition): string[] | null {
  if (condition.kind !== 'field' || condition.field.kind !== 'metadata') return null;
  const { path } = condition.field;
  const texts = condition.values.map(value => (value.kind === 'equals' ? value.text : null));
  return texts.every(text => text !== null) ? texts.map(text => `${path}\0${text}`) : null;
}

/** Reads the letters that a match must have within identifiers: those in runs of letters and digits with at least one digit. */
function readLetters(condition: Condition): string[] {
  const runs = listTexts(condition).flatMap(text => foldCase(text).match(/[a-z]*[0-9][a-z0-9]*/g) ?? []);
  return runs.flatMap(run => run.match(/[a-z]+/g) ?? []).filter(letters => letters.length >= lettersMin);
}

/** Lists texts that a match must have in its body, a value, its resource or its `parentId`. */
function listTexts(condition: Condition): readonly string[] {
  switch (condition.kind) {
    case 'text':
      return findTraceId(condition.text) === null ? [condition.text] : [];
    case 'content':
    case 'bodyExactly':
      return [condition.text];
    case 'textParts':
      return condition.parts;
    case 'bodyPattern':
      return condition.pieces.filter(piece => piece !== null);
    case 'matches':
      return condition.field.kind === 'body' ? findLiterals(condition.expression) : [];
    case 'body': {
      const [value, ...others] = condition.values;
      return value?.kind === 'holds' && others.length === 0 ? value.parts : [];
    }
    default:
      return [];
  }
}

/** Lists the pairs that the engine would look up in its filters. */
export function listPairs(condition: Condition): string[] {
  return [...new Set(collectPairs(condition))].slice(0, pairsMax);
}

function collectPairs(condition: Condition): string[] {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.trees.flatMap(collectPairs);
  return readPairs(condition) ?? [];
}

/** Whether parts may lack letters that the condition requires. */
export function requiresLetters(condition: Condition): boolean {
  if (condition.kind === 'and') return condition.trees.some(requiresLetters);
  if (condition.kind === 'or') return condition.trees.every(requiresLetters);
  return readLetters(condition).length > 0;
}

/** Lists parts that certainly have no match. Other parts may have none, too. */
export function listPartsWithout(condition: Condition, known: KnownWords): ReadonlySet<string> {
  if (condition.kind === 'and' || condition.kind === 'or') {
    const each = condition.trees.map(tree => listPartsWithout(tree, known));
    const [first = new Set<string>(), ...others] = each;
    return condition.kind === 'and'
      ? new Set(each.flatMap(names => [...names]))
      : new Set([...first].filter(name => others.every(names => names.has(name))));
  }
  const pairs = readPairs(condition) ?? [];
  if (pairs.length > 0) return new Set(known.listWithoutPairs(pairs));
  const letters = readLetters(condition);
  return new Set(letters.length > 0 ? known.listWithoutLetters(letters) : []);
}

/** Whether certainly no part has a match. */
export function isNowhere(condition: Condition, known: KnownWords): boolean {
  const { size } = listPartsWithout(condition, known);
  return size > 0 && size === known.parts;
}
