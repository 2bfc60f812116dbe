/** Tells quickly, and nearly always, that a text is not in a set. */

const bitsPerText = 8; // one in eight absent texts looks present

export class TextHashes {
  readonly #bits: Uint8Array;

  private constructor(bits: Uint8Array) {
    this.#bits = bits;
  }

  static of(texts: readonly string[]): TextHashes {
    const hashes = new TextHashes(new Uint8Array(texts.length));
    for (const text of texts) {
      const { byte, bit } = hashes.#place(text);
      hashes.#bits[byte] = (hashes.#bits[byte] ?? 0) | bit;
    }
    return hashes;
  }

  static restore(state: Uint8Array): TextHashes {
    return new TextHashes(state);
  }

  /** The bits, for storing them. */
  get state(): Uint8Array {
    return this.#bits;
  }

  get bytes(): number {
    return this.#bits.byteLength;
  }

  mayHold(text: string): boolean {
    if (this.#bits.length === 0) return false;
    const { byte, bit } = this.#place(text);
    return ((this.#bits[byte] ?? 0) & bit) !== 0;
  }

  #place(text: string): { byte: number; bit: number } {
    let hash = 0x811c9dc5;
    for (let index = 0; index < text.length; index++)
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    hash ^= hash >>> 15; // otherwise the last characters would hardly change it
    const place = (hash >>> 0) % (this.#bits.length * bitsPerText);
    return { byte: place >> 3, bit: 1 << (place & 7) };
  }
}
