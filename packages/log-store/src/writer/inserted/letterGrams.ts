/**
 * The letters within identifiers, as a set of all runs of four. Letters that lack one of them occur in no identifier. An identifier is a run
 * of ASCII letters and digits with at least one digit (`digitToken` in `schema.ts`), so its letters are next to a digit.
 */
import { markDigits, markLetters } from './byteMarks.ts';

/** A text within a block. */
export type TextPlace = { bytes: Uint8Array; view: DataView; start: number; end: number };

export const gramLetters = 4;
const letterBits = 5;
const gramMask = 2 ** (gramLetters * letterBits) - 1;
const gramWords = (gramMask + 1) / 32;

/** Memory of one set. */
export const letterBytes = gramWords * 4;

const stepBytes = 24;
const bitsBefore = 32 - stepBytes; // marks of the bytes before a step, so that a run may begin there

const letters = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(/[a-z]/i.test(String.fromCharCode(byte))),
);

export class LetterGrams {
  readonly #bits = new Uint32Array(gramWords);

  /** Adds the letters of the identifiers in a text. */
  addIdentifiers(text: TextPlace): void {
    const { start, end } = text;
    let letterMarks = 0;
    let digitMarks = 0;
    let added = start; // a run beside several digits is found as often
    for (let step = start; step < end; step += stepBytes) {
      letterMarks >>>= stepBytes;
      digitMarks >>>= stepBytes;
      const stepEnd = Math.min(step + stepBytes, end);
      for (let at = step, bit = bitsBefore; at < stepEnd; at += 4, bit += 4) {
        const word = readWord(text, at);
        letterMarks |= markLetters(word) << bit;
        digitMarks |= markDigits(word) << bit;
      }
      const runs = letterMarks & (letterMarks >>> 1) & (letterMarks >>> 2) & (letterMarks >>> 3);
      let found = runs & ((digitMarks << 1) | (digitMarks >>> gramLetters));
      for (; found !== 0; found &= found - 1) {
        const position = step - bitsBefore + 31 - Math.clz32(found & -found);
        if (position >= added) added = this.#addAround(text, position);
      }
    }
  }

  /** Adds all letters of a text. */
  addLetters(text: TextPlace): void {
    for (let at = text.start; at < text.end; at++) at = this.#addFrom(text, at);
  }

  addAll(): void {
    this.#bits.fill(0xffffffff);
  }

  /** Returns false if certainly no added text has these letters. They must be lower-case ASCII. */
  mayContain(wanted: string): boolean {
    let gram = 0;
    for (let index = 0; index < wanted.length; index++) {
      gram = append(gram, wanted.charCodeAt(index));
      if (index + 1 >= gramLetters && ((this.#bits[gram >>> 5]! >>> (gram & 31)) & 1) === 0) return false;
    }
    return true;
  }

  /** Adds the whole run of letters around a position. Returns where it ends. */
  #addAround(text: TextPlace, position: number): number {
    let first = position;
    while (first > text.start && letters[text.bytes[first - 1]!] === 1) first--;
    return this.#addFrom(text, first);
  }

  /** Adds the letters from a position on. Returns where they end. */
  #addFrom({ bytes, end }: TextPlace, start: number): number {
    let gram = 0;
    let at = start;
    for (; at < end && letters[bytes[at]!] === 1; at++) {
      gram = append(gram, bytes[at]!);
      if (at - start + 1 >= gramLetters) this.#bits[gram >>> 5]! |= 1 << (gram & 31);
    }
    return at;
  }
}

export function placeText(text: string): TextPlace {
  const bytes = Buffer.from(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return { bytes, view, start: 0, end: bytes.length };
}

/** Appends a letter of either case to the letters before it, and drops the first of them. */
function append(gram: number, code: number): number {
  return ((gram << letterBits) | (code & 0x1f)) & gramMask;
}

/** Reads four bytes, or fewer at the end of the text. */
function readWord({ bytes, view, end }: TextPlace, start: number): number {
  if (start + 4 <= end) return view.getInt32(start, true);
  let word = 0;
  for (let at = end - 1; at >= start; at--) word = (word << 8) | bytes[at]!;
  return word;
}
