/** Merges what people say: lines that begin alike, and of which hardly any two end alike, such as `<player.name> says: …`. */
import { wordsPlaceholder } from './templates.ts';

const tailsMin = 40;
const membersPerTailMax = 3; // what programs say comes back with many other names and numbers
const prefixesMax = 8;

/** Behind one of these somebody may begin to speak, or a value to be told. */
const opening = /(?:[:>=»|]|\bsays|\bsaid|["“'(\[])\s*/gu;
const bare = /^[\s<*>\p{P}]*$/u;

type Grouped = { readonly text: string; readonly members: number };

/** By the index of a group: the text that it becomes. */
export function findTails(groups: readonly Grouped[]): Map<number, string> {
  const byPrefix = new Map<string, number[]>();
  for (const [index, { text }] of groups.entries())
    for (const prefix of listPrefixes(text)) {
      const known = byPrefix.get(prefix);
      if (known === undefined) byPrefix.set(prefix, [index]);
      else known.push(index);
    }
  const found = new Map<number, string>();
  const prefixes = [...byPrefix].filter(([, indexes]) => indexes.length >= tailsMin);
  prefixes.sort(([one, of], [other, ofOther]) => ofOther.length - of.length || (one < other ? -1 : 1));
  for (const [prefix, all] of prefixes) {
    const free = all.filter(index => !found.has(index));
    if (free.length < tailsMin) continue;
    const members = free.reduce((sum, index) => sum + groups[index]!.members, 0);
    if (members > free.length * membersPerTailMax) continue;
    for (const index of free) found.set(index, `${prefix}${wordsPlaceholder}`);
  }
  return found;
}

function listPrefixes(text: string): string[] {
  const prefixes: string[] = [];
  for (const { index, 0: sign } of text.matchAll(opening)) {
    const end = index + sign.length;
    if (end >= text.length || prefixes.length === prefixesMax) break;
    const prefix = text.slice(0, end);
    if (!bare.test(prefix.replaceAll(wordsPlaceholder, ''))) prefixes.push(prefix);
    else if (prefix.includes(wordsPlaceholder)) prefixes.push(prefix);
  }
  return prefixes;
}
