/** Records the texts that fill gaps, by the words around them. A few texts in many lines say what happened. */
import type { Gap } from './localGaps.ts';
import { mixHash, type Token } from './tokens.ts';

const fewMax = 3; // different texts
const fewLinesMin = 24; // lines with at most `fewMax` texts in one place
const contextWords = 2;

/**
 * Decides whether a gap varies, by its fillings between the same words, two on each side. A few texts in many lines say what happened,
 * so they do not vary. Fewer words around it would mix gaps of different lines.
 */
export class Fillings {
  readonly #contexts = new Map<number, { count: number; fillings: Set<number> }>();

  add(tokens: readonly Token[], gaps: readonly Gap[]): void {
    for (const [index, { filling }] of gaps.entries()) {
      const key = hashContext(tokens, gaps, index);
      let context = this.#contexts.get(key);
      if (context === undefined) {
        context = { count: 0, fillings: new Set() };
        this.#contexts.set(key, context);
      }
      context.count++;
      if (context.fillings.size <= fewMax) context.fillings.add(filling);
    }
  }

  vary(tokens: readonly Token[], gaps: readonly Gap[], index: number): boolean {
    const context = this.#contexts.get(hashContext(tokens, gaps, index));
    return context === undefined || context.count < fewLinesMin || context.fillings.size > fewMax;
  }
}

function hashContext(tokens: readonly Token[], gaps: readonly Gap[], index: number): number {
  const { first, last } = gaps[index]!;
  const before = hashWords(tokens, { from: first - 1, to: gaps[index - 1]?.last ?? -1, step: -1 });
  const behind = hashWords(tokens, { from: last + 1, to: gaps[index + 1]?.first ?? tokens.length, step: 1 });
  return before * 2 ** 21 + (behind >>> 11);
}

/** Hashes the next words, up to another gap. */
function hashWords(
  tokens: readonly Token[],
  { from, to, step }: { from: number; to: number; step: number },
): number {
  let [hash, words] = [0x51ed27f, 0];
  for (let index = from; index !== to && words < contextWords; index += step) {
    const each = tokens[index]!;
    hash = mixHash(hash, each.hash);
    if (each.isWord) words++;
  }
  return hash;
}
