/** Templates with a gap: the words before and behind those that may vary. */
import { isDecisive } from './decisiveWords.ts';
import { wordsPlaceholder } from './templates.ts';

export type TemplateWords = { text: string; tokens: readonly string[] };

export type Frame = {
  /** Equal frames have equal keys; others hardly ever. */
  key: number;
  before: string;
  behind: string;
  /** Words in the gap of the template that the frame was cut from. */
  gapWords: number;
  /** How many different words must have stood in the gap: the less the frame says, the more. */
  variantsMin: number;
};

const gapWordsMax = 5; // names of people, cars and places have fewer
const wordsMax = 40; // of a template: longer ones are data rather than sentences
const variantsByWords = [40, 15, 8, 5]; // by how many words the frame has; more: the last of them

const token = /<(?:\\[<>\\]|[^<>\\])+>|[\p{L}\p{M}\p{N}_]+(?:['’][\p{L}\p{M}\p{N}_]+)*|\s|./gu;
const word = /^[\p{L}\p{N}_]/u;
/** Between the words of a name, or of what somebody says. */
export const inner = /^[\s\-.,!?'’~*&+]$/u;
/** Ends what somebody says. */
const final = /^[.!?…]$/u;
const signsMax = 3;

/** Most are never asked for their tokens. */
export function splitTemplate(text: string): TemplateWords {
  let tokens: readonly string[] | undefined;
  return {
    text,
    get tokens() {
      tokens ??= text.match(token) ?? [];
      return tokens;
    },
  };
}

/** Lists all possible gaps in the template. */
export function listGaps({ text, tokens }: TemplateWords): Frame[] {
  const words = tokens.flatMap((each, index) => (isGapWord(each) ? [index] : []));
  if (words.length === 0 || words.length > wordsMax) return [];
  const places = placeTokens(tokens);
  const frames: Frame[] = [];
  const add = (first: number, last: number, gapWords: number): void => {
    const kept = places.words[tokens.length]! - places.words[last + 1]! + places.words[first]!;
    const before = text.slice(0, places.starts[first]);
    const behind = text.slice(places.starts[last + 1]);
    if (kept === 0 && !before.includes('<') && !behind.includes('<')) return;
    const key = places.heads[first]! * 2 ** 21 + (places.tails[last + 1]! >>> 11);
    const variantsMin = variantsByWords[Math.min(kept, variantsByWords.length - 1)]!;
    frames.push({ key, before, behind, gapWords, variantsMin });
  };
  for (const [at, first] of words.entries()) {
    for (let width = 1; width <= gapWordsMax && at + width <= words.length; width++) {
      const last = words[at + width - 1]!;
      if (isDecisive(tokens[last]!)) break;
      if (width > 1 && !isBetween(inner, tokens.slice(words[at + width - 2]! + 1, last))) break;
      add(first, last, width);
      const rest = tokens.length - last - 1;
      if (rest > 0 && rest <= signsMax && isBetween(final, tokens.slice(last + 1)))
        add(first, tokens.length - 1, width);
    }
  }
  return frames;
}

export function isWord(each: string): boolean {
  return word.test(each);
}

/** Names have digits, too. */
export function isGapWord(each: string): boolean {
  return word.test(each) || each === '<id>' || each === wordsPlaceholder;
}

export function isBetween(signs: RegExp, tokens: readonly string[]): boolean {
  return tokens.every(each => signs.test(each));
}

/** By index of a token: its start, the number of words before it, and hashes of everything before it and from it on. */
function placeTokens(tokens: readonly string[]) {
  const numbers = () => new Uint32Array(tokens.length + 1);
  const places = { starts: numbers(), words: numbers(), heads: numbers(), tails: numbers() };
  for (const [index, each] of tokens.entries()) {
    places.starts[index + 1] = places.starts[index]! + each.length;
    places.words[index + 1] = places.words[index]! + (word.test(each) ? 1 : 0);
    places.heads[index + 1] = extendHash(places.heads[index]!, each);
  }
  for (let index = tokens.length - 1; index >= 0; index--)
    places.tails[index] = extendHash(places.tails[index + 1]!, tokens[index]!);
  return places;
}

export function extendHash(hash: number, text: string): number {
  let next = hash ^ 0x2f0b4a9d;
  for (let index = 0; index < text.length; index++)
    next = Math.imul(next ^ text.charCodeAt(index), 0x01000193);
  return Math.imul(next ^ (next >>> 15), 0x85ebca6b) >>> 0;
}
