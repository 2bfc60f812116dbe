/** Texts of a block in one string each, as they are and folded, so that a search is a few passes of the engine's own `indexOf`. */

import { findJsonNumber, holdsParts, matchesParts } from '@tapedeck/log-query-language';
import { foldCase } from '@tapedeck/values/case-folding';

const separator = '\0';

/** One byte for each text: 1 where it is meant. */
export type Mask = Uint8Array;

type Joined = { readonly text: string /** One more than there are texts. */; readonly starts: Uint32Array };

export class TextColumn {
  readonly count: number;
  readonly #plain: Joined;
  readonly #folded: Joined;
  #numbers: Float64Array | null = null;

  constructor(texts: readonly string[]) {
    this.count = texts.length;
    this.#plain = join(texts);
    const folded = join(texts.map(foldCase));
    this.#folded = folded.text === this.#plain.text ? this.#plain : folded;
  }

  get bytes(): number {
    const plainBytes = this.#plain.text.length + this.#plain.starts.byteLength;
    return this.#folded === this.#plain ? plainBytes : 2 * plainBytes;
  }

  plain(index: number): string {
    return slice(this.#plain, index);
  }

  folded(index: number): string {
    return slice(this.#folded, index);
  }

  /** Letter case counts. */
  markEqual(text: string): Mask {
    const { starts } = this.#plain;
    const isEqual = (index: number, at: number) =>
      at === starts[index] && (starts[index + 1] ?? 0) - at - 1 === text.length;
    return text === ''
      ? this.markEach(index => this.#length(index) === 0)
      : this.#mark(this.#plain, text, isEqual);
  }

  /** The folded parts occur in this order. None of them is empty. */
  markHolding(parts: readonly string[]): Mask {
    const isHeld = parts.length === 1 ? null : (index: number) => holdsParts(this.folded(index), parts);
    return this.#mark(this.#folded, findLongest(parts), isHeld);
  }

  /** The folded parts make up the whole text, with anything between them. */
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

  /** Texts that are no numbers in JSON hold for nothing. */
  markNumbers(holds: (number: number) => boolean): Mask {
    this.#numbers ??= Float64Array.from(
      { length: this.count },
      (_, index) => findJsonNumber(this.plain(index)) ?? Number.NaN,
    );
    const mask = new Uint8Array(this.count);
    for (const [index, number] of this.#numbers.entries())
      if (!Number.isNaN(number) && holds(number)) mask[index] = 1;
    return mask;
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

  /** Of each text, its first occurrence of the needle is judged. */
  #mark(
    { text, starts }: Joined,
    needle: string,
    isMeant: ((index: number, at: number) => boolean) | null,
  ): Mask {
    const mask = new Uint8Array(this.count);
    let index = 0;
    let at = text.indexOf(needle);
    while (at >= 0 && index < this.count) {
      while ((starts[index + 1] ?? 0) <= at) index++;
      const next = starts[index + 1] ?? 0;
      // A needle with a separator in it could reach over the end of a text.
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

function slice({ text, starts }: Joined, index: number): string {
  return text.slice(starts[index] ?? 0, (starts[index + 1] ?? 0) - separator.length);
}

function findLongest(parts: readonly string[]): string {
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

/** Few texts that many rows share. */
export type SharedColumn = { readonly texts: TextColumn; readonly ids: Uint16Array | Uint32Array };

export function shareTexts(texts: readonly string[]): SharedColumn {
  const distinct = new Distinct();
  const ids = Uint16Array.from(texts, text => distinct.add(text));
  return { texts: new TextColumn(distinct.texts), ids };
}

/** Numbers texts in the order in which they come. */
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
