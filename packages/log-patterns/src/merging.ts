/**
 * Merges templates that differ in a few words at one place, where no metadata name these words: `kicked Olga (<n>)` and `kicked Ben (<n>)`
 * become `kicked <*> (<n>)`. README.md has the rules.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Frame, listGaps, splitTemplate, type TemplateWords } from './frames.ts';
import { wordsPlaceholder } from './templates.ts';

type Mergeable = { readonly template: string; readonly entries: number };
type Merged<One> = { readonly template: string; readonly members: readonly One[] };

const roundsMax = 4; // names of several words may take one for each of them
const templatesPerTurn = 100; // some 5 ms
const widthFactor = 8; // a gap that is a word wider must join so many times as many templates

type Group<One> = { words: TemplateWords; members: One[] };
type Family = { frame: Frame; groups: Set<number>; gapWords: number };

/** The most frequent first; of those that nothing was merged with the template is as it was. Equal questions have equal answers. */
export async function mergeTemplates<One extends Mergeable>(
  templates: readonly One[],
): Promise<Merged<One>[]> {
  let groups = templates.map((one): Group<One> => ({ words: splitTemplate(one.template), members: [one] }));
  for (let round = 0; round < roundsMax; round++) {
    const joined = join(groups, await findFamilies(groups));
    if (joined.length === groups.length) break;
    groups = joined;
  }
  return groups.map(({ words, members }) => ({ template: words.text, members }));
}

async function findFamilies<One>(groups: readonly Group<One>[]): Promise<Family[]> {
  const families = new Map<number, Family>();
  for (const [index, { words }] of groups.entries()) {
    if (index % templatesPerTurn === templatesPerTurn - 1) await nextTurn();
    for (const frame of listGaps(words)) {
      const family = families.get(frame.key);
      if (family === undefined)
        families.set(frame.key, { frame, groups: new Set([index]), gapWords: frame.gapWords });
      else if (!family.groups.has(index)) {
        family.groups.add(index);
        family.gapWords += frame.gapWords;
      }
    }
  }
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

/** Each group goes with the best family that it belongs to, unless others have taken most of that. */
function join<One>(groups: readonly Group<One>[], families: readonly Family[]): Group<One>[] {
  const taken = new Set<number>();
  const joined: Group<One>[] = [];
  for (const { frame, groups: all } of families) {
    const { before, behind } = frame;
    const free = [...all].filter(index => !taken.has(index) && isFramed(groups[index]!.words.text, frame));
    if (free.length < frame.variantsMin || free.length * 2 < all.size) continue;
    for (const index of free) taken.add(index);
    const members = free.flatMap(index => groups[index]!.members);
    joined.push({ words: splitTemplate(`${before}${wordsPlaceholder}${behind}`), members });
  }
  return [...joined, ...groups.filter((_, index) => !taken.has(index))];
}

/** Keys are hashes, and two frames may have one. */
function isFramed(text: string, { before, behind }: Frame): boolean {
  return text.length > before.length + behind.length && text.startsWith(before) && text.endsWith(behind);
}
