/** Translates terms that search for a text into an exact condition and hints for the indexes. */

import { type Condition, findTraceId } from '@tapedeck/log-query-language';
import { foldCase } from '@tapedeck/values/case-folding';
import type { Binder } from '../writer/engine/statements.ts';
import { restText } from '../writer/schema/schema.ts';
import {
  foldToAscii,
  formatContained,
  formatInBody,
  formatInResource,
  formatInValues,
  formatParent,
  formatTraceId,
  joinAny,
  nowhere,
} from './comparisons.ts';
import { formatExactly, formatMatch, formatPieces } from './exactMatching.ts';
import { findLiterals } from './expressionLiterals.ts';
import { findNeedle } from './indexPruning.ts';
import type { KnownWords } from './knownWords.ts';

type Search = {
  parts: readonly string[];
  /** The texts to search: only the body, or also values and resource. */
  reach: 'body' | 'all';
  exact: string;
  /** Other ways to match: the text equals the parentId or the traceId. */
  besides: { parentId: string | null; traceId: string | null };
  /** Whether the term only requires that a text in reach contains the text. */
  isPlain: boolean;
};

const nothingBesides = { besides: { parentId: null, traceId: null } };

/** Reads a search term; null for terms of other kinds. */
function readSearch(term: Condition, binder: Binder): Search | null {
  switch (term.kind) {
    case 'text':
      return readText(term.text, binder);
    case 'textParts':
      return { ...readAnywhere(term.parts, binder), isPlain: false };
    case 'content': {
      const exact = joinAny([formatInBody([term.text], binder), formatInValues([term.text], binder)]);
      return {
        parts: [term.text],
        reach: 'all',
        exact,
        ...nothingBesides,
        isPlain: false,
      };
    }
    case 'bodyExactly':
      return readBody([term.text], formatExactly(term.text, binder));
    case 'bodyPattern': {
      const texts = term.pieces.filter(piece => piece !== null);
      return readBody(texts, formatPieces(term.pieces, binder));
    }
    case 'matches':
      if (term.field.kind !== 'body') return null;
      return readBody(findLiterals(term.expression), formatMatch('body', term.expression, binder));
    case 'body': {
      const [value, ...others] = term.values;
      if (value?.kind !== 'holds' || others.length > 0) return null;
      const { parts } = value;
      const exact = formatInBody(parts, binder);
      return {
        parts,
        reach: 'body',
        exact,
        ...nothingBesides,
        isPlain: parts.length === 1,
      };
    }
    default:
      return null;
  }
}

/** Reads a case-sensitive search. Indexes fold case, so they lead to some additional entries. */
function readBody(parts: readonly string[], exact: string): Search {
  return { parts, reach: 'body', exact, ...nothingBesides, isPlain: false };
}

function readText(text: string, binder: Binder): Search {
  const found = readAnywhere([text], binder);
  const traceId = findTraceId(text);
  const byKey = traceId === null ? nowhere : formatTraceId(traceId, binder);
  const besides = {
    parentId: formatParent(text, binder),
    traceId: byKey === nowhere ? null : byKey,
  };
  const exact = joinAny([found.exact, ...listBesides(besides)]);
  return { ...found, exact, besides, isPlain: true };
}

/** Reads a search for parts in the body, a value or the resource. */
function readAnywhere(parts: readonly string[], binder: Binder): Omit<Search, 'isPlain'> {
  const exact = joinAny([
    formatInBody(parts, binder),
    formatInValues(parts, binder),
    formatInResource(parts, binder),
  ]);
  return { parts, reach: 'all', exact, ...nothingBesides };
}

function listBesides({ parentId, traceId }: Search['besides']): string[] {
  return [parentId, traceId].filter(condition => condition !== null);
}

/** Formats a search for one statement: the exact condition and, if allowed, hints. null for terms of other kinds. */
export function formatSearch(
  term: Condition,
  { binder, mayHint }: { binder: Binder; mayHint: boolean },
): string[] | null {
  const search = readSearch(term, binder);
  if (search === null) return null;
  // No index contains the entry's own traceId; the tokens contain folded parentIds.
  const isCovered = search.besides.traceId === null;
  return [search.exact, ...(mayHint && isCovered ? formatHints(search, binder) : [])];
}

/** Formats hints for entries with a metadata value that has these parts. */
export function formatValueHints(parts: readonly string[], binder: Binder): string[] {
  return formatHints({ parts, reach: 'all' }, binder);
}

/**
 * Formats conditions that hold for every entry with the parts. In one statement, no index excludes entries that have neither a word
 * nor an identifier with these letters, or no such word in the body or elsewhere: that takes several statements.
 */
function formatHints({ parts, reach }: Pick<Search, 'parts' | 'reach'>, binder: Binder): string[] {
  const needle = findNeedle(parts);
  if (needle.kind === 'filter') return [formatContained(needle.column, needle.text, binder)];
  if (needle.kind === 'word' && reach === 'body')
    return [formatContained('bodyWords', needle.letters, binder)];
  return [];
}

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
