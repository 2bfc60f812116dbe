/**
 * SHA-256 of bytes as they come (FIPS 180-4). The browser's own digest takes whole files only, and is missing where the service is
 * reached by plain HTTP.
 */

const blockBytes = 64;
const rounds = 64;

/** The first bits behind the point of the roots of the first primes, as the standard defines them. */
const primes = listPrimes(rounds);
const constants = Int32Array.from(primes, prime => takeFraction(Math.cbrt(prime)));
const beginning = Int32Array.from(primes.slice(0, 8), prime => takeFraction(Math.sqrt(prime)));

export class Sha256 {
  readonly #state = Int32Array.from(beginning);
  readonly #words = new Int32Array(rounds);
  /** What does not fill a block yet. */
  readonly #rest = new Uint8Array(blockBytes);
  #restBytes = 0;
  #bytes = 0;

  update(bytes: Uint8Array): this {
    this.#bytes += bytes.length;
    let at = 0;
    if (this.#restBytes > 0) {
      at = Math.min(blockBytes - this.#restBytes, bytes.length);
      this.#rest.set(bytes.subarray(0, at), this.#restBytes);
      this.#restBytes += at;
      if (this.#restBytes < blockBytes) return this;
      this.#compress(this.#rest, 0);
      this.#restBytes = 0;
    }
    for (; at + blockBytes <= bytes.length; at += blockBytes) this.#compress(bytes, at);
    this.#rest.set(bytes.subarray(at));
    this.#restBytes = bytes.length - at;
    return this;
  }

  /** Hexadecimal, lower case. Nothing can be added afterwards. */
  digest(): string {
    const bits = this.#bytes * 8;
    const padded = this.#restBytes + 9 <= blockBytes ? blockBytes : 2 * blockBytes;
    const end = new Uint8Array(padded - this.#restBytes);
    const view = new DataView(end.buffer);
    end[0] = 0x80;
    view.setUint32(end.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(end.length - 4, bits % 2 ** 32);
    this.update(end);
    return [...this.#state].map(word => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }

  #compress(bytes: Uint8Array, at: number): void {
    const words = this.#words;
    for (let index = 0; index < 16; index++) {
      const from = at + index * 4;
      // Within the block, whose end the callers check.
      words[index] =
        (read(bytes, from) << 24) |
        (read(bytes, from + 1) << 16) |
        (read(bytes, from + 2) << 8) |
        read(bytes, from + 3);
    }
    for (let index = 16; index < rounds; index++) {
      const near = word(words, index - 2);
      const far = word(words, index - 15);
      const small = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3);
      const large = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10);
      words[index] = word(words, index - 16) + small + word(words, index - 7) + large;
    }
    this.#mix(words);
  }

  #mix(words: Int32Array): void {
    const state = this.#state;
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let index = 0; index < rounds; index++) {
      const chosen = (e & f) ^ (~e & g);
      const first =
        h +
        (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
        chosen +
        word(constants, index) +
        word(words, index);
      const majority = (a & b) ^ (a & c) ^ (b & c);
      const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    const mixed = [a, b, c, d, e, f, g, h];
    for (let index = 0; index < mixed.length; index++)
      state[index] = word(state, index) + (mixed[index] ?? 0);
  }
}

function read(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}

function word(words: Int32Array, index: number): number {
  return words[index] ?? 0;
}

function rotate(number: number, bits: number): number {
  return (number >>> bits) | (number << (32 - bits));
}

function takeFraction(root: number): number {
  return ((root % 1) * 2 ** 32) | 0;
}

function listPrimes(count: number): number[] {
  const found: number[] = [];
  for (let number = 2; found.length < count; number++)
    if (found.every(prime => number % prime !== 0)) found.push(number);
  return found;
}
