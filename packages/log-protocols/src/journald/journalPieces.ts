/** Cuts a journal of any length into pieces of whole entries. A journal that is sent again is cut at the same places. */
import { entryLimits } from '@tapedeck/log-entries';
import type { BodyPieces } from '../protocol.ts';
import { ProtocolFailure } from '../reading/sentEntry.ts';

const newline = 0x0a;
const equals = 0x3d;
const sizeBytes = 8;
const pieceBytes = 512 * 1024; // a few hundred entries, stored with one disk sync

const fieldBytesMax = 1024 * 1024; // an entry keeps at most 64 KiB of it, but a journal may contain whole memory dumps

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
  /** The rest of a field that is too long: this many bytes, or the bytes up to the end of the line. */
  #bytesToSkip = 0;
  #skipsLine = false;

  constructor(entryBytesMax: number) {
    this.#entryBytesMax = entryBytesMax;
  }

  get pendingBytes(): number {
    return this.#bytes.length;
  }

  add(chunk: Buffer): Buffer[] {
    this.#append(this.#skip(chunk));
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
    if (this.#bytesToSkip > 0) throw new ProtocolFailure('bad_request', 'The last field is cut off.');
    return this.#bytes;
  }

  /** Returns what comes after the end of a field that is too long. */
  #skip(chunk: Buffer): Buffer {
    if (this.#skipsLine) {
      const lineEnd = chunk.indexOf(newline);
      this.#skipsLine = lineEnd === -1;
      return chunk.subarray(lineEnd === -1 ? chunk.length : lineEnd);
    }
    const skipped = Math.min(this.#bytesToSkip, chunk.length);
    this.#bytesToSkip -= skipped;
    return chunk.subarray(skipped);
  }

  /** Removes bytes of a field. `to` may be beyond the bytes that have arrived. */
  #remove(from: number, to: number): void {
    const { length } = this.#bytes;
    this.#bytesToSkip = Math.max(0, to - length);
    this.#bytes = Buffer.concat([this.#bytes.subarray(0, from), this.#bytes.subarray(Math.min(to, length))]);
    this.#space = this.#bytes;
    this.#searchedTo = Math.min(this.#searchedTo, from);
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

  /** Returns the position after the field or blank line, or null if it is incomplete. Shortens a field that is too long. */
  #findNext(): number | null {
    const bytes = this.#bytes;
    const found = bytes.indexOf(newline, this.#searchedTo);
    const lineEnd = found === -1 ? bytes.length : found;
    this.#searchedTo = lineEnd;
    const keptEnd = this.#at + fieldBytesMax;
    if (lineEnd > keptEnd) {
      this.#remove(keptEnd, lineEnd);
      this.#skipsLine = found === -1;
      return this.#skipsLine ? null : keptEnd + 1;
    }
    if (found === -1) return null;
    if (lineEnd === this.#at || bytes.subarray(this.#at, lineEnd).includes(equals)) return lineEnd + 1;
    return this.#findValueEnd(lineEnd + 1);
  }

  /** `sizeAt`: where the size of the value is. */
  #findValueEnd(sizeAt: number): number | null {
    const valueStart = sizeAt + sizeBytes;
    if (valueStart > this.#bytes.length) return null;
    const size = Number(this.#bytes.readBigUInt64LE(sizeAt));
    const isLong = size > fieldBytesMax;
    const end = valueStart + (isLong ? fieldBytesMax : size);
    if (end >= this.#bytes.length) return null;
    if (!isLong) return end + 1;
    this.#remove(end, valueStart + size); // copies the bytes, so the size can be changed
    this.#bytes.writeBigUInt64LE(BigInt(fieldBytesMax), sizeAt);
    return end < this.#bytes.length ? end + 1 : null;
  }
}
