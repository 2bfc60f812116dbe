/** Decides which templates a merged one stands for: `<*>` is any text that is not empty. */
import { isWord, splitTemplate } from './frames.ts';
import { wordsPlaceholder } from './templates.ts';

export type TemplateMatcher = (template: string) => boolean;

/** Takes time that grows with the length of the text alone. */
export function compileTemplate(merged: string): TemplateMatcher {
  const parts = merged.split(wordsPlaceholder);
  const [head = ''] = parts;
  if (parts.length === 1) return text => text === merged;
  const tail = parts.at(-1)!; // split has at least one
  const middle = parts.slice(1, -1);
  const lengthMin = merged.length - (parts.length - 1) * (wordsPlaceholder.length - 1);
  return text => {
    if (text.length < lengthMin || !text.startsWith(head) || !text.endsWith(tail)) return false;
    let at = head.length;
    for (const part of middle) {
      const found = text.indexOf(part, at + 1);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at + 1 <= text.length - tail.length;
  };
}

const weightMin = 2;

/** Whether it says enough that everything that fits is the same message: `[<*>]: <*>` does not. */
export function isSpecific(merged: string): boolean {
  let weight = 0;
  for (const token of splitTemplate(merged).tokens) {
    if (token === wordsPlaceholder || token.trim() === '') continue;
    weight += isWord(token) || token.length > 1 ? 1 : 0.5;
  }
  return weight >= weightMin;
}

type Fitting = { readonly text: string; readonly members: number };

const membersMin = 5;

/** By index, the index of the merged template that stands for it as well; of several the one that says most. */
export function findFitting(groups: readonly Fitting[]): Map<number, number> {
  const wide = groups
    .map(({ text, members }, index) => ({ text, members, index, length: text.replaceAll(wordsPlaceholder, '').length }))
    .filter(({ text, members }) => members >= membersMin && text.includes(wordsPlaceholder) && isSpecific(text))
    .sort((one, other) => other.length - one.length || (one.text < other.text ? -1 : 1))
    .map(each => ({ ...each, fits: compileTemplate(each.text) }));
  const found = new Map<number, number>();
  for (const [index, { text }] of groups.entries()) {
    const into = wide.find(each => each.index !== index && each.fits(text));
    if (into !== undefined) found.set(index, into.index);
  }
  return found;
}
