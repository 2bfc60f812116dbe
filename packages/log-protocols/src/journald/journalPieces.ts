/** Cuts a journal of any length into pieces of whole entries. A journal that is sent again is cut at the same places. */
import { entryLimits } from '@tapedeck/log-entries';
import type { BodyPieces } from '../protocol.ts';
import { ProtocolFailure } from '../reading/sentEntry.ts';

const newline = 0x0a;
const equals = 0x3d;
const sizeBytes = 8;
const pieceBytes = 512 * 1024; // a few hundred entries, stored with one disk sync

export class JournalPieces implements BodyPieces {
  readonly #entryBytesMax: number;
  /** The bytes that it holds, at the start of a larger buffer. */
  #bytes: Buffer = Buffer.alloc(0);
  #space: Buffer = Buffer.alloc(0);
  /** Start of the next field, or of the blank line that ends an entry. */
  #at = 0;
  /** No line ends between `#at` and here. */
  #searchedTo = 0;
  #entries = 0;
  #isBetweenEntries = true;

  constructor(entryBytesMax: number) {
    this.#entryBytesMax = entryBytesMax;
  }

  get pendingBytes(): number {
    return this.#bytes.length;
  }

  add(chunk: Buffer): Buffer[] {
    this.#append(chunk);
    const pieces: Buffer[] = [];
    for (let next = this.#findNext(); next !== null; next = this.#findNext()) {
      const isBlank = this.#bytes[this.#at] === newline;
      this.#at = next;
      this.#searchedTo = next;
      if (isBlank && !this.#isBetweenEntries) this.#entries++;
      this.#isBetweenEntries = isBlank;
      const isFull = next >= pieceBytes || this.#entries >= entryLimits.requestItemsMax;
      if (isBlank && isFull) pieces.push(this.#cut());
    }
    if (this.#bytes.length > this.#entryBytesMax)
      throw new ProtocolFailure(
        'body_too_large',
        `A journal entry may hold at most ${this.#entryBytesMax.toLocaleString('en')} bytes.`,
      );
    return pieces;
  }

  finish(): Buffer {
    return this.#bytes;
  }

  /** Doubles the space when it is full, so that each byte is copied only a few times, however small the chunks are. */
  #append(chunk: Buffer): void {
    const held = this.#bytes.length;
    const length = held + chunk.length;
    if (length > this.#space.length) {
      const larger = held === 0 ? chunk : Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#space.length));
      this.#bytes.copy(larger, 0);
      this.#space = larger;
    }
    if (this.#space !== chunk) chunk.copy(this.#space, held);
    this.#bytes = this.#space.subarray(0, length);
  }

  #cut(): Buffer {
    const piece = this.#bytes.subarray(0, this.#at);
    this.#bytes = this.#bytes.subarray(this.#at);
    this.#space = this.#bytes; // full, because the piece may be read later than the next bytes arrive
    this.#at = 0;
    this.#searchedTo = 0;
    this.#entries = 0;
    return piece;
  }

  /** Returns the position after the field or blank line, or null if it is incomplete. */
  #findNext(): number | null {
    const bytes = this.#bytes;
    const lineEnd = bytes.indexOf(newline, this.#searchedTo);
    this.#searchedTo = lineEnd === -1 ? bytes.length : lineEnd;
    if (lineEnd === -1) return null;
    if (lineEnd === this.#at || bytes.subarray(this.#at, lineEnd).includes(equals)) return lineEnd + 1;
    const valueStart = lineEnd + 1 + sizeBytes;
    if (valueStart > bytes.length) return null;
    const end = valueStart + Number(bytes.readBigUInt64LE(lineEnd + 1));
    return end < bytes.length ? end + 1 : null;
  }
}
