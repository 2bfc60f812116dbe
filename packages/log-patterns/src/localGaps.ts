/**
 * Finds words that vary by what stands next to them: `killed Olga with` and `killed Ben with` show that names stand between `killed` and
 * `with`, whatever the rest of the line says. So several gaps in one line are found at once.
 */

import { isDecisive } from './decisiveWords.ts';
import { extendHash, inner, isBetween, isGapWord, isWord } from './frames.ts';
import { wordsPlaceholder } from './templates.ts';

const gapWordsMax = 5; // names of people, cars and places have fewer
const wordsMax = 120; // of a template of 512 bytes
const widthFactor = 8; // a gap that is a word wider must be in so many times as many templates
/** How many different texts must fill a gap, by how many words stand beside it. */
const fillingsByWords = [200, 30, 12];
const bitsOfSketch = 64;

/** From the first token to the last one. `side`: what stands beside it. */
type Gap = { first: number; last: number; words: number; filling: number; side: number; kept: number };

/** Counts by what stands beside a gap, in columns: there are as many as a template has words, for each template. */
export class GapCounts {
  readonly #places = new Map<number, number>();
  #templates = new Uint32Array(1 << 12);
  #low = new Uint32Array(1 << 12);
  #high = new Uint32Array(1 << 12);

  add({ side, filling }: Gap): void {
    let place = this.#places.get(side);
    if (place === undefined) {
      place = this.#places.size;
      this.#places.set(side, place);
      if (place >= this.#templates.length) this.#grow();
    }
    this.#templates[place]!++;
    const bit = filling >>> 26;
    if (bit < 32) this.#low[place]! |= 1 << bit;
    else this.#high[place]! |= 1 << (bit - 32);
  }

  /** How well such a gap explains the templates; 0: too few different texts fill it. */
  rate({ side, kept, words }: Gap): number {
    const place = this.#places.get(side);
    if (place === undefined) return 0;
    const templates = this.#templates[place]!;
    const needed = fillingsByWords[kept]!;
    if (templates < needed) return 0;
    if (estimate(countBits(this.#low[place]!) + countBits(this.#high[place]!)) < needed) return 0;
    return templates / widthFactor ** (words - 1);
  }

  #grow(): void {
    const longer = (from: Uint32Array) => {
      const to = new Uint32Array(from.length * 2);
      to.set(from);
      return to;
    };
    this.#templates = longer(this.#templates);
    this.#low = longer(this.#low);
    this.#high = longer(this.#high);
  }
}

/** How many different ones were added to a sketch that has so many bits. */
function estimate(bits: number): number {
  return bits === bitsOfSketch ? Number.POSITIVE_INFINITY : -bitsOfSketch * Math.log(1 - bits / bitsOfSketch);
}

function countBits(value: number): number {
  let rest = value - ((value >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export function listLocalGaps(tokens: readonly string[]): Gap[] {
  const words: number[] = [];
  for (let index = 0; index < tokens.length; index++) if (isGapWord(tokens[index]!)) words.push(index);
  if (words.length === 0 || words.length > wordsMax) return [];
  const hashes = tokens.map(each => extendHash(0, each));
  const before = words.map(first => hashSide(tokens, hashes, { from: first - 1, step: -1 }));
  const behind = words.map(last => hashSide(tokens, hashes, { from: last + 1, step: 1 }));
  const gaps: Gap[] = [];
  for (const [at, first] of words.entries()) {
    let filling = 0x2f0b4a9d;
    for (let width = 1; width <= gapWordsMax && at + width <= words.length; width++) {
      const last = words[at + width - 1]!;
      if (isDecisive(tokens[last]!)) break;
      const start = width === 1 ? first : words[at + width - 2]! + 1;
      if (width > 1 && !isJoined(tokens.slice(start, last))) break;
      for (let index = start; index <= last; index++) filling = mix(filling, hashes[index]!);
      if (width === 1 && tokens[first] === wordsPlaceholder) continue;
      const [left, right] = [before[at]!, behind[at + width - 1]!];
      if (left.kept + right.kept === 0 && !hasPlaceholder(tokens, first, last)) continue;
      gaps.push({
        ...{ first, last, words: width, filling },
        side: left.hash * 2 ** 21 + (mix(right.hash, 7) >>> 11),
        kept: left.kept + right.kept,
      });
    }
  }
  return gaps;
}

const compound: ReadonlySet<string> = new Set(['<n>', '<hex>', '<id>', '<uuid>', '_']);

/** Names of modules and files. */
const paths: ReadonlySet<string> = new Set(['::', '/']);

/** Names of machines have numbers between their words: `web-<hex>-abc`. */
function isJoined(between: readonly string[]): boolean {
  if (isBetween(inner, between)) return true;
  if (paths.has(between.join(''))) return true;
  return between.every(each => each.trim() !== '' && (compound.has(each) || inner.test(each)));
}

/** Beside a gap without words: nothing else says what the line is. */
function hasPlaceholder(tokens: readonly string[], first: number, last: number): boolean {
  return tokens.some(
    (each, index) => (index < first || index > last) && each.startsWith('<') && each !== '<',
  );
}

/** Hashes up to the next word or the end of the line. */
function hashSide(
  tokens: readonly string[],
  hashes: readonly number[],
  { from, step }: { from: number; step: number },
): { hash: number; kept: number } {
  let hash = 0x51ed27f;
  for (let index = from; index >= 0 && index < tokens.length; index += step) {
    hash = mix(hash, hashes[index]!);
    if (isWord(tokens[index]!)) return { hash, kept: 1 };
  }
  return { hash: mix(hash, 3), kept: 0 };
}

/** The best gaps of a template that do not overlap, in its order. */
export function chooseGaps(tokens: readonly string[], counts: GapCounts): Gap[] {
  const rated = listLocalGaps(tokens)
    .map(gap => ({ gap, rate: counts.rate(gap) }))
    .filter(({ rate }) => rate > 0)
    .sort(
      (one, other) =>
        other.rate - one.rate || one.gap.first - other.gap.first || one.gap.last - other.gap.last,
    );
  const chosen: Gap[] = [];
  for (const { gap } of rated)
    if (chosen.every(({ first, last }) => gap.last < first || gap.first > last)) chosen.push(gap);
  return chosen.sort((one, other) => one.first - other.first);
}

export function fillGaps(tokens: readonly string[], gaps: readonly Gap[]): string {
  let text = '';
  let at = 0;
  for (const { first, last } of gaps) {
    for (; at < first; at++) text += tokens[at]!;
    text += wordsPlaceholder;
    at = last + 1;
  }
  for (; at < tokens.length; at++) text += tokens[at]!;
  return text;
}

function mix(hash: number, value: number): number {
  const next = Math.imul(hash ^ value, 0x85ebca6b);
  return Math.imul(next ^ (next >>> 15), 0xc2b2ae35) >>> 0;
}
