/** Gathers the pieces of one body in memory, joins small pieces, and keeps an account of the bytes. */
const noBytes = Buffer.alloc(0);
const piecesMin = 64; // most bodies come in fewer
const pieceBytesMin = 1024; // each piece costs some two hundred bytes beside its own
/**
 * Pieces of more bytes than this are copied into one buffer. The buffers of sockets lie scattered: hundreds of megabytes
 * of them would leave holes in the heap that the process cannot give back.
 */
const piecesBytesMax = 1024 * 1024;

/** Counts the bytes of one body against the bound of all that are in memory. */
export type BytesAccount = {
  /** Returns whether there is room for them. They count in any case, until they are let go. */
  add(bytes: number): boolean;
  /** A second call does nothing. */
  letGo(): void;
};

export class GatheredBytes {
  /** The pieces that were joined. Grows by doubling, so that each byte is copied only a few times. */
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

  /** Returns whether there is room for them: clients that never finish must not take what others need. */
  add(piece: Buffer): boolean {
    this.#pieces.push(piece);
    this.#pieceBytes += piece.length;
    const count = this.#pieces.length;
    const areSmall = count >= piecesMin && this.#pieceBytes < count * pieceBytesMin;
    if (areSmall || this.#pieceBytes >= piecesBytesMax) this.#join();
    return this.#account.add(piece.length);
  }

  /** Returns all bytes, and stops counting them. */
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

  /** Forgets the bytes and stops counting them. A second call does nothing. */
  drop(): void {
    this.#account.letGo();
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
