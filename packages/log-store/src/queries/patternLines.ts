/**
 * Turns patterns into rows of the result: merges their templates and decides how a query names each row. The name of a
 * row with many patterns is its merged template. It stands for every pattern that fits, so all of those must be in the
 * row.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { compileComparable, makeComparable } from '@tapedeck/log-patterns';
import type { MergedRow, MergeMemo } from './mergedPatternCache.ts';
import type { MergingThread } from './mergingThread.ts';
import { isDigits } from './patternDigits.ts';

/** A pattern and its matches. */
export type Found = { pattern: string; entries: number; lastMicros: number };
type KnownFound = Found & { template: string; paths: readonly string[] };

/** A row of the result. `template`: the text that its patterns share; null: a single pattern. The most frequent member is first. */
export type Line = {
  template: string | null;
  members: readonly Found[];
  /** Names in a query: patterns or one template. */
  names: readonly string[];
};

export const membersMax = 100; // so that all single names fit into a query of 2 KiB (CONTRACT.md, 9.1)
const nameBytesMax = 1_500; // of a template, so that other terms fit into the query
const foreignShareMax = 0.1; // if more fitting patterns are foreign, they are another message

export function makeSinglePatternLine(found: Found): Line {
  return { template: null, members: [found], names: [found.pattern] };
}

type Draft = { template: string; members: KnownFound[]; isNamed: boolean };

type Merging = {
  memo: MergeMemo;
  merging: Pick<MergingThread, 'merge'>;
  mayName: () => Promise<boolean>;
  areWhole?: boolean;
};

/** Merges patterns into rows, independent of frequency. `mayName`: whether a query for a template would find these patterns and no others. */
export async function mergeLines(
  known: readonly KnownFound[],
  { memo, merging, mayName, areWhole = false }: Merging,
): Promise<Line[]> {
  const all = new Map(known.map(each => [each.pattern, each]));
  const patterns = [...all.keys()].sort();
  let rows = await memo.find('merged', patterns, async () => {
    const merged = await merging.merge(patterns.map(pattern => all.get(pattern)!)); // all of them are keys
    return merged.map(({ template, members }): MergedRow => {
      return { template, isNamed: false, patterns: Array.from(members, index => patterns[index]!) };
    });
  });
  if (rows.some(row => row.patterns.length > membersMax) && (await mayName())) {
    const merged = rows;
    rows = await memo.find('named', patterns, () => nameRows(merged, all));
  }
  return rows
    .filter(({ patterns: own }) => own.length > 0)
    .flatMap(row => toLines(toDraft(row, all), areWhole));
}

function toDraft({ template, patterns, isNamed }: MergedRow, all: ReadonlyMap<string, KnownFound>): Draft {
  return { template, isNamed, members: patterns.map(pattern => all.get(pattern)!) }; // rows have only these patterns
}

/** Rows with many patterns take over the few patterns of other rows that fit their template. */
async function nameRows(
  rows: readonly MergedRow[],
  all: ReadonlyMap<string, KnownFound>,
): Promise<MergedRow[]> {
  const places = new Map([...all.keys()].map((pattern, place) => [pattern, place]));
  const texts = [...all.values()].map(({ template }) => makeComparable(template));
  const owners = new Int32Array(texts.length);
  for (const [index, { patterns }] of rows.entries())
    for (const pattern of patterns) owners[places.get(pattern)!] = index; // rows have only these patterns
  const sizes = rows.map(({ patterns }) => patterns.length);
  const large = [...rows.keys()].filter(index => sizes[index]! > membersMax && isNameable(rows[index]!));
  large.sort(
    (one, other) => sizes[other]! - sizes[one]! || (rows[one]!.template < rows[other]!.template ? -1 : 1),
  );
  const named = new Map<number, readonly number[]>();
  for (const index of large) {
    await nextTurn();
    const fits = compileComparable(rows[index]!.template);
    const fitting: number[] = [];
    for (let place = 0; place < texts.length; place++) if (fits(texts[place]!)) fitting.push(place);
    if (claim(index, fitting, { owners, sizes })) named.set(index, fitting);
  }
  const members = rows.map((): string[] => []);
  for (const [pattern, place] of places) members[owners[place]!]!.push(pattern);
  // A later row may have taken patterns that fit an earlier one.
  return rows.map(({ template }, index) => ({
    template,
    patterns: members[index]!,
    isNamed: named.get(index)?.every(place => owners[place] === index) ?? false,
  }));
}

function isNameable({ template }: MergedRow): boolean {
  return Buffer.byteLength(template) <= nameBytesMax;
}

/** Claims the fitting patterns for the row. Returns whether the row now has all of them. */
function claim(
  row: number,
  fitting: readonly number[],
  { owners, sizes }: { owners: Int32Array; sizes: number[] },
): boolean {
  const foreign = fitting.filter(place => owners[place] !== row);
  const own = fitting.length - foreign.length;
  if (own < sizes[row]! || foreign.length > own * foreignShareMax) return false;
  for (const place of foreign) {
    sizes[owners[place]!]!--;
    owners[place] = row;
  }
  sizes[row]! += foreign.length;
  return true;
}

function toLines({ template, members, isNamed }: Draft, areWhole: boolean): Line[] {
  const sorted = members.toSorted(
    (one, other) => other.entries - one.entries || (one.pattern < other.pattern ? -1 : 1),
  );
  if (isNamed || (areWhole && members.length > membersMax))
    return [{ template, members: sorted, names: [template] }];
  const lines: Line[] = [];
  for (let at = 0; at < sorted.length; at += membersMax) {
    const part = sorted.slice(at, at + membersMax);
    const names = part.map(({ pattern }) => pattern);
    lines.push({ template: part.length === 1 ? null : template, members: part, names });
  }
  return lines;
}

/** Formats a value of the query field `pattern`. */
export function formatNames(names: readonly string[]): string {
  const values = names.map(name => (isDigits(name) ? name : `"${name.replaceAll(/["\\]/g, '\\$&')}"`));
  return values.length === 1 ? values.join() : `(${values.join()})`;
}
