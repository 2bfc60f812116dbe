/** A hash of 64 bits in two halves, made of eight bytes at a time: each half takes four of them, and the other half. */

export type Halves = { high: number; low: number };

/**
 * Of the first `length` bytes under `words`, on machines that have the lowest byte first, as all do that run this. What is
 * behind them in the last eight must be zero. Never 0: that stands for no hash.
 */
export function hashWords(words: Int32Array, length: number, halves: Halves): void {
  let one = 0x2f0b_4a9d;
  let other = 0x6b43_a9c5;
  for (let index = 0; index * 4 < length; index += 2) {
    one = Math.imul(rotate(one ^ Math.imul(words[index]!, 0xcc9e_2d51), 15) + other, 0x9e37_79b1);
    other = Math.imul(rotate(other ^ Math.imul(words[index + 1]!, 0x239b_961b), 13) + one, 0x85eb_ca77);
  }
  one = finish(one ^ length);
  other = finish((other ^ length) + one);
  halves.high = (one + other) >>> 0;
  halves.low = halves.high === 0 && other === 0 ? 1 : other >>> 0;
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function finish(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) | 0;
}
