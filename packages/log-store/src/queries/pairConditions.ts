/** Finds the parts that lack what a condition asks for, by pairs of path and value. */
import type { Condition } from '@tapedeck/log-query-language';
import type { KnownWords } from './knownWords.ts';

const pairsMax = 16; // of a question

/** The pairs of which an entry must have one; null: the term asks for something else. */
function readPairs(condition: Condition): string[] | null {
  if (condition.kind !== 'field' || condition.field.kind !== 'metadata') return null;
  const { path } = condition.field;
  const texts = condition.values.map(value => (value.kind === 'equals' ? value.text : null));
  return texts.every(text => text !== null) ? texts.map(text => `${path}\0${text}`) : null;
}

/** Those that the engine would look for in its filters. */
export function listPairs(condition: Condition): string[] {
  return [...new Set(collectPairs(condition))].slice(0, pairsMax);
}

function collectPairs(condition: Condition): string[] {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.trees.flatMap(collectPairs);
  return readPairs(condition) ?? [];
}

/** Names of parts that hold no entry that meets the condition. Others may hold none, too. */
export function listPartsWithout(condition: Condition, known: KnownWords): ReadonlySet<string> {
  if (condition.kind === 'and' || condition.kind === 'or') {
    const each = condition.trees.map(tree => listPartsWithout(tree, known));
    const [first = new Set<string>(), ...others] = each;
    return condition.kind === 'and'
      ? new Set(each.flatMap(names => [...names]))
      : new Set([...first].filter(name => others.every(names => names.has(name))));
  }
  const pairs = readPairs(condition);
  return new Set(pairs === null || pairs.length === 0 ? [] : known.listWithoutPairs(pairs));
}

/** Whether no part holds an entry that meets the condition. */
export function isNowhere(condition: Condition, known: KnownWords): boolean {
  const { size } = listPartsWithout(condition, known);
  return size > 0 && size === known.parts;
}
