/**
 * A set of hashes with false positives, but no false negatives: a Bloom filter whose bits for one hash lie in one block of four words, so
 * that a look takes the processor to one place in memory.
 */

const wordsOfBlock = 4;
const blockBytes = wordsOfBlock * 4;
const bitsOfHash = 16; // about one hash in four hundred is found although it was not added; a search may look into two hundred filters
// Odd numbers without a pattern, one for each word: digits of pi.
const [salt0, salt1, salt2, salt3] = [0x243f6a89, 0x85a308d3, 0x13198a2f, 0xa4093823] as const;

export class PairFilter {
  readonly #words: Uint32Array;
  readonly #blocks: number;
  readonly #hashesMax: number;
  #hashes = 0;

  constructor(bytes: number) {
    this.#blocks = Math.max(1, Math.floor(bytes / blockBytes));
    this.#words = new Uint32Array(this.#blocks * wordsOfBlock);
    this.#hashesMax = Math.floor((this.bytes * 8) / bitsOfHash);
  }

  /** Returns the size of a filter for this many hashes. */
  static measure(hashes: number): number {
    return Math.ceil((hashes * bitsOfHash) / 8 / blockBytes) * blockBytes;
  }

  get bytes(): number {
    return this.#words.byteLength;
  }

  /** Whether further hashes would raise the share of false positives. */
  get isFull(): boolean {
    return this.#hashes >= this.#hashesMax;
  }

  add(hash: number): void {
    const words = this.#words;
    const start = this.#findBlock(hash);
    const bits0 = chooseBits(hash, salt0);
    const bits1 = chooseBits(hash, salt1);
    const bits2 = chooseBits(hash, salt2);
    const bits3 = chooseBits(hash, salt3);
    if (this.#lack(start, bits0, bits1) || this.#lack(start + 2, bits2, bits3)) this.#hashes++;
    words[start]! |= bits0;
    words[start + 1]! |= bits1;
    words[start + 2]! |= bits2;
    words[start + 3]! |= bits3;
  }

  has(hash: number): boolean {
    const start = this.#findBlock(hash);
    const lacksFirst = this.#lack(start, chooseBits(hash, salt0), chooseBits(hash, salt1));
    return !lacksFirst && !this.#lack(start + 2, chooseBits(hash, salt2), chooseBits(hash, salt3));
  }

  /** Whether one of the bits is not set in two words. */
  #lack(start: number, first: number, second: number): boolean {
    return ((first & ~this.#words[start]!) | (second & ~this.#words[start + 1]!)) !== 0;
  }

  /** Scales the hash to a block by its upper bits. */
  #findBlock(hash: number): number {
    return Math.floor((hash * this.#blocks) / 2 ** 32) * wordsOfBlock;
  }
}

/** Chooses two bits of a word. */
function chooseBits(hash: number, salt: number): number {
  const mixed = Math.imul(hash, salt);
  return (1 << (mixed >>> 27)) | (1 << ((mixed >>> 22) & 31));
}
