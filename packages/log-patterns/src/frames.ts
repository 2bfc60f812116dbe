/** Frames: templates with a gap, which are the words before and after varying ones. */
import { mixHash, type TemplateWords, type Token } from './tokens.ts';

export type Frame = {
  before: string;
  behind: string;
  /** The minimum number of different fillings. The less the frame says, the higher it is. */
  variantsMin: number;
};

/** A gap between two tokens, inclusive. Equal frames have equal keys; different frames almost never do. */
type FrameGap = { key: number; first: number; last: number; gapWords: number; variantsMin: number };

const gapWordsMax = 5; // names of people, cars and places have fewer
const wordsMax = 40; // per template: longer ones are data rather than sentences
const tokensMax = 600; // a template has 512 bytes
const variantsByWords = [40, 15, 8, 5]; // by the number of words in the frame; the last value applies to more words
const signsMax = 3;

const wordPlaces = new Uint16Array(wordsMax);
/** By token index: the number of words before it, and hashes of the text before it and from it on. */
const places = {
  words: new Uint16Array(tokensMax + 1),
  placeholders: new Uint16Array(tokensMax + 1),
  heads: new Uint32Array(tokensMax + 1),
  tails: new Uint32Array(tokensMax + 1),
};

/** Calls `report` for each possible gap in the template. It reuses the object that it passes. */
export function listGaps({ tokens }: TemplateWords, report: (gap: FrameGap) => void): void {
  const count = findWords(tokens);
  if (count === 0 || tokens.length > tokensMax) return;
  placeTokens(tokens);
  const gap: FrameGap = { key: 0, first: 0, last: 0, gapWords: 0, variantsMin: 0 };
  const add = (first: number, last: number, gapWords: number): void => {
    const kept = places.words[tokens.length]! - places.words[last + 1]! + places.words[first]!;
    const placeholders = places.placeholders[tokens.length]! - places.placeholders[last + 1]!;
    if (kept === 0 && placeholders + places.placeholders[first]! === 0) return;
    gap.key = places.heads[first]! * 2 ** 21 + (places.tails[last + 1]! >>> 11);
    gap.variantsMin = variantsByWords[Math.min(kept, variantsByWords.length - 1)]!;
    gap.first = first;
    gap.last = last;
    gap.gapWords = gapWords;
    report(gap);
  };
  for (let at = 0; at < count; at++) {
    const first = wordPlaces[at]!;
    for (let width = 1; width <= gapWordsMax && at + width <= count; width++) {
      const last = wordPlaces[at + width - 1]!;
      if (tokens[last]!.isDecisive) break;
      if (width > 1 && !areInner(tokens, wordPlaces[at + width - 2]! + 1, last)) break;
      add(first, last, width);
      const rest = tokens.length - last - 1;
      if (rest > 0 && rest <= signsMax && areFinal(tokens, last + 1, tokens.length))
        add(first, tokens.length - 1, width);
    }
  }
}

/** Counts keys approximately, never too low. Most frames occur in a single template and are not worth an object. */
export class RoughCounts {
  readonly #counts = new Uint8Array(1 << 20);

  add(key: number): void {
    const place = this.#place(key);
    if (this.#counts[place]! < 255) this.#counts[place]!++;
  }

  count(key: number): number {
    return this.#counts[this.#place(key)]!;
  }

  #place(key: number): number {
    return ((key % 2 ** 32) ^ (key / 2 ** 30)) & (this.#counts.length - 1);
  }
}

/** Returns the number of words; 0 if there are too many. */
function findWords(tokens: readonly Token[]): number {
  let count = 0;
  for (let index = 0; index < tokens.length; index++) {
    if (!tokens[index]!.isGapWord) continue;
    if (count === wordsMax) return 0;
    wordPlaces[count++] = index;
  }
  return count;
}

export function cutFrame({ text, tokens }: TemplateWords, { first, last, variantsMin }: FrameGap): Frame {
  let [start, end] = [0, 0];
  for (let index = 0; index <= last; index++) {
    if (index === first) start = end;
    end += tokens[index]!.text.length;
  }
  return { before: text.slice(0, start), behind: text.slice(end), variantsMin };
}

/** Whether all tokens from `start` up to, excluding, `end` are inner ones. */
export function areInner(tokens: readonly Token[], start: number, end: number): boolean {
  for (let index = start; index < end; index++) if (!tokens[index]!.isInner) return false;
  return true;
}

function areFinal(tokens: readonly Token[], start: number, end: number): boolean {
  for (let index = start; index < end; index++) if (!tokens[index]!.isFinal) return false;
  return true;
}

function placeTokens(tokens: readonly Token[]): void {
  const { words, placeholders, heads, tails } = places;
  for (let index = 0; index < tokens.length; index++) {
    const { isWord, isPlaceholder, hash } = tokens[index]!;
    words[index + 1] = words[index]! + (isWord ? 1 : 0);
    placeholders[index + 1] = placeholders[index]! + (isPlaceholder ? 1 : 0);
    heads[index + 1] = mixHash(heads[index]!, hash);
  }
  tails[tokens.length] = 0;
  for (let index = tokens.length - 1; index >= 0; index--)
    tails[index] = mixHash(tails[index + 1]!, tokens[index]!.hash);
}
