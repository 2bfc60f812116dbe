/**
 * Chooses the index entries that lead to a rare text. Indexes know words and identifiers, and a term may begin or end inside
 * one, so a condition says what an index must contain wherever the term occurs. These conditions only narrow the search.
 */
import { type Condition, isParsedField } from '@tapedeck/log-query-language';
import { foldCase } from '@tapedeck/values/case-folding';
import { findLiterals, listAlternatives } from './expressionLiterals.ts';

type Filter = { column: 'tokens' | 'codes'; text: string; grams: number };

const gramCharacters = { tokens: 4, codes: 6 }; // as `schema.ts` declares the filters

/** Lists texts in a part that filters of identifiers can find, the best first. */
function listFilters(part: string): Filter[] {
  const tokens = (part.match(/[a-z0-9]+/g) ?? []).filter(run => /[0-9]/.test(run) && /[a-z]/.test(run));
  const scripts = part.match(/[^\0-\x7f]+/g) ?? [];
  const codes = (part.match(/[0-9a-f.:-]+/g) ?? []).filter(run => /[0-9]/.test(run));
  const weigh = (column: Filter['column']) => (text: string) => {
    const grams = [...text].length - gramCharacters[column] + 1;
    // A granule full of identifiers contains every gram of four hexadecimal digits.
    const isSelective = column === 'codes' || /[^0-9a-f]/.test(text);
    return { column, text, grams: isSelective ? grams : Math.min(grams, 1) };
  };
  return [...[...tokens, ...scripts].map(weigh('tokens')), ...codes.map(weigh('codes'))]
    .filter(({ grams }) => grams > 0)
    .sort((one, other) => other.grams - one.grams);
}

/** Finds the longest whole word in the part. */
function findWholeWord(part: string): string | null {
  return findLongest(part.match(/(?<=[^a-z0-9])[a-z]+(?=[^a-z0-9])/g) ?? []);
}

/** Finds the longest run of letters. At the edge of a part, they may belong to an identifier. */
function findLetters(part: string): string | null {
  return findLongest(part.match(/(?<![a-z0-9])[a-z]+(?![a-z0-9])/g) ?? []);
}

function findLongest(texts: readonly string[]): string | null {
  return texts.reduce<string | null>((best, text) => (text.length > (best?.length ?? 0) ? text : best), null);
}

type Needle = { weight: number } & (
  | ({ kind: 'filter' } & Filter)
  /** These letters are a word of the text. */
  | { kind: 'word'; letters: string }
  /** These letters are in a word of the text, or in an identifier. */
  | { kind: 'letters'; letters: string }
  | { kind: 'none' }
);

/** Finds the best index entry for the parts, which occur in this order in one text. */
export function findNeedle(parts: readonly string[]): Needle {
  const folded = parts.map(foldCase);
  const [best] = folded.flatMap(listFilters).sort((one, other) => other.grams - one.grams);
  if (best !== undefined && best.grams >= telling)
    return { kind: 'filter', weight: 100 + best.grams, ...best };
  const word = findLongest(folded.flatMap(part => findWholeWord(part) ?? []));
  if (word !== null) return { kind: 'word', weight: 50 + word.length, letters: word };
  const letters = findLongest(folded.flatMap(part => findLetters(part) ?? []));
  if (letters !== null) return { kind: 'letters', weight: 1 + letters.length, letters };
  if (best !== undefined) return { kind: 'filter', weight: 1, ...best };
  return { kind: 'none', weight: 0 };
}

const telling = 3; // grams; fewer occur in many places
const selectiveLetters = 4; // letters of a word that may be inside an identifier: the grams of that filter
const indexedFields: readonly string[] = ['metadata', 'parentId', 'traceId'];

/** Whether an index leads to the matches. */
export function isLed(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.trees.some(isLed);
    case 'or':
      return condition.trees.every(isLed);
    case 'text':
    case 'content':
      return isServed([condition.text]);
    case 'textParts':
      return isServed(condition.parts);
    case 'bodyExactly':
      return isServed([condition.text]);
    case 'bodyPattern':
      return isServed(condition.pieces.filter(piece => piece !== null));
    case 'matches':
      return (
        condition.field.kind === 'body' &&
        (isServed(findLiterals(condition.expression)) || (listAlternatives(condition)?.every(isLed) ?? false))
      );
    case 'body':
      return condition.values.every(value => value.kind === 'holds' && isServed(value.parts));
    case 'field': {
      const { kind: field } = condition.field;
      const isServedValue = (value: (typeof condition.values)[number]) =>
        value.kind === 'equals' || (value.kind === 'parts' && field === 'metadata' && isServed(value.parts));
      return indexedFields.includes(field) && condition.values.every(isServedValue);
    }
    default:
      return false;
  }
}

/** Whether an index or the key may exclude any entries that do not match. */
export function isNarrowed(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.trees.some(isNarrowed);
    case 'or':
      return condition.trees.every(isNarrowed);
    case 'not':
      return condition.tree.kind === 'everything'; // such a condition matches nothing
    case 'bodyExactly':
      return isHinted([condition.text]);
    case 'compare':
    case 'contains':
    case 'plainMembers':
    case 'plainPairs':
      return false;
    case 'matches':
      return (
        condition.field.kind !== 'body' ||
        isHinted(findLiterals(condition.expression)) ||
        (listAlternatives(condition)?.every(isNarrowed) ?? false)
      );
    case 'field':
      return !isParsedField(condition.field);
    default:
      return true; // assumed for all other terms
  }
}

/** Whether a single index finds the parts. Letters that may be inside an identifier need two indexes. */
function isHinted(parts: readonly string[]): boolean {
  const { kind } = findNeedle(parts);
  return kind === 'filter' || kind === 'word';
}

function isServed(parts: readonly string[]): boolean {
  const needle = findNeedle(parts);
  if (needle.kind === 'letters') return needle.letters.length >= selectiveLetters;
  return needle.kind === 'word' || (needle.kind === 'filter' && needle.grams >= telling);
}
