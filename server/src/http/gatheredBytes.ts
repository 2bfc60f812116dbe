/** Bodies that are being read, piece by piece: what they hold in memory is joined when the pieces are small, and counted. */
import { limits } from '../vocabulary.ts';

/** Of all bodies that are being read: clients that never finish theirs must not take the memory of the others. */
let unfinishedBytes = 0;

const noBytes = Buffer.alloc(0);
const piecesMin = 64; // most bodies come in fewer
const pieceBytesMin = 1024; // each piece costs some two hundred bytes beside its own

export class GatheredBytes {
  /** The first bytes, when they came in many small pieces; it grows by doubling, so that each is copied few times. */
  #joined: Buffer = noBytes;
  #joinedBytes = 0;
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #isOver = false;

  get length(): number {
    return this.#joinedBytes + this.#pieceBytes;
  }

  /** Whether all bodies together are still within their bound. */
  add(piece: Buffer): boolean {
    this.#pieces.push(piece);
    this.#pieceBytes += piece.length;
    unfinishedBytes += piece.length;
    const count = this.#pieces.length;
    if (count >= piecesMin && this.#pieceBytes < count * pieceBytesMin) this.#join();
    return unfinishedBytes <= limits.unfinishedBodiesBytesMax;
  }

  /** All of them, which no longer count. */
  take(): Buffer {
    const [first] = this.#pieces;
    const isWhole = this.#joinedBytes === 0 && this.#pieces.length === 1 && first !== undefined;
    const joined = this.#joined.subarray(0, this.#joinedBytes);
    const all = isWhole ? first : Buffer.concat([joined, ...this.#pieces]);
    this.drop();
    return all;
  }

  /** May be called again. */
  drop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    unfinishedBytes -= this.length;
    this.#joined = noBytes;
    this.#pieces = [];
    this.#joinedBytes = 0;
    this.#pieceBytes = 0;
  }

  #join(): void {
    const { length } = this;
    if (length > this.#joined.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#joined.length, pieceBytesMin));
      this.#joined.copy(larger, 0, 0, this.#joinedBytes);
      this.#joined = larger;
    }
    for (const piece of this.#pieces) this.#joinedBytes += piece.copy(this.#joined, this.#joinedBytes);
    this.#pieces = [];
    this.#pieceBytes = 0;
  }
}
