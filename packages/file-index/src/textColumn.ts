/** Stores the texts of a block in one string, once as written and once case-folded. So a search takes only a few calls of `indexOf`. */

import { findJsonNumber, holdsParts, matchesParts } from '@tapedeck/log-query-language';
import { foldCase } from '@tapedeck/values/case-folding';

const asciiPattern = /^[\0-\x7f]*$/;
const separator = '\0';
const unread = -Number.MIN_VALUE; // a text that equals this very number is parsed every time

/** One byte for each text; 1 if it matches. */
export type Mask = Uint8Array;

type Joined = { readonly text: string /** One more than the texts. */; readonly starts: Uint32Array };

/** The content of a column, for storing it. Folded texts are null if folding changes nothing. */
export type TextState = { readonly plain: Joined; readonly folded: Joined | null };

export class TextColumn {
  readonly count: number;
  readonly #plain: Joined;
  readonly #folded: Joined;
  #numbers: Float64Array | null = null;

  private constructor({ plain, folded }: TextState) {
    this.count = plain.starts.length - 1;
    this.#plain = plain;
    this.#folded = folded ?? plain;
  }

  static of(texts: readonly string[]): TextColumn {
    const plain = join(texts);
    return new TextColumn({ plain, folded: foldTexts(plain, texts) });
  }

  static restore(state: TextState): TextColumn {
    return new TextColumn(state);
  }

  get state(): TextState {
    return { plain: this.#plain, folded: this.#folded === this.#plain ? null : this.#folded };
  }

  get bytes(): number {
    const { plain, folded } = this.state;
    const plainBytes = plain.text.length + plain.starts.byteLength;
    if (folded === null) return plainBytes;
    return plainBytes + folded.text.length + (folded.starts === plain.starts ? 0 : folded.starts.byteLength);
  }

  plain(index: number): string {
    return slice(this.#plain, index);
  }

  folded(index: number): string {
    return slice(this.#folded, index);
  }

  /** Case matters. */
  markEqual(text: string): Mask {
    if (text === '') return this.markEach(index => this.#length(index) === 0);
    return markWhole(this.#plain, text);
  }

  /** Marks texts that hold the folded parts in this order. No part is empty. */
  markHolding(parts: readonly string[]): Mask {
    const isHeld = parts.length === 1 ? null : (index: number) => holdsParts(this.folded(index), parts);
    return this.#mark(this.#folded, findLongest(parts), isHeld);
  }

  /** Marks texts that consist of the folded parts, with anything between them. */
  markMatching(parts: readonly string[]): Mask {
    const longest = findLongest(parts);
    const isInside = parts.length === 3 && parts[0] === '' && parts[2] === '';
    const matches = (index: number) => matchesParts(this.folded(index), parts);
    return longest === ''
      ? this.markEach(matches)
      : this.#mark(this.#folded, longest, isInside ? null : matches);
  }

  markFilled(): Mask {
    return this.markEach(index => this.#length(index) > 0);
  }

  /** Returns NaN for a text that isn't a JSON number. Parses each text once. */
  numberAt(index: number): number {
    this.#numbers ??= new Float64Array(this.count).fill(unread);
    const known = this.#numbers[index] ?? Number.NaN;
    if (known !== unread) return known;
    const number = findJsonNumber(this.plain(index)) ?? Number.NaN;
    this.#numbers[index] = number;
    return number;
  }

  /** Texts that aren't numbers never match. */
  markNumbers(holds: (number: number) => boolean): Mask {
    return this.markEach(index => {
      const number = this.numberAt(index);
      return !Number.isNaN(number) && holds(number);
    });
  }

  markEach(isMeant: (index: number) => boolean): Mask {
    const mask = new Uint8Array(this.count);
    for (let index = 0; index < this.count; index++) if (isMeant(index)) mask[index] = 1;
    return mask;
  }

  #length(index: number): number {
    const { starts } = this.#plain;
    return (starts[index + 1] ?? 0) - (starts[index] ?? 0) - 1;
  }

  /** Decides about each text at the first occurrence of the needle. */
  #mark(
    { text, starts }: Joined,
    needle: string,
    isMeant: ((index: number, at: number) => boolean) | null,
  ): Mask {
    const mask = new Uint8Array(this.count);
    let index = 0;
    let at = text.indexOf(needle);
    while (at >= 0 && index < this.count) {
      index = findText(starts, index, at);
      const next = starts[index + 1] ?? 0;
      // A needle that holds the separator could reach past the end of a text.
      if (at + needle.length >= next) {
        at = text.indexOf(needle, at + 1);
        continue;
      }
      if (isMeant === null || isMeant(index, at)) mask[index] = 1;
      index++;
      at = text.indexOf(needle, next);
    }
    return mask;
  }
}

function join(texts: readonly string[]): Joined {
  const starts = new Uint32Array(texts.length + 1);
  let start = 0;
  for (const [index, text] of texts.entries()) {
    starts[index] = start;
    start += text.length + separator.length;
  }
  starts[texts.length] = start;
  return { text: texts.join(separator) + separator, starts };
}

/** null if folding changes nothing. */
function foldTexts(plain: Joined, texts: readonly string[]): Joined | null {
  // Most blocks are pure ASCII, so they can be folded as one text.
  const text = asciiPattern.test(plain.text)
    ? foldCase(plain.text)
    : texts.map(foldCase).join(separator) + separator;
  if (text === plain.text) return null;
  return text.length === plain.text.length ? { text, starts: plain.starts } : join(texts.map(foldCase));
}

function slice({ text, starts }: Joined, index: number): string {
  return text.slice(starts[index] ?? 0, (starts[index + 1] ?? 0) - separator.length);
}

function markWhole({ text: joined, starts }: Joined, text: string): Mask {
  const mask = new Uint8Array(starts.length - 1);
  const needle = text + separator;
  let index = 0;
  for (let at = joined.indexOf(needle); at >= 0; at = joined.indexOf(needle, at + 1)) {
    index = findText(starts, index, at);
    if (at === starts[index] && at + needle.length === starts[index + 1]) mask[index] = 1;
  }
  return mask;
}

/** Finds the text that contains a place. It is never before the text at `from`. */
function findText(starts: Uint32Array, from: number, at: number): number {
  const startOf = (index: number) => starts[index] ?? Number.POSITIVE_INFINITY;
  let [low, step] = [from, 1];
  while (startOf(low + step) <= at) {
    low += step;
    step *= 2;
  }
  let high = low + step;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (startOf(middle) <= at) low = middle;
    else high = middle;
  }
  return low;
}

function findLongest(parts: readonly string[]): string {
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

/** A few texts that many rows share. */
export type SharedColumn = { readonly texts: TextColumn; readonly ids: Uint16Array | Uint32Array };

export function shareTexts(texts: readonly string[]): SharedColumn {
  const distinct = new Distinct();
  const ids = Uint16Array.from(texts, text => distinct.add(text));
  return { texts: TextColumn.of(distinct.texts), ids };
}

/** Numbers texts in the order of their first use. */
export class Distinct {
  readonly #ids = new Map<string, number>();

  get texts(): string[] {
    return [...this.#ids.keys()];
  }

  add(text: string): number {
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(text, id);
    }
    return id;
  }
}
