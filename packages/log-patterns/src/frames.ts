/** Templates with a gap: the words before and behind those that may vary. */
import { mixHash, type TemplateWords, type Token } from './tokens.ts';

export type Frame = {
  /** Equal frames have equal keys; others hardly ever. */
  key: number;
  before: string;
  behind: string;
  /** Words in the gap of the template that the frame was cut from. */
  gapWords: number;
  /** How many different words must have stood in the gap: the less the frame says, the more. */
  variantsMin: number;
};

const gapWordsMax = 5; // names of people, cars and places have fewer
const wordsMax = 40; // of a template: longer ones are data rather than sentences
const variantsByWords = [40, 15, 8, 5]; // by how many words the frame has; more: the last of them
const signsMax = 3;

/** Lists all possible gaps in the template. */
export function listGaps({ text, tokens }: TemplateWords): Frame[] {
  const words = tokens.flatMap((each, index) => (each.isGapWord ? [index] : []));
  if (words.length === 0 || words.length > wordsMax) return [];
  const places = placeTokens(tokens);
  const frames: Frame[] = [];
  const add = (first: number, last: number, gapWords: number): void => {
    const kept = places.words[tokens.length]! - places.words[last + 1]! + places.words[first]!;
    const before = text.slice(0, places.starts[first]);
    const behind = text.slice(places.starts[last + 1]);
    if (kept === 0 && !before.includes('<') && !behind.includes('<')) return;
    const key = places.heads[first]! * 2 ** 21 + (places.tails[last + 1]! >>> 11);
    const variantsMin = variantsByWords[Math.min(kept, variantsByWords.length - 1)]!;
    frames.push({ key, before, behind, gapWords, variantsMin });
  };
  for (const [at, first] of words.entries()) {
    for (let width = 1; width <= gapWordsMax && at + width <= words.length; width++) {
      const last = words[at + width - 1]!;
      if (tokens[last]!.isDecisive) break;
      if (width > 1 && !isEach(tokens, words[at + width - 2]! + 1, last, 'isInner')) break;
      add(first, last, width);
      const rest = tokens.length - last - 1;
      if (rest > 0 && rest <= signsMax && isEach(tokens, last + 1, tokens.length, 'isFinal'))
        add(first, tokens.length - 1, width);
    }
  }
  return frames;
}

/** Whether all tokens from one up to another are of this kind. */
export function isEach(
  tokens: readonly Token[],
  start: number,
  end: number,
  kind: 'isInner' | 'isFinal' | 'isCompound',
): boolean {
  for (let index = start; index < end; index++) if (!tokens[index]![kind]) return false;
  return true;
}

/** By index of a token: its start, the number of words before it, and hashes of everything before it and from it on. */
function placeTokens(tokens: readonly Token[]) {
  const numbers = () => new Uint32Array(tokens.length + 1);
  const places = { starts: numbers(), words: numbers(), heads: numbers(), tails: numbers() };
  for (const [index, { text, isWord, hash }] of tokens.entries()) {
    places.starts[index + 1] = places.starts[index]! + text.length;
    places.words[index + 1] = places.words[index]! + (isWord ? 1 : 0);
    places.heads[index + 1] = mixHash(places.heads[index]!, hash);
  }
  for (let index = tokens.length - 1; index >= 0; index--)
    places.tails[index] = mixHash(places.tails[index + 1]!, tokens[index]!.hash);
  return places;
}
