/** Joins bytes that arrive in parts. Copies each byte only a few times, however many parts arrive. */
export class GrowingBytes {
  #room: Buffer = Buffer.alloc(0);
  #length = 0;

  /** All bytes that arrived and were not taken yet. */
  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  /** Keeps the part itself if nothing is waiting. */
  add(part: Buffer): void {
    const length = this.#length + part.length;
    if (this.#length === 0) this.#room = part;
    else {
      if (length > this.#room.length) {
        const room = Buffer.allocUnsafeSlow(2 * length);
        this.#room.copy(room, 0, 0, this.#length);
        this.#room = room;
      }
      part.copy(this.#room, this.#length);
    }
    this.#length = length;
  }

  /** Takes the first bytes. Nothing overwrites them later. */
  take(end: number): Buffer {
    const taken = this.#room.subarray(0, end);
    this.#room = this.#room.subarray(end, this.#length);
    this.#length -= end;
    return taken;
  }
}
