/**
 * Joins lines that differ only in kinds of placeholders: some ids happen to have no letters, and some addresses look like words.
 * `<*>` replaces each such placeholder.
 */
import { wordsPlaceholder } from './templates.ts';

/** An IPv6 address may include its port. */
const varying = /<ip>:<n>|<(?:n|hex|id|ip|\*)>/g;

/** Maps indexes of texts to their joined texts. */
export function findKinds(texts: readonly string[]): Map<number, string> {
  const alike = new Map<string, number[]>();
  for (const [index, text] of texts.entries()) {
    if (!text.includes('<')) continue;
    const key = hideKinds(text);
    const known = alike.get(key);
    if (known === undefined) alike.set(key, [index]);
    else known.push(index);
  }
  const found = new Map<number, string>();
  for (const [key, indexes] of alike) {
    if (indexes.length === 1 || !/\p{L}/u.test(key)) continue;
    const text = joinKinds(indexes.map(index => texts[index]!));
    for (const index of indexes) found.set(index, text);
  }
  return found;
}

/** Returns the same key for texts that differ only in kinds. */
export function hideKinds(text: string): string {
  return text.includes('<') ? text.replaceAll(varying, '\u0001') : text;
}

/** Joins texts that differ only in kinds. */
export function joinKinds(texts: readonly string[]): string {
  const [first = ''] = texts;
  const others = [...new Set(texts)].slice(1).map(text => text.match(varying) ?? []);
  let place = 0;
  return first.replaceAll(varying, kind => {
    const isSame = others.every(each => each[place] === kind);
    place++;
    return isSame ? kind : wordsPlaceholder;
  });
}

const address = /<ip>(?::<n>)?/g;

export function widenAddresses(text: string): string {
  return text.replaceAll(address, wordsPlaceholder);
}
