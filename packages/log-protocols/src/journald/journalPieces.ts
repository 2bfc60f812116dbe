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
  #bytes: Buffer = Buffer.alloc(0);
  /** Start of the next field, or of the blank line that ends an entry. */
  #at = 0;
  #entries = 0;
  #isBetweenEntries = true;

  constructor(entryBytesMax: number) {
    this.#entryBytesMax = entryBytesMax;
  }

  get pendingBytes(): number {
    return this.#bytes.length;
  }

  add(chunk: Buffer): Buffer[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    const pieces: Buffer[] = [];
    for (let next = this.#findNext(); next !== null; next = this.#findNext()) {
      const isBlank = this.#bytes[this.#at] === newline;
      this.#at = next;
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

  #cut(): Buffer {
    const piece = this.#bytes.subarray(0, this.#at);
    this.#bytes = this.#bytes.subarray(this.#at);
    this.#at = 0;
    this.#entries = 0;
    return piece;
  }

  /** Returns the position after the field or blank line, or null if it is incomplete. */
  #findNext(): number | null {
    const bytes = this.#bytes;
    const lineEnd = bytes.indexOf(newline, this.#at);
    if (lineEnd === -1) return null;
    if (lineEnd === this.#at || bytes.subarray(this.#at, lineEnd).includes(equals)) return lineEnd + 1;
    const valueStart = lineEnd + 1 + sizeBytes;
    if (valueStart > bytes.length) return null;
    const end = valueStart + Number(bytes.readBigUInt64LE(lineEnd + 1));
    return end < bytes.length ? end + 1 : null;
  }
}
