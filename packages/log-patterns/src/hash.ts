/** A hash of 64 bits in two halves, made of words of four bytes, as MurmurHash3 mixes them. */

export type Halves = { high: number; low: number };

/**
 * Of the first `length` bytes under `words`, on machines that have the lowest byte first, as all do that run this. What is
 * behind them in the last word must be zero.
 */
export function hashWords(words: Int32Array, length: number, halves: Halves): void {
  let one = 0x2f0b_4a9d;
  let other = 0x6b43_a9c5;
  for (let index = 0; index * 4 < length; index++) {
    const word = words[index]!;
    one ^= Math.imul(rotate(Math.imul(word, 0xcc9e_2d51), 15), 0x1b87_3593);
    one = (Math.imul(rotate(one, 13), 5) + 0xe654_6b64) | 0;
    other ^= Math.imul(rotate(Math.imul(word, 0x239b_961b), 17), 0xab0e_9789);
    other = (Math.imul(rotate(other, 19), 5) + 0x561c_cd1b) | 0;
  }
  one = finish(one ^ length);
  other = finish((other ^ length) + one);
  halves.high = (one + other) >>> 0;
  halves.low = other >>> 0;
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function finish(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) | 0;
}
