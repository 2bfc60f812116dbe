/**
 * Finds varying words by their neighbours: `killed Olga with` and `killed Ben with` show that names occur between `killed` and `with`,
 * whatever the rest of the line says. So it finds several gaps of a line at once.
 */
import { areInner } from './frames.ts';
import { wordsPlaceholder } from './templates.ts';
import { mixHash, type Token } from './tokens.ts';

const gapWordsMax = 5; // names of people, cars and places have fewer
const wordsMax = 120; // a template has 512 bytes
const gapsMax = 2 * gapWordsMax * wordsMax;
const colonSide = 0x3a20;
const widthFactor = 8; // a gap that is one word wider must occur in 8 times as many templates
/** The minimum number of different fillings of a gap, by the number of words beside it. */
const fillingsByWords = [200, 30, 12];
const neededShare = 1 / 2;
const bitsOfSketch = 64;

/** The gaps of one template in columns, for speed: a template has ten gaps per word, and is listed several times. */
class Gaps {
  length = 0;
  /** Indexes of the first and last token. */
  readonly first = new Uint16Array(gapsMax);
  readonly last = new Uint16Array(gapsMax);
  readonly words = new Uint8Array(gapsMax);
  /** Hashes of the filling and of both sides. */
  readonly filling = new Uint32Array(gapsMax);
  readonly left = new Uint32Array(gapsMax);
  readonly right = new Uint32Array(gapsMax);
  /** The number of words beside the gap: at most two. */
  readonly kept = new Uint8Array(gapsMax);
}

const listed = new Gaps();

/** A gap of a template: its tokens, how well it explains other templates, and its place in the counts. */
export type Gap = {
  first: number;
  last: number;
  rate: number;
  needed: number;
  place: number;
  filling: number;
};

function readListed(gap: number) {
  const [first, last] = [listed.first[gap]!, listed.last[gap]!];
  return { first, last, needed: fillingsByWords[listed.kept[gap]!]!, filling: listed.filling[gap]! };
}

/**
 * Counts gaps by their sides. It accepts a gap only if enough of its templates choose it. If most choose a better gap, the few that
 * are left differ in what happened.
 */
export class GapCounts {
  #size = 0;
  #mask = (1 << 14) - 1;
  #left = new Uint32Array(1 << 14);
  #right = new Uint32Array(1 << 14);
  #templates = new Uint32Array(1 << 14);
  #low = new Uint32Array(1 << 14);
  #high = new Uint32Array(1 << 14);
  /** By place: the number of templates that chose it. */
  readonly #chosen = new Map<number, number>();

  addAll(tokens: readonly Token[]): void {
    listLocalGaps(tokens);
    for (let gap = 0; gap < listed.length; gap++) this.#add(gap);
  }

  #add(gap: number): void {
    const place = this.#find(listed.left[gap]!, listed.right[gap]!);
    if (this.#templates[place] === 0) {
      this.#left[place] = listed.left[gap]!;
      this.#right[place] = listed.right[gap]!;
      this.#size++;
    }
    this.#templates[place]!++;
    const bit = listed.filling[gap]! >>> 26;
    if (bit < 32) this.#low[place]! |= 1 << bit;
    else this.#high[place]! |= 1 << (bit - 32);
    if (this.#size * 2 > this.#mask) this.#grow();
  }

  /** Chooses the best gaps of a template that do not overlap, in the order of the text. */
  choose(tokens: readonly Token[]): Gap[] {
    listLocalGaps(tokens);
    const rated: Gap[] = [];
    for (let gap = 0; gap < listed.length; gap++) {
      const place = this.#find(listed.left[gap]!, listed.right[gap]!);
      const rate = this.#rate(gap, place);
      if (rate > 0) rated.push({ ...readListed(gap), rate, place });
    }
    rated.sort((one, other) => other.rate - one.rate || one.first - other.first || one.last - other.last);
    const chosen: Gap[] = [];
    for (const gap of rated)
      if (chosen.every(({ first, last }) => gap.last < first || gap.first > last)) chosen.push(gap);
    for (const { place } of chosen) this.#chosen.set(place, (this.#chosen.get(place) ?? 0) + 1);
    return chosen.sort((one, other) => one.first - other.first);
  }

  isTaken({ place, needed }: Gap): boolean {
    return this.#chosen.get(place)! >= needed * neededShare;
  }

  /** Rates how well the gap explains the templates; 0: too few different fillings. */
  #rate(gap: number, place: number): number {
    const templates = this.#templates[place]!;
    const needed = fillingsByWords[listed.kept[gap]!]!;
    if (templates < needed) return 0;
    if (estimate(countBits(this.#low[place]!) + countBits(this.#high[place]!)) < needed) return 0;
    return templates / widthFactor ** (listed.words[gap]! - 1);
  }

  /** Finds the place of these sides, or a free place for them. */
  #find(left: number, right: number): number {
    let place = (left ^ (right >>> 7)) & this.#mask;
    while (this.#templates[place] !== 0 && (this.#left[place] !== left || this.#right[place] !== right))
      place = (place + 1) & this.#mask;
    return place;
  }

  #grow(): void {
    const [lefts, rights, templates, low, high] = [
      this.#left,
      this.#right,
      this.#templates,
      this.#low,
      this.#high,
    ];
    const size = lefts.length * 4;
    this.#mask = size - 1;
    this.#left = new Uint32Array(size);
    this.#right = new Uint32Array(size);
    this.#templates = new Uint32Array(size);
    this.#low = new Uint32Array(size);
    this.#high = new Uint32Array(size);
    for (let from = 0; from < lefts.length; from++) {
      if (templates[from] === 0) continue;
      const to = this.#find(lefts[from]!, rights[from]!);
      this.#left[to] = lefts[from]!;
      this.#right[to] = rights[from]!;
      this.#templates[to] = templates[from]!;
      this.#low[to] = low[from]!;
      this.#high[to] = high[from]!;
    }
  }
}

/** Estimates the number of different values in a sketch with this many set bits. */
function estimate(bits: number): number {
  return bits === bitsOfSketch ? Number.POSITIVE_INFINITY : -bitsOfSketch * Math.log(1 - bits / bitsOfSketch);
}

function countBits(value: number): number {
  let rest = value - ((value >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

const wordPlaces = new Uint16Array(wordsMax);
const sides = { before: new Uint32Array(wordsMax), behind: new Uint32Array(wordsMax) };
const sideWords = { before: new Uint8Array(wordsMax), behind: new Uint8Array(wordsMax) };

/** Lists the template's gaps in `listed`. */
function listLocalGaps(tokens: readonly Token[]): void {
  listed.length = 0;
  let words = 0;
  for (let index = 0; index < tokens.length; index++) {
    if (!tokens[index]!.isGapWord) continue;
    if (words === wordsMax) return;
    wordPlaces[words++] = index;
  }
  for (let at = 0; at < words; at++) {
    findSide(tokens, at, 'before');
    findSide(tokens, at, 'behind');
  }
  for (let at = 0; at < words; at++) listFrom(tokens, at, words);
}

/** Lists the gaps that begin with this word. */
function listFrom(tokens: readonly Token[], at: number, words: number): void {
  const first = wordPlaces[at]!;
  let filling = 0x2f0b4a9d;
  for (let width = 1; width <= gapWordsMax && at + width <= words; width++) {
    const last = wordPlaces[at + width - 1]!;
    if (tokens[last]!.isDecisive) return;
    const start = width === 1 ? first : wordPlaces[at + width - 2]! + 1;
    if (width > 1 && !areJoined(tokens, start, last)) return;
    for (let index = start; index <= last; index++) filling = mixHash(filling, tokens[index]!.hash);
    if (width === 1 && tokens[first]!.text === wordsPlaceholder) continue;
    const before = sideWords.before[at]!;
    const kept = before + sideWords.behind[at + width - 1]!;
    if (kept > 0 || hasPlaceholder(tokens, first, last)) add(sides.behind[at + width - 1]!, kept);
    // Free text may follow a colon.
    if (before > 0 && tokens[last + 1]?.text === ':' && tokens[last + 2]?.isBlank) add(colonSide, before);
    function add(right: number, sideKept: number) {
      const gap = listed.length++;
      listed.first[gap] = first;
      listed.last[gap] = last;
      listed.words[gap] = width;
      listed.filling[gap] = filling;
      listed.left[gap] = sides.before[at]!;
      listed.right[gap] = right;
      listed.kept[gap] = sideKept;
    }
  }
}

/** Whether the tokens join words. Names of modules, files and machines contain signs and numbers: `web-<hex>-abc`. */
function areJoined(tokens: readonly Token[], start: number, end: number): boolean {
  if (areInner(tokens, start, end) || areCompound(tokens, start, end)) return true;
  const [one, other] = [tokens[start]!.text, tokens[start + 1]!.text];
  return end - start === 1 ? one === '/' : end - start === 2 && one === ':' && other === ':';
}

function areCompound(tokens: readonly Token[], start: number, end: number): boolean {
  for (let index = start; index < end; index++) if (!tokens[index]!.isCompound) return false;
  return true;
}

/** For a gap without words beside it: only a placeholder elsewhere identifies the line. */
function hasPlaceholder(tokens: readonly Token[], first: number, last: number): boolean {
  return tokens.some((each, index) => (index < first || index > last) && each.isPlaceholder);
}

/** Hashes a side of a gap, up to the next word or the end of the line. */
function findSide(tokens: readonly Token[], at: number, side: 'before' | 'behind'): void {
  const step = side === 'before' ? -1 : 1;
  let hash = 0x51ed27f;
  let kept = 0;
  for (let index = wordPlaces[at]! + step; index >= 0 && index < tokens.length && kept === 0; index += step) {
    hash = mixHash(hash, tokens[index]!.hash);
    if (tokens[index]!.isWord) kept = 1;
  }
  sides[side][at] = kept === 0 ? mixHash(hash, 3) : hash;
  sideWords[side][at] = kept;
}

export function fillGaps(tokens: readonly Token[], gaps: readonly Gap[]): string {
  let text = '';
  let at = 0;
  for (const { first, last } of gaps) {
    for (; at < first; at++) text += tokens[at]!.text;
    text += wordsPlaceholder;
    at = last + 1;
  }
  for (; at < tokens.length; at++) text += tokens[at]!.text;
  return text;
}
