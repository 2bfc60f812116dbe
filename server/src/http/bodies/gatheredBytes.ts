/** Bodies that are being read, piece by piece: what they hold in memory is joined when the pieces are small, and counted. */
import { holdBytes, letBytesGo } from '../../domain/logs/heldBodies.ts';

const noBytes = Buffer.alloc(0);
const piecesMin = 64; // most bodies come in fewer
const pieceBytesMin = 1024; // each piece costs some two hundred bytes beside its own
/** What sockets bring lies scattered: kept until hundreds of megabytes are there, it leaves holes that stay with the process. */
const piecesBytesMax = 1024 * 1024;

export class GatheredBytes {
  /** The first bytes, when they came in many pieces; it grows by doubling, so that each is copied few times. */
  #joined: Buffer = noBytes;
  #joinedBytes = 0;
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #isOver = false;

  get length(): number {
    return this.#joinedBytes + this.#pieceBytes;
  }

  /** Whether all bodies are still within their bound: clients that never finish theirs must not take the memory of the others. */
  add(piece: Buffer): boolean {
    this.#pieces.push(piece);
    this.#pieceBytes += piece.length;
    const count = this.#pieces.length;
    const areSmall = count >= piecesMin && this.#pieceBytes < count * pieceBytesMin;
    if (areSmall || this.#pieceBytes >= piecesBytesMax) this.#join();
    return holdBytes(piece.length);
  }

  /** All of them, which no longer count. */
  take(): Buffer {
    const [first] = this.#pieces;
    let all = this.#pieces.length === 1 && first !== undefined ? first : null;
    if (this.#joinedBytes > 0) {
      this.#join();
      all = this.#joined.subarray(0, this.#joinedBytes);
    }
    all ??= Buffer.concat(this.#pieces);
    this.drop();
    return all;
  }

  /** May be called again. */
  drop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    letBytesGo(this.length);
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
