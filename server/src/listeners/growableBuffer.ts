/** Joins bytes that arrive in parts. Copies each byte only a few times, however many parts arrive. */
export class GrowingBytes {
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  /** All bytes that arrived and were not taken yet. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Keeps the part itself if nothing is waiting. */
  add(part: Buffer): void {
    const length = this.#length + part.length;
    if (this.#length === 0) this.#buffer = part;
    else {
      if (length > this.#buffer.length) {
        const larger = Buffer.allocUnsafeSlow(2 * length);
        this.#buffer.copy(larger, 0, 0, this.#length);
        this.#buffer = larger;
      }
      part.copy(this.#buffer, this.#length);
    }
    this.#length = length;
  }

  /** Takes the first bytes. Nothing overwrites them later. */
  take(end: number): Buffer {
    const taken = this.#buffer.subarray(0, end);
    this.#buffer = this.#buffer.subarray(end, this.#length);
    this.#length -= end;
    return taken;
  }
}
