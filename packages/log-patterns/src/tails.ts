/** Merges chat: lines with the same beginning and almost always different ends, such as `<player.name> says: …`. */
import { placeholderNames, wordsPlaceholder } from './templates.ts';
import { isMarkedPath, splitTemplate } from './tokens.ts';

const tailsMin = 40;
const membersPerTailMax = 3; // messages of programs repeat with many other names and numbers
const prefixesMax = 8;

/** Speech may follow one of these tokens. */
const openings: ReadonlySet<string> = new Set([':', '>', '»', 'says', 'said', '"', '“']);
const quotes: ReadonlySet<string> = new Set(['"', '“']);

/** Matches text that people rarely write. */
const written = /[={}/\\"|]|\w\(|<(?:ip|uuid|hex|time|mac)>/;

/** Matches `<Olga> …` and `[Olga]: …`, for speakers that no metadata names. */
const speaker = /<((?:<id>|<\*>|[^<>])+)>(?= .)|\[((?:[^[\]]|\[[^[\]]*\])+)\](?=: .)/g;
const speakerEnd = `<${wordsPlaceholder}> `; // more specific than other beginnings of a line
const speakersMin = 40;
const ownMax = 5; // lines per speaker
const ownShareMax = 0.02;

type Grouped = { readonly text: string; readonly members: number };
/** Group indexes by speaker; null: any speaker. */
type Speech = Map<string | null, number[]>;

/** Maps group indexes to their merged texts. */
export function findTails(groups: readonly Grouped[]): Map<number, string> {
  const found = new Map<number, string>();
  for (const [prefix, indexes] of listSpeeches(groups)) {
    const free = indexes.filter(index => !found.has(index));
    if (free.length < tailsMin) continue;
    const members = free.reduce((sum, index) => sum + groups[index]!.members, 0);
    if (members > free.length * membersPerTailMax) continue;
    for (const index of free) found.set(index, `${prefix}${wordsPlaceholder}`);
  }
  return found;
}

/** Lists beginnings: speakers in angle brackets first, then the most frequent. */
function listSpeeches(groups: readonly Grouped[]): [prefix: string, indexes: readonly number[]][] {
  const byPrefix = new Map<string, Speech>();
  const put = (prefix: string, index: number, who: string | null) => {
    const speech: Speech = byPrefix.get(prefix) ?? new Map();
    byPrefix.set(prefix, speech);
    const known = speech.get(who);
    if (known === undefined) speech.set(who, [index]);
    else if (known.at(-1) !== index) known.push(index);
  };
  for (const [index, { text }] of groups.entries()) {
    if (text.startsWith('{')) continue; // JSON has many such signs, but no speakers
    for (const prefix of listPrefixes(text)) put(prefix, index, null);
    for (const { prefix, who } of listSpeakers(text)) if (!isPlaceholder(who)) put(prefix, index, who);
  }
  return [...byPrefix]
    .map(([prefix, speech]): [string, number[]] => [prefix, listSpoken(speech)])
    .filter(([, indexes]) => indexes.length >= tailsMin)
    .sort(([one, of], [other, ofOther]) => {
      const byKind = Number(other.endsWith(speakerEnd)) - Number(one.endsWith(speakerEnd));
      return byKind || ofOther.length - of.length || (one < other ? -1 : 1);
    });
}

/** Text that repeats too often is not a speaker: `<player.name>`, `[INFO]`. */
function listSpoken(speech: Speech): number[] {
  const all = [...speech].reduce((sum, [, indexes]) => sum + indexes.length, 0);
  const named = [...speech].filter(([who, indexes]) => {
    const isAny = who === null || who === wordsPlaceholder || who === '<id>';
    return isAny || indexes.length <= Math.max(ownMax, all * ownShareMax);
  });
  const isAnybody = speech.has(null) || speech.has(wordsPlaceholder) || named.length >= speakersMin;
  return isAnybody
    ? [...new Set(named.flatMap(([, indexes]) => indexes))].sort((one, other) => one - other)
    : [];
}

function isPlaceholder(who: string): boolean {
  return who === '*' || placeholderNames.includes(who) || isMarkedPath(who);
}

function listSpeakers(text: string): { prefix: string; who: string }[] {
  return [...text.matchAll(speaker)]
    .slice(0, prefixesMax)
    .flatMap(({ index, 0: all, 1: pointed, 2: squared }) => {
      const end = index + all.length + (pointed === undefined ? 2 : 1);
      if (written.test(text.slice(end))) return [];
      const before = text.slice(0, index);
      const prefix =
        pointed === undefined ? `${before}[${wordsPlaceholder}]: ` : `${before}<${wordsPlaceholder}> `;
      return [{ prefix, who: pointed ?? squared ?? '' }];
    });
}

function listPrefixes(text: string): string[] {
  const { tokens } = splitTemplate(text);
  const prefixes: string[] = [];
  let prefix = '';
  for (const [index, { text: each }] of tokens.entries()) {
    prefix += each;
    const next = tokens[index + 1]?.text;
    if (next === undefined || prefixes.length === prefixesMax) break;
    if (!openings.has(each)) continue;
    if (quotes.has(each) ? tokens[index - 1]?.text === ' ' : next === ' ')
      prefixes.push(quotes.has(each) ? prefix : `${prefix} `);
  }
  return prefixes.filter(each => each.length < text.length && !written.test(text.slice(each.length)));
}
