/** Merges what people say: lines that begin alike, and of which hardly any two end alike, such as `<player.name> says: …`. */
import { splitTemplate } from './frames.ts';
import { wordsPlaceholder } from './templates.ts';

const tailsMin = 40;
const membersPerTailMax = 3; // what programs say comes back with many other names and numbers
const prefixesMax = 8;

/** Behind one of these somebody begins to speak. */
const openings: ReadonlySet<string> = new Set([':', '>', '»', 'says', 'said', '"', '“']);
const quotes: ReadonlySet<string> = new Set(['"', '“']);

/** Not in what people say, but for few of them. */
const written = /[={}()/\\"|]|<(?:ip|uuid|hex|time|mac)>/;

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

/** JSON has many of such signs, and nobody speaks in it. */
function listPrefixes(text: string): string[] {
  if (text.startsWith('{')) return [];
  const { tokens } = splitTemplate(text);
  const prefixes: string[] = [];
  let prefix = '';
  for (const [index, each] of tokens.entries()) {
    prefix += each;
    const next = tokens[index + 1];
    if (next === undefined || prefixes.length === prefixesMax) break;
    if (!openings.has(each)) continue;
    if (quotes.has(each) ? tokens[index - 1] === ' ' : next === ' ')
      prefixes.push(quotes.has(each) ? prefix : `${prefix} `);
  }
  return prefixes.filter(each => each.length < text.length && !written.test(text.slice(each.length)));
}
