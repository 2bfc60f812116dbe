/** Gathers the pieces of one body in memory, joins small pieces, and counts the bytes. */
const noBytes = Buffer.alloc(0);
const piecesMin = 64; // most bodies arrive in fewer
const pieceBytesMin = 1024; // each piece costs about two hundred bytes of overhead
/**
 * Copies pieces into one buffer above this many bytes. Socket buffers are scattered: hundreds of megabytes of them would leave holes in the heap that
 * the process cannot return.
 */
const piecesBytesMax = 1024 * 1024;

/** Counts the bytes of one body toward the limit for all bodies in memory. */
export type BytesAccount = {
  /** Returns whether there is room. The bytes count either way, until they are let go. */
  add(bytes: number): boolean;
  /** A second call has no effect. */
  release(): void;
};

export class GatheredBytes {
  /** The joined pieces. Doubles in size, so that each byte is copied only a few times. */
  #joined: Buffer = noBytes;
  #joinedBytes = 0;
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  readonly #account: BytesAccount;

  constructor(account: BytesAccount) {
    this.#account = account;
  }

  get length(): number {
    return this.#joinedBytes + this.#pieceBytes;
  }

  /** Returns whether there is room: clients that never finish must not take what others need. */
  add(piece: Buffer): boolean {
    this.#pieces.push(piece);
    this.#pieceBytes += piece.length;
    const count = this.#pieces.length;
    const areSmall = count >= piecesMin && this.#pieceBytes < count * pieceBytesMin;
    if (areSmall || this.#pieceBytes >= piecesBytesMax) this.#join();
    return this.#account.add(piece.length);
  }

  /** Returns all bytes and stops counting them. */
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

  /** Drops the bytes and stops counting them. A second call has no effect. */
  drop(): void {
    this.#account.release();
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
