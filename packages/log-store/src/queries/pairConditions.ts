/** Finds parts without a match, by pairs of path and value. */
import type { Condition } from '@tapedeck/log-query-language';
import type { KnownWords } from './knownWords.ts';

const pairsMax = 16; // per query

/** Reads the pairs of which a match must have one; null for other terms. */
function readPairs(condition: Condition): string[] | null {
  if (condition.kind !== 'field' || condition.field.kind !== 'metadata') return null;
  const { path } = condition.field;
  const texts = condition.values.map(value => (value.kind === 'equals' ? value.text : null));
  return texts.every(text => text !== null) ? texts.map(text => `${path}\0${text}`) : null;
}

/** Lists the pairs that the engine would look up in its filters. */
export function listPairs(condition: Condition): string[] {
  return [...new Set(collectPairs(condition))].slice(0, pairsMax);
}

function collectPairs(condition: Condition): string[] {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.trees.flatMap(collectPairs);
  return readPairs(condition) ?? [];
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
  const pairs = readPairs(condition);
  return new Set(pairs === null || pairs.length === 0 ? [] : known.listWithoutPairs(pairs));
}

/** Whether certainly no part has a match. */
export function isNowhere(condition: Condition, known: KnownWords): boolean {
  const { size } = listPartsWithout(condition, known);
  return size > 0 && size === known.parts;
}
