/** Divides a search into several statements, each of which uses one index. */

import type { Condition } from '@tapedeck/log-query-language';
import { foldCase } from '@tapedeck/values/case-folding';
import { Binder } from '../writer/engine/statements.ts';
import { restText } from '../writer/schema/schema.ts';
import { findNeedle } from './indexPruning.ts';
import type { KnownWords } from './knownWords.ts';
import { foldToAscii, formatContained, joinAll, joinAny, readSearch, type Search } from './textConditions.ts';

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
 * Formats conditions for several statements that together find each entry with one of the texts once. Each statement uses one index, which leads to
 * single entries or excludes nearly all. A single statement with OR would read every granule that any of the indexes names. null if no index
 * leads to one of the terms.
 */
export function formatSearchesApart(
  terms: readonly Condition[],
  binder: Binder,
  known: KnownWords | null,
): Division | null {
  if (!terms.every(isFound)) return null;
  const isAlone = terms.length === 1;
  const places: Places[] = [];
  for (const term of terms) {
    const search = readSearch(term, binder);
    if (search === null || binder.count > hintsValuesMax) return null;
    const key = search.besides.traceId;
    if (key !== null) return isAlone ? formatWithKey(search, key, binder) : null;
    const found = placeText(search, { binder, known, isAlone });
    if (found === null) return null;
    places.push(found);
  }
  return {
    weight: Math.min(...places.map(({ weight }) => weight)),
    alternatives: formatPlaces(places),
    isNarrowed: places.some(({ isNarrowed }) => isNarrowed),
  };
}

/** Whether an index leads to the term. */
function isFound(term: Condition): boolean {
  const search = readSearch(term, new Binder());
  return search !== null && findNeedle(search.parts).kind !== 'none';
}

/** A text that is also the key of an entry: the key leads to it. */
function formatWithKey(search: Search, key: string, binder: Binder): Division | null {
  const needle = findNeedle(search.parts);
  if (needle.kind !== 'filter') return null;
  const hinted = [search.exact, formatContained(needle.column, needle.text, binder), `NOT ${key}`];
  const alternatives = [{ conditions: [key] }, { conditions: hinted }];
  return { weight: needle.weight, alternatives, isNarrowed: false };
}

/** Where an entry can have a text, as conditions. */
type Places = {
  weight: number;
  isNarrowed: boolean;
  /** In words of one of these texts: by the index, and for entries that were found otherwise. null if no part has such a word. */
  body: { led: string; plain: string } | null;
  rest: { led: string; plain: string } | null;
  /** Elsewhere: `exact` holds, and the filters of this column lead to `hint`. null for whole words. */
  elsewhere: { exact: string; column: 'tokens' | 'codes'; hint: string } | null;
};

export const hintsValuesMax = 300; // the engine accepts 1,000 values per statement, including settings
const absentWeight = 1_000; // a word in no part leads to no entries at all

type Placing = {
  binder: Binder;
  known: KnownWords | null;
  /** Whether the statements search for no other text. */
  isAlone: boolean;
};

/** The index of identifiers also contains parentIds. */
function placeText(search: Search, { binder, known, isAlone }: Placing): Places | null {
  const { reach, exact, besides, isPlain, parts } = search;
  const needle = findNeedle(parts);
  if (needle.kind === 'none') return null;
  if (needle.kind === 'filter') {
    const { column, weight } = needle;
    const hint = formatContained(column, needle.text, binder);
    return { weight, isNarrowed: false, body: null, rest: null, elsewhere: { exact, column, hint } };
  }
  const { letters, weight } = needle;
  const decided = isPlain && foldCase(parts.join()) === letters ? [] : [exact];
  const place = (column: 'bodyWords' | 'restWords', texts: string) => ({
    led: joinAll([formatContained(column, letters, binder), ...decided]),
    plain: joinAll([formatWord(texts, letters, binder), ...(isAlone ? [] : decided)]),
  });
  const isInBody = known?.mayHold('bodyWords', letters) ?? true;
  const isInRest = reach === 'all' && (known?.mayHold('restWords', letters) ?? true);
  const isAbsent = !isInBody && !isInRest;
  const canBeElsewhere = needle.kind === 'letters' || besides.parentId !== null;
  const isElsewhere = canBeElsewhere && (known?.mayHold('tokens', letters) ?? true);
  return {
    weight: isAbsent ? weight + absentWeight : weight,
    isNarrowed: !(isInBody && (isInRest || reach === 'body') && isElsewhere === canBeElsewhere),
    body: isInBody ? place('bodyWords', 'body') : null,
    rest: isInRest ? place('restWords', restText) : null,
    elsewhere: !isElsewhere
      ? null
      : needle.kind === 'letters'
        ? { exact, column: 'tokens', hint: formatContained('tokens', letters, binder) }
        : formatAsParent(besides.parentId, parts, binder),
  };
}

/** The tokens contain whole parentIds. */
function formatAsParent(
  parentId: string | null,
  parts: readonly string[],
  binder: Binder,
): Places['elsewhere'] {
  if (parentId === null) return null;
  const hint = formatContained('tokens', foldCase(parts.join()), binder);
  return { exact: parentId, column: 'tokens', hint };
}

/** Formats a statement for each kind of place, since one index covers each. Each leaves out what the ones before it find. */
function formatPlaces(places: readonly Places[]): Alternative[] {
  const body = places.map(({ body }) => body).filter(place => place !== null);
  const rest = places.map(({ rest }) => rest).filter(place => place !== null);
  const elsewhere = places.map(({ elsewhere }) => elsewhere).filter(place => place !== null);
  const any = (found: typeof body) => joinAny(found.map(({ led }) => led));
  const leave = (found: typeof body) =>
    found.length === 0 ? [] : [`NOT ${joinAny(found.map(({ plain }) => plain))}`];
  const alternatives: Alternative[] = [];
  if (body.length > 0) alternatives.push({ conditions: [any(body)] });
  if (rest.length > 0) alternatives.push({ conditions: [any(rest), ...leave(body)] });
  const before = [...leave(body), ...leave(rest)];
  for (const column of ['tokens', 'codes'] as const) {
    const here = elsewhere.filter(place => place.column === column);
    if (here.length === 0) continue;
    const exact = joinAny(here.map(place => place.exact));
    // The filters exclude granules. For a single entry, they are slow to compute.
    alternatives.push({ conditions: [exact, ...before], last: joinAny(here.map(({ hint }) => hint)) });
    before.push(`NOT ${exact}`);
  }
  return alternatives;
}

/**
 * Formats the condition that a word contains the letters. A word is a run of letters with no digit next to it. It serves negations, which
 * indexes cannot answer: the column of words is slow to compute.
 */
function formatWord(texts: string, letters: string, binder: Binder): string {
  const word = `(^|[^a-z0-9])[a-z]*${letters}[a-z]*([^a-z0-9]|$)`;
  return `match(${foldToAscii(texts)}, ${binder.bind('String', word)})`;
}
