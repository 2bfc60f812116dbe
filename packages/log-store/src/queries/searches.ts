/** Translates terms that search for a text: the condition that decides, and hints for the indexes. */

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
  /** Which texts are looked at: the body, or values and resource, too. */
  reach: 'body' | 'all';
  /** Decides. */
  exact: string;
  /** Other ways to match without containing the text: as the parentId or the traceId. */
  besides: { parentId: string | null; traceId: string | null };
  /** Whether the text within any of the texts in reach is all that is asked. */
  isPlain: boolean;
};

const nothingBesides = { besides: { parentId: null, traceId: null } };

/** null for terms of other kinds. */
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

/** Letter case counts: indexes, which fold it, lead to some more. */
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

/** One of body, values and resource holds them. */
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

/** Conditions for one statement; null for terms of other kinds. Without hints it is only what decides. */
export function formatSearch(
  term: Condition,
  { binder, mayHint }: { binder: Binder; mayHint: boolean },
): string[] | null {
  const search = readSearch(term, binder);
  if (search === null) return null;
  // No filter knows the entry's own traceId; parents are among the tokens, folded.
  const isCovered = search.besides.traceId === null;
  return [search.exact, ...(mayHint && isCovered ? formatHints(search, binder) : [])];
}

/** Conditions on entries with a metadata value that has these parts. */
export function formatValueHints(parts: readonly string[], binder: Binder): string[] {
  return formatHints({ parts, reach: 'all' }, binder);
}

/**
 * What holds for all in which the parts occur. In one statement no index leaves out what has neither a word nor an identifier with these
 * letters, or a word neither in its body nor elsewhere: that takes several.
 */
function formatHints({ parts, reach }: Pick<Search, 'parts' | 'reach'>, binder: Binder): string[] {
  const needle = findNeedle(parts);
  if (needle.kind === 'filter') return [formatContained(needle.column, needle.text, binder)];
  if (needle.kind === 'word' && reach === 'body')
    return [formatContained('bodyWords', needle.letters, binder)];
  return [];
}

/** Conditions of a statement; `last` is computed only for entries that meet the others. */
export type Alternative = { conditions: string[]; last?: string };

/** Alternatives of which an entry meets one at most; the more weight, the fewer entries they lead to. */
export type Division = {
  weight: number;
  alternatives: Alternative[];
  /** Whether some were left out, which find nothing in parts that are merged. */
  isNarrowed: boolean;
};

/**
 * Conditions for several statements that together find the same entries, each once. Each statement reads one index,
 * which leads to single entries or leaves out nearly all. One statement with OR between them would read every granule
 * that any of them names.
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

const absentWeight = 1_000; // nothing leads to fewer entries than a word that no part holds

/** Searches words of bodies, other words, and identifiers, which also filter parents. */
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
  const asParent = formatContained('tokens', foldCase(parts.join()), binder); // parents are there whole
  const isInBody = known?.mayHold('bodyWords', letters) ?? true;
  const isInRest = reach === 'all' && (known?.mayHold('restWords', letters) ?? true);
  const isAbsent = !isInBody && !isInRest;
  const notInBody = isInBody ? [formatNoWord('body', letters, binder)] : [];
  const inNoWord = isInRest ? [...notInBody, formatNoWord(restText, letters, binder)] : notInBody;
  const alternatives: Alternative[] = [];
  if (isInBody) alternatives.push({ conditions: [inBody, ...decided] });
  if (isInRest) alternatives.push({ conditions: [inRest, ...decided, ...notInBody] });
  // The filter leaves out granules. Of an entry it is slow to compute.
  if (kind === 'letters') alternatives.push({ conditions: [exact, ...inNoWord], last: inTokens });
  if (kind === 'word' && besides.parentId !== null)
    alternatives.push({ conditions: [besides.parentId, asParent, ...inNoWord] });
  const isNarrowed = !(isInBody && (isInRest || reach === 'body'));
  return { weight: isAbsent ? weight + absentWeight : weight, alternatives, isNarrowed };
}

/**
 * That the column of words does not contain the letters: they are in no run of letters and digits without a digit. No index answers
 * what is negated, and the column itself is slow to compute.
 */
function formatNoWord(texts: string, letters: string, binder: Binder): string {
  const word = `(^|[^a-z0-9])[a-z]*${letters}[a-z]*([^a-z0-9]|$)`;
  return `NOT match(${foldToAscii(texts)}, ${binder.bind('String', word)})`;
}
