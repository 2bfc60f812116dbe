/**
 * Removes the varying parts from a body and hashes the rest, in one pass over its UTF-8 bytes. Every incoming entry goes through it.
 * README.md has the rules.
 */
import { is, kinds, mark, measureSymbol, runKinds, runs } from './bytes.ts';
import type { Leaves } from './entryNames.ts';
import { EntryNames } from './entryNames.ts';
import type { NameMatch } from './nameMatches.ts';
import { byteAt, findColonAddress, kindAt, type Range, skipColour } from './scanning.ts';
import { findRaised } from './tracebacks.ts';
import { classifyDigits, classifyWord, placeholders, type Verdict } from './varyingWords.ts';

/** A line with this much fixed text is not a sentence any more: the rest varies like data. */
export const templateBytesMax = 512;

// The reader writes a word before it checks whether it fits, and a body has at most 64 KiB (CONTRACT.md, 4.1). It drops anything more.
const outBytes = 72 * 1024;
const ellipsis = Buffer.from('…');

/** A hash of 64 bits, unsigned. */
type Halves = { high: number; low: number };

/** Reads one body at a time, and keeps the result of the last one. */
export class PatternReader implements Halves {
  /** The upper half of the template's 64-bit hash, unsigned. */
  high = 0;
  low = 0;
  readonly #out = new Uint8Array(outBytes);
  readonly #outView = new DataView(this.#out.buffer);
  readonly #words = new Int32Array(this.#out.buffer);
  /** A view of the last buffer, cached because many bodies share one. */
  #view: DataView = this.#outView;
  readonly #range: Range = { bytes: this.#out, start: 0, end: 0 };
  readonly #verdict: Verdict = { placeholder: null, end: 0, unitStart: 0 };
  readonly #names = new EntryNames();
  #length = 0;
  /** Whether a word, a number or a placeholder has just ended. */
  #isBehindWord = false;

  /** The bytes from `start` to `end` must be whole UTF-8 characters. */
  read(bytes: Uint8Array, start: number, end: number): void {
    this.#open(bytes, start, end);
    this.#writeSegment();
    this.#close();
  }

  /** Like `read`, but replaces names from the metadata by their paths, and reads only the exception of a traceback. */
  readEntry({ bytes, start, end }: Range, leaves: Leaves | null): void {
    this.#open(bytes, start, end);
    if (bytes[start] === mark.capitalT) this.#range.start = findRaised(this.#range);
    const names = leaves === null ? [] : this.#names.find(this.#range, leaves);
    if (leaves === null || names.length === 0) this.#writeSegment();
    else this.#writeNamed(names, leaves.paths);
    this.#close();
  }

  #open(bytes: Uint8Array, start: number, end: number): void {
    if (this.#range.bytes !== bytes) {
      this.#range.bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    this.#range.start = start;
    this.#range.end = end;
    this.#length = 0;
    this.#isBehindWord = false;
  }

  #close(): void {
    if (this.#length > 0 && this.#out[this.#length - 1] === mark.blank) this.#length--;
    const length = this.#length;
    // Pads the last word of the hash.
    this.#outView.setInt32(length, 0);
    this.#outView.setInt32(length + 4, 0);
    hashWords(this.#words, length, this);
  }

  /** Returns 16 hexadecimal digits. */
  formatPattern(): string {
    return this.high.toString(16).padStart(8, '0') + this.low.toString(16).padStart(8, '0');
  }

  /** Returns the body without its varying parts, on one line; at most `templateBytesMax`, then `…`. */
  formatTemplate(): string {
    return Buffer.from(this.#out.buffer, 0, this.#length).toString();
  }

  /** Writes names as paths, and reads the text between them as if it stood alone. */
  #writeNamed(names: readonly NameMatch[], paths: Uint8Array): void {
    const range = this.#range;
    const { end } = range;
    for (const name of names) {
      range.end = name.start;
      if (!this.#writeSegment()) return;
      const before = this.#length;
      this.#length = this.#writePath(paths, name, before);
      if (this.#length > templateBytesMax) {
        this.#length = this.#write(ellipsis, before);
        return;
      }
      this.#isBehindWord = true;
      range.start = name.end;
      range.end = end;
    }
    this.#writeSegment();
  }

  /** Writes a path as `<player.name>`; see `templates.ts`. */
  #writePath(paths: Uint8Array, { pathStart, pathEnd }: NameMatch, length: number): number {
    const out = this.#out;
    let next = length;
    out[next++] = mark.less;
    for (let at = pathStart; at < pathEnd; at++) {
      const byte = paths[at]!;
      if (byte === mark.less || byte === mark.greater || byte === mark.backslash)
        out[next++] = mark.backslash;
      out[next++] = byte < mark.blank ? mark.blank : byte;
    }
    out[next++] = mark.greater;
    return next;
  }

  /**
   * Appends the range. It writes plain text itself, in as few steps as possible, and leaves anything that may vary to other methods.
   * Returns false if the template ends in the range.
   */
  #writeSegment(): boolean {
    const { bytes, start, end } = this.#range;
    const out = this.#out;
    let position = start;
    let length = this.#length;
    let isBehindWord = this.#isBehindWord;
    let goesOn = true;
    while (position < end) {
      const copied = this.#copyRun(position, length);
      if (copied > 0) isBehindWord = false;
      const before = length + copied;
      const first = position + copied;
      position = first;
      length = before;
      let byte = bytes[position]!;
      let kind = kinds[byte]!;
      if (kind & is.letter) {
        let isHex = kind;
        do {
          out[length++] = byte;
          isHex &= kind;
          byte = ++position < end ? bytes[position]! : 0;
          kind = kinds[byte]!;
        } while (kind & is.letter);
        isBehindWord = true;
        const mayBeHex = (isHex & is.hex) !== 0 && (position - first >= 8 || byte === mark.colon);
        if (kind & is.digit || mayBeHex) {
          this.#writeVarying(first, before);
          position = this.#verdict.end;
          length = this.#length;
        }
      } else if (kind & (is.blank | is.plain)) {
        // Writes one blank for several, and none at the beginning.
        if (kind & is.plain) out[length++] = byte;
        else if (length > 0 && out[length - 1] !== mark.blank) out[length++] = mark.blank;
        position++;
        isBehindWord = false;
      } else if (kind & is.lineEnd) {
        if (length > 0) {
          goesOn = false;
          break;
        }
        position++;
        isBehindWord = false;
      } else {
        if (kind & is.digit) this.#writeVarying(position, length);
        else this.#writeSign(position, length, isBehindWord);
        isBehindWord = this.#isBehindWord;
        position = this.#verdict.end;
        length = this.#length;
      }
      if (length <= templateBytesMax) continue;
      length = this.#write(ellipsis, before);
      goesOn = false;
      break;
    }
    this.#length = length;
    this.#isBehindWord = isBehindWord;
    return goesOn;
  }

  /**
   * Copies words and signs that do not vary, four bytes at a time, and returns the number of bytes. It never ends inside a word, which
   * may continue and vary, and it leaves at least one byte.
   */
  #copyRun(start: number, length: number): number {
    const source = this.#view;
    const out = this.#outView;
    const last = Math.min(this.#range.end - 5, start + templateBytesMax - length - 4);
    let before = length === 0 || this.#out[length - 1] === mark.blank ? runs.blank : 0;
    let position = start;
    for (; position <= last; position += 4) {
      const four = source.getInt32(position, true);
      const one = runKinds[four & 0xff]!;
      const two = runKinds[(four >>> 8) & 0xff]!;
      const three = runKinds[(four >>> 16) & 0xff]!;
      const fourth = runKinds[four >>> 24]!;
      const all = one & two & three & fourth;
      const pairs = (before & one) | (one & two) | (two & three) | (three & fourth);
      if (all !== runs.plain || pairs & runs.blank) break;
      out.setInt32(length + position - start, four, true);
      before = fourth;
    }
    const { bytes } = this.#range;
    while (position > start && kinds[bytes[position - 1]!]! & is.letter) position--;
    return position - start;
  }

  /** Handles a word or number that may vary. If it stays, the caller has already written it, from `length` on. */
  #writeVarying(start: number, length: number): void {
    const range = this.#range;
    const verdict = this.#verdict;
    if (kindAt(range, start) & is.digit) classifyDigits(range, start, verdict);
    else classifyWord(range, start, verdict);
    this.#isBehindWord = true;
    const { placeholder, unitStart, end } = verdict;
    if (placeholder === null) this.#length = length + end - start;
    else this.#length = this.#copy(unitStart, end, this.#write(placeholder, length));
  }

  /** Handles colours, signs of numbers, addresses that begin with a colon, and non-ASCII characters other than letters. */
  #writeSign(position: number, length: number, isBehindWord: boolean): void {
    const range = this.#range;
    const byte = byteAt(range, position);
    this.#isBehindWord = false;
    this.#length = length;
    this.#verdict.end = skipColour(range, position);
    if (this.#verdict.end > 0) return;
    if (!isBehindWord) {
      // The sign belongs to the number and disappears with it.
      const isSign = byte === mark.minus || byte === mark.plus;
      this.#verdict.end = position + 1;
      if (isSign && kindAt(range, position + 1) & is.digit) return;
      const mayBeAddress = byte === mark.colon && byteAt(range, position + 1) === mark.colon;
      const address = mayBeAddress ? findColonAddress(range, position) : null;
      if (address !== null) {
        this.#length = this.#write(placeholders.address, length);
        this.#isBehindWord = true;
        this.#verdict.end = address.end;
        return;
      }
    }
    const end = Math.min(range.end, position + (byte < 0x80 ? 1 : measureSymbol(byte)));
    this.#length = this.#copy(position, end, length);
    this.#verdict.end = end;
  }

  /** Copies bytes of the body, and returns the new length. */
  #copy(start: number, end: number, length: number): number {
    const { bytes } = this.#range;
    const out = this.#out;
    let next = length;
    for (let position = start; position < end; position++) out[next++] = bytes[position]!;
    return next;
  }

  #write(placeholder: Uint8Array, length: number): number {
    const out = this.#out;
    for (let index = 0; index < placeholder.length; index++) out[length + index] = placeholder[index]!;
    return length + placeholder.length;
  }
}

/**
 * Hashes the first `length` bytes of `words`. Requires a little-endian machine, as all supported ones are. The last eight bytes must be
 * padded with zeros. Never returns 0, which means no hash.
 */
function hashWords(words: Int32Array, length: number, halves: Halves): void {
  let one = 0x2f0b_4a9d;
  let other = 0x6b43_a9c5;
  for (let index = 0; index * 4 < length; index += 2) {
    one = Math.imul(rotate(one ^ Math.imul(words[index]!, 0xcc9e_2d51), 15) + other, 0x9e37_79b1);
    other = Math.imul(rotate(other ^ Math.imul(words[index + 1]!, 0x239b_961b), 13) + one, 0x85eb_ca77);
  }
  one = finish(one ^ length);
  other = finish((other ^ length) + one);
  halves.high = (one + other) >>> 0;
  halves.low = halves.high === 0 && other === 0 ? 1 : other >>> 0;
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function finish(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) | 0;
}
