/**
 * Turns patterns into rows of the result: merges their templates, and decides how a query names each row. A row of many patterns is named
 * by its merged template, which stands for every pattern that fits it, so each pattern that fits must be in the row.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { compileComparable, makeComparable, mergeTemplates } from '@tapedeck/log-patterns';
import type { MergedRow, MergeMemo } from './mergedPatternCache.ts';
import { isDigits } from './patternDigits.ts';

/** A pattern and its matches. */
export type Found = { pattern: string; entries: number; lastMicros: number };
type KnownFound = Found & { template: string; paths: readonly string[] };

/** The most frequent pattern first. `template`: the text that merged patterns share; null: it is a single one. */
export type Line = {
  template: string | null;
  members: readonly Found[];
  /** Names in a query: patterns, or one template. */
  names: readonly string[];
};

export const membersMax = 100; // named one by one, so that all fit into a query of 2 KiB (CONTRACT.md, 9.1)
const nameBytesMax = 1_500; // of a template, so that other terms fit beside it
const foreignShareMax = 0.1; // more that fits is another message

export function standAlone(found: Found): Line {
  return { template: null, members: [found], names: [found.pattern] };
}

type Fits = (one: KnownFound) => boolean;
type Draft = { template: string; members: KnownFound[]; isNamed: boolean };

/** `mayName`: whether a query for a template would find these patterns and no others. Equal patterns have equal rows, however frequent. */
export async function mergeLines(
  known: readonly KnownFound[],
  { memo, mayName }: { memo: MergeMemo; mayName: () => Promise<boolean> },
): Promise<Line[]> {
  const all = new Map(known.map(each => [each.pattern, each]));
  const patterns = [...all.keys()].sort();
  let rows = await memo.find('merged', patterns, async () => {
    const merged = await mergeTemplates(patterns.map(pattern => all.get(pattern)!)); // of its own keys
    return merged.map(({ template, members }) => toRow({ template, members, isNamed: false }));
  });
  if (rows.some(row => row.patterns.length > membersMax) && (await mayName())) {
    const merged = rows;
    rows = await memo.find('named', patterns, () => nameRows(merged, all));
  }
  return rows.flatMap(row => toLines(toDraft(row, all)));
}

function toRow({
  template,
  members,
  isNamed,
}: Readonly<Omit<Draft, 'members'>> & { members: readonly KnownFound[] }): MergedRow {
  return { template, isNamed, patterns: members.map(({ pattern }) => pattern) };
}

function toDraft({ template, patterns, isNamed }: MergedRow, all: ReadonlyMap<string, KnownFound>): Draft {
  return { template, isNamed, members: patterns.map(pattern => all.get(pattern)!) }; // rows are of these
}

async function nameRows(
  rows: readonly MergedRow[],
  all: ReadonlyMap<string, KnownFound>,
): Promise<MergedRow[]> {
  const drafts = rows.map(row => toDraft(row, all));
  const texts = new Map([...all.values()].map(one => [one, makeComparable(one.template)]));
  const compile = (template: string): Fits => {
    const fits = compileComparable(template);
    return one => fits(texts.get(one)!); // of all of them
  };
  const large = drafts.filter(({ members }) => members.length > membersMax).sort(compareDrafts);
  for (const draft of large) {
    await nextTurn();
    claim(draft, drafts, compile);
  }
  for (const draft of large) checkNamed(draft, drafts, compile);
  return drafts.map(toRow);
}

function compareDrafts(one: Draft, other: Draft): number {
  return other.members.length - one.members.length || (one.template < other.template ? -1 : 1);
}

/** Takes the few patterns of other rows that fit. */
function claim(draft: Draft, drafts: readonly Draft[], compile: (template: string) => Fits): void {
  if (Buffer.byteLength(draft.template) > nameBytesMax) return;
  const fits = compile(draft.template);
  if (!draft.members.every(fits)) return;
  const others = drafts.filter(other => other !== draft);
  const foreign = others.map(other => other.members.filter(fits));
  const count = foreign.reduce((sum, { length }) => sum + length, 0);
  if (count > draft.members.length * foreignShareMax) return;
  draft.isNamed = true;
  for (const [index, other] of others.entries()) {
    const leaving = foreign[index]!;
    if (leaving.length === 0) continue;
    const taken = new Set(leaving);
    other.members = other.members.filter(member => !taken.has(member));
    draft.members.push(...leaving);
  }
}

/** A later row may have taken what fits an earlier one. */
function checkNamed(draft: Draft, drafts: readonly Draft[], compile: (template: string) => Fits): void {
  if (!draft.isNamed) return;
  const fits = compile(draft.template);
  draft.isNamed = drafts.every(other => other === draft || !other.members.some(fits));
}

function toLines({ template, members, isNamed }: Draft): Line[] {
  const sorted = members.toSorted(
    (one, other) => other.entries - one.entries || (one.pattern < other.pattern ? -1 : 1),
  );
  if (isNamed) return [{ template, members: sorted, names: [template] }];
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
