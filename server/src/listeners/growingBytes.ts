/** Bytes that arrive in parts and are looked at as one: each is copied a few times at most, however many parts come. */
export class GrowingBytes {
  #room: Buffer = Buffer.alloc(0);
  #length = 0;

  /** All that has come and was not taken. */
  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  /** The part itself is kept where nothing waits. */
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

  /** The first bytes. Nothing is written where they lie afterwards. */
  take(end: number): Buffer {
    const taken = this.#room.subarray(0, end);
    this.#room = this.#room.subarray(end, this.#length);
    this.#length -= end;
    return taken;
  }
}
