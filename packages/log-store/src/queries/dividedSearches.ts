/** Divides a search into several statements, each of which uses one index. */

import type { Condition } from '@tapedeck/log-query-language';
import { foldCase } from '@tapedeck/values/case-folding';
import { Binder } from '../writer/engine/statements.ts';
import { restText } from '../writer/schema/schema.ts';
import { findNeedle } from './indexPruning.ts';
import type { KnownWords } from './knownWords.ts';
import {
  foldToAscii,
  formatContained,
  formatSearch,
  joinAll,
  joinAny,
  readSearch,
  type Search,
} from './textConditions.ts';

/** Conditions of a statement. The engine computes `last` only for entries that meet the others. */
export type Alternative = { conditions: string[]; last?: string };

/** Alternatives: an entry meets at most one. A higher weight means that they lead to fewer entries. */
export type Division = {
  weight: number;
  alternatives: Alternative[];
  /** Whether alternatives that find nothing in merged parts were left out. */
  isNarrowed: boolean;
};

/**
 * Formats conditions for several statements that together find each matching entry once. Each statement uses one index,
 * which leads to single entries or excludes nearly all. A single statement with OR would read every granule that any of
 * the indexes names.
 */
export function formatSearchApart(
  term: Condition,
  binder: Binder,
  known: KnownWords | null,
): Division | null {
  const search = readSearch(term, binder);
  if (search === null) return null;
  const { exact, besides, parts } = search;
  const needle = findNeedle(parts);
  if (needle.kind === 'none') return null;
  const { weight } = needle;
  if (needle.kind !== 'filter') return formatWords(search, { ...needle, known }, binder);
  const hinted = [exact, formatContained(needle.column, needle.text, binder)];
  const alternatives =
    besides.traceId === null ? [hinted] : [[besides.traceId], [...hinted, `NOT ${besides.traceId}`]];
  return { weight, alternatives: alternatives.map(conditions => ({ conditions })), isNarrowed: false };
}

/**
 * Formats one statement for several texts, any of which may occur, if the filters of identifiers lead to each; null otherwise. The filters exclude
 * the places that hold none of the texts. A statement for each text would read the filters again, and takes ten texts four times as long.
 */
export function formatFilteredTexts(terms: readonly Condition[], binder: Binder): Division | null {
  const weights = terms.map(weighFilter);
  if (weights.some(weight => weight === null)) return null;
  const texts = terms.map(term => joinAll(formatSearch(term, { binder, mayHint: true }) ?? []));
  const weight = Math.min(...weights.map(Number));
  return { weight, alternatives: [{ conditions: [joinAny(texts)] }], isNarrowed: false };
}

/** Weighs a text to which filters alone lead; null for other terms. */
function weighFilter(term: Condition): number | null {
  const search = readSearch(term, new Binder());
  if (search === null || search.besides.traceId !== null) return null;
  const { kind, weight } = findNeedle(search.parts);
  return kind === 'filter' ? weight : null;
}

type Words = { kind: 'word' | 'letters'; letters: string; weight: number };

const absentWeight = 1_000; // a word in no part leads to no entries at all

/** Searches words of bodies, other words, and identifiers. The index of identifiers also contains parentIds. */
function formatWords(
  { reach, exact, besides, isPlain, parts }: Search,
  { kind, letters, known, weight }: Words & { known: KnownWords | null },
  binder: Binder,
): Division {
  const isAll = isPlain && foldCase(parts.join()) === letters;
  const decided = isAll ? [] : [exact];
  const inBody = formatContained('bodyWords', letters, binder);
  const inRest = formatContained('restWords', letters, binder);
  const inTokens = formatContained('tokens', letters, binder);
  const asParent = formatContained('tokens', foldCase(parts.join()), binder); // the tokens contain whole parentIds
  const isInBody = known?.mayHold('bodyWords', letters) ?? true;
  const isInRest = reach === 'all' && (known?.mayHold('restWords', letters) ?? true);
  const isAbsent = !isInBody && !isInRest;
  const notInBody = isInBody ? [formatNoWord('body', letters, binder)] : [];
  const inNoWord = isInRest ? [...notInBody, formatNoWord(restText, letters, binder)] : notInBody;
  const alternatives: Alternative[] = [];
  if (isInBody) alternatives.push({ conditions: [inBody, ...decided] });
  if (isInRest) alternatives.push({ conditions: [inRest, ...decided, ...notInBody] });
  // The filter excludes granules. For a single entry, it is slow to compute.
  if (kind === 'letters') alternatives.push({ conditions: [exact, ...inNoWord], last: inTokens });
  if (kind === 'word' && besides.parentId !== null)
    alternatives.push({ conditions: [besides.parentId, asParent, ...inNoWord] });
  const isNarrowed = !(isInBody && (isInRest || reach === 'body'));
  return { weight: isAbsent ? weight + absentWeight : weight, alternatives, isNarrowed };
}

/**
 * Formats the condition that no word contains the letters. A word is a run of letters with no digit next to it. Indexes cannot
 * answer negations, and the column of words is slow to compute.
 */
function formatNoWord(texts: string, letters: string, binder: Binder): string {
  const word = `(^|[^a-z0-9])[a-z]*${letters}[a-z]*([^a-z0-9]|$)`;
  return `NOT match(${foldToAscii(texts)}, ${binder.bind('String', word)})`;
}
