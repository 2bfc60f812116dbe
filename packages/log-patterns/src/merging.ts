/**
 * Merges templates that differ in words that no metadata names: `kicked Olga (<n>)` and `kicked Ben (<n>)` become `kicked <*> (<n>)`.
 * README.md has the rules.
 */
import { findChannels } from './channels.ts';
import { cutFrame, type Frame, listGaps, RoughCounts } from './frames.ts';
import { Fillings } from './gapTexts.ts';
import { fillGaps, type Gap, GapCounts } from './localGaps.ts';
import { normalise } from './normalising.ts';
import { findKinds, widenAddresses } from './placeholderKinds.ts';
import { findRare } from './rareWords.ts';
import { findShapes } from './shapes.ts';
import { moveToSpecific } from './specificRows.ts';
import { findTails } from './tails.ts';
import { findFitting, findStanding } from './templateMatching.ts';
import { wordsPlaceholder } from './templates.ts';
import { markPaths, splitTemplate, type TemplateWords, unmarkPaths } from './tokens.ts';
import { inTurns } from './turns.ts';

/** `paths`: the metadata paths in the template. */
type Mergeable = {
  readonly template: string;
  readonly paths?: readonly string[] | undefined;
};
type Merged<One> = { readonly template: string; readonly members: readonly One[] };

const passesMax = 4;
const stepsMax = 8; // from a template to more general ones
const sampleMax = 4_000; // enough to know the rest
const wholeMax = 6_000; // merged at once, because a few left over show little by themselves
const floodMin = 2_000; // words alone do not produce more templates
const floodValuesMin = 200; // at one place of equal lines, before words are compared
const rowsMax = 100; // users hardly read more
const valuesMin = 12; // at one place of the remaining rows
const localRoundsMax = 3;
const roundsMax = 6; // names of several words may take a round per word
const framedMax = 2_000; // limits the comparison of whole lines, which takes about 60 µs each
const widthFactor = 8; // a gap that is one word wider must join 8 times as many templates

type Group<One> = { words: TemplateWords; members: One[] };
type Family = { frame: Frame; groups: Set<number>; gapWords: number };

/**
 * Templates without a partner stay unchanged. The first templates decide the merges, so pass them in an order that is unrelated
 * to their content; later ones change little. The result is deterministic.
 */
export async function mergeTemplates<One extends Mergeable>(
  templates: readonly One[],
): Promise<Merged<One>[]> {
  const paths = new Set(templates.flatMap(one => one.paths ?? []));
  const isFlood = templates.length > floodMin;
  let merged: Group<One>[] = [];
  const texts = normaliseAll(templates, paths);
  let rest = groupAll(texts);
  for (let pass = 0; pass < passesMax && rest.length > 0; pass++) {
    const taken = rest.length > wholeMax ? sampleMax : wholeMax;
    const sample = rest.slice(0, taken);
    merged = await mergeGroups([...merged, ...(isFlood ? joinShapes(sample) : sample)]);
    rest = await joinFitting(merged, rest.slice(taken));
  }
  const left = joinLeft([...merged, ...rest], texts);
  const all = await moveToSpecific(joinLeft(mergeLeft(left), texts), texts);
  return all.map(({ words, members }) => ({
    template: members.length === 1 ? members[0]!.template : unmarkPaths(words.text),
    members,
  }));
}

/** Joins lines of one shape before they are split into words, which takes most of the time. */
function joinShapes<One>(groups: readonly Group<One>[]): Group<One>[] {
  return rewrite(groups, findShapes(listTexts(groups), floodValuesMin));
}

function normaliseAll<One extends Mergeable>(
  templates: readonly One[],
  paths: ReadonlySet<string>,
): Map<One, string> {
  const texts = templates.map(({ template }) => markPaths(template, paths));
  const normal = texts.map(normalise);
  const addresses = normal.filter((text, index) => text !== texts[index] && texts[index]!.includes('::'));
  const areWide = addresses.length >= valuesMin;
  return new Map(
    templates.map((one, index) => {
      const text = normal[index]!;
      return [one, joinPlaceholders(areWide ? widenAddresses(text) : text)];
    }),
  );
}

function groupAll<One>(texts: ReadonlyMap<One, string>): Group<One>[] {
  const groups = new Map<string, Group<One>>();
  for (const [one, text] of texts) put(groups, text, { members: [one] });
  return [...groups.values()];
}

/** Restores templates that found no partner, and lets more general ones absorb them. */
function joinLeft<One>(groups: readonly Group<One>[], texts: ReadonlyMap<One, string>): Group<One>[] {
  const next = new Map<string, Group<One>>();
  for (const group of groups) {
    const [member] = group.members;
    const isAlone = member !== undefined && group.members.length === 1;
    put(next, isAlone ? texts.get(member)! : group.words.text, group);
  }
  return absorb([...next.values()]);
}

async function mergeGroups<One>(all: readonly Group<One>[]): Promise<Group<One>[]> {
  let groups = await mergeLocally(all);
  groups = absorb(mergeTails(absorb(groups)));
  groups = await mergeLocally(groups);
  groups = await mergeFramed(absorb(groups));
  groups = absorb(mergeTails(groups));
  groups = rewrite(groups, findKinds(listTexts(groups)));
  return absorb(await mergeFramed(groups));
}

/** Adds groups to the merged templates that fit them, and returns the rest. */
async function joinFitting<One>(merged: Group<One>[], groups: readonly Group<One>[]): Promise<Group<One>[]> {
  const find = findStanding(
    merged.map(({ words: { text }, members }) => ({ text, members: members.length })),
  );
  const rest: Group<One>[] = [];
  for await (const part of inTurns(groups))
    for (const group of part) {
      const into = find(group.words.text);
      if (into === null) rest.push(group);
      else for (const member of group.members) merged[into]!.members.push(member);
    }
  return rest;
}

async function mergeLocally<One>(all: readonly Group<One>[]): Promise<Group<One>[]> {
  let groups = [...all];
  for (let round = 0; round < localRoundsMax; round++) {
    const counts = new GapCounts();
    for await (const part of inTurns(groups)) for (const { words } of part) counts.addAll(words.tokens);
    const chosen: { group: Group<One>; gaps: readonly Gap[] }[] = [];
    for await (const part of inTurns(groups))
      for (const group of part) chosen.push({ group, gaps: counts.choose(group.words.tokens) });
    const fillings = new Fillings();
    const taken = chosen.map(({ group, gaps }) => ({ group, gaps: gaps.filter(gap => counts.isTaken(gap)) }));
    for (const { group, gaps } of taken) fillings.add(group.words.tokens, gaps);
    const next = new Map<string, Group<One>>();
    for (const { group, gaps } of taken) {
      const { tokens, text } = group.words;
      const varying = gaps.filter((_, index) => fillings.vary(tokens, gaps, index));
      put(next, varying.length === 0 ? text : joinPlaceholders(fillGaps(tokens, varying)), group);
    }
    const isSame = next.size === groups.length;
    groups = [...next.values()];
    if (isSame) break;
  }
  return groups;
}

type Part<One> = { words?: TemplateWords; members: readonly One[] };

function put<One>(groups: Map<string, Group<One>>, text: string, { words, members }: Part<One>): void {
  const known = groups.get(text);
  if (known === undefined)
    groups.set(text, { words: words?.text === text ? words : splitTemplate(text), members: [...members] });
  else for (const member of members) known.members.push(member);
}

const neighbours = /<\*>(?:[\s\-.,!?'’~*&+]*<\*>)+/gu;

function joinPlaceholders(text: string): string {
  const first = text.indexOf(wordsPlaceholder);
  return first < 0 || text.indexOf(wordsPlaceholder, first + 1) < 0
    ? text
    : text.replaceAll(neighbours, wordsPlaceholder);
}

/** Merges further only while there are too many rows to read. */
function mergeLeft<One>(all: Group<One>[]): Group<One>[] {
  let groups = all;
  for (const find of [findChannels, findOfShapes, findRareWords]) {
    if (groups.length <= rowsMax) break;
    groups = absorb(rewrite(groups, find(listTexts(groups))));
  }
  return groups;
}

function findOfShapes(texts: readonly string[]): Map<number, string> {
  return findShapes(texts, valuesMin);
}

function findRareWords(texts: readonly string[]): Map<number, string> {
  return findRare(texts.map(text => splitTemplate(text).tokens));
}

function listTexts<One>(groups: readonly Group<One>[]): string[] {
  return groups.map(({ words: { text } }) => text);
}

/** `texts`: new texts by group index. */
function rewrite<One>(groups: readonly Group<One>[], texts: ReadonlyMap<number, string>): Group<One>[] {
  const next = new Map<string, Group<One>>();
  for (const [index, group] of groups.entries())
    put(next, joinPlaceholders(texts.get(index) ?? group.words.text), group);
  return [...next.values()];
}

function mergeTails<One>(groups: readonly Group<One>[]): Group<One>[] {
  const tails = findTails(groups.map(({ words: { text }, members }) => ({ text, members: members.length })));
  return rewrite(groups, tails);
}

/** Moves the members of templates into the merged template that covers them. */
function absorb<One>(groups: readonly Group<One>[]): Group<One>[] {
  const fitting = findFitting(
    groups.map(({ words: { text }, members }) => ({ text, members: members.length })),
  );
  const next = new Map<string, Group<One>>();
  for (const [index, group] of groups.entries()) {
    let last = index;
    for (let steps = 0; steps < stepsMax; steps++) last = fitting.get(last) ?? last;
    put(next, groups[last]!.words.text, group);
  }
  return [...next.values()];
}

async function mergeFramed<One>(all: readonly Group<One>[]): Promise<Group<One>[]> {
  const sorted = all.toSorted((one, other) => other.members.length - one.members.length); // `toSorted` is stable
  let groups = sorted.slice(0, framedMax);
  const rest = sorted.slice(framedMax);
  for (let round = 0; round < roundsMax; round++) {
    const joined = join(groups, await findFamilies(groups));
    if (joined.length === groups.length) break;
    groups = joined;
  }
  return [...groups, ...rest];
}

async function findFamilies<One>(groups: readonly Group<One>[]): Promise<Family[]> {
  const often = new RoughCounts();
  for await (const part of inTurns(groups))
    for (const { words } of part) listGaps(words, ({ key }) => often.add(key));
  const families = new Map<number, Family>();
  const numbered = groups.map(({ words }, index) => ({ words, index }));
  for await (const part of inTurns(numbered))
    for (const { words, index } of part)
      listGaps(words, gap => {
        if (often.count(gap.key) < gap.variantsMin) return;
        const family = families.get(gap.key);
        if (family === undefined)
          families.set(gap.key, {
            frame: cutFrame(words, gap),
            groups: new Set([index]),
            gapWords: gap.gapWords,
          });
        else if (!family.groups.has(index)) {
          family.groups.add(index);
          family.gapWords += gap.gapWords;
        }
      });
  const large = [...families.values()].filter(({ frame, groups: { size } }) => size >= frame.variantsMin);
  return large.sort((one, other) => rate(other) - rate(one) || compareFrames(one.frame, other.frame));
}

function rate({ groups: { size }, gapWords }: Family): number {
  return size / widthFactor ** (gapWords / size - 1);
}

function compareFrames(one: Frame, other: Frame): number {
  const [text, otherText] = [one, other].map(({ before, behind }) => `${before}${wordsPlaceholder}${behind}`);
  return text! < otherText! ? -1 : 1;
}

/** Joins each group to its best family, unless other families have taken most of that family's groups. */
function join<One>(groups: readonly Group<One>[], families: readonly Family[]): Group<One>[] {
  const taken = new Set<number>();
  const joined = new Map<string, Group<One>>();
  for (const { frame, groups: all } of families) {
    const { before, behind } = frame;
    const free = [...all].filter(index => !taken.has(index) && isFramed(groups[index]!.words.text, frame));
    if (free.length < frame.variantsMin || free.length * 2 < all.size) continue;
    const text = joinPlaceholders(`${before}${wordsPlaceholder}${behind}`);
    for (const index of free) {
      taken.add(index);
      put(joined, text, groups[index]!);
    }
  }
  for (const [index, group] of groups.entries()) if (!taken.has(index)) put(joined, group.words.text, group);
  return [...joined.values()];
}

/** Whether the text really has the frame: keys are hashes, so two frames may share one. */
function isFramed(text: string, { before, behind }: Frame): boolean {
  return text.length > before.length + behind.length && text.startsWith(before) && text.endsWith(behind);
}
