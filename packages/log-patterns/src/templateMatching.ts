/** Matches templates against merged ones. `<*>` stands for any text that is not empty. */
import { placeholderNames, wordsPlaceholder } from './templates.ts';
import { splitTemplate } from './tokens.ts';

/** Replaces each placeholder by one special character, so that `<<*>>` cannot match the brackets of placeholders. */
const signs = new Map(
  [wordsPlaceholder, ...placeholderNames.map(name => `<${name}>`)].map((each, index) => [
    each,
    String.fromCharCode(index + 1),
  ]),
);
const placeholder = new RegExp(`<(?:\\*|${placeholderNames.join('|')})>`, 'g');

type Comparable = string & { readonly isComparable: true };

/** Prepares a template for matchers, once for many comparisons. */
export function makeComparable(template: string): Comparable {
  const text = template.includes('<')
    ? template.replaceAll(placeholder, each => signs.get(each) ?? each)
    : template;
  return text as Comparable; // a branded type for this result
}

/** The matcher takes time linear in the text. */
export function compileTemplate(merged: string): (template: string) => boolean {
  const fits = compileComparable(merged);
  return template => fits(makeComparable(template));
}

export function compileComparable(merged: string): (text: Comparable) => boolean {
  const parts = merged.split(wordsPlaceholder).map(makeComparable);
  const [head = ''] = parts;
  if (parts.length === 1) return text => text === head;
  const tail = parts.at(-1)!; // `split` returns at least one part
  const middle = parts.slice(1, -1);
  const lengthMin = parts.reduce((sum, { length }) => sum + length, parts.length - 1);
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

/** Whether the template says enough that everything that fits is the same message. `[<*>]: <*>` does not. */
function isSpecific(merged: string): boolean {
  let weight = 0;
  for (const { text, isWord, isBlank } of splitTemplate(merged).tokens) {
    if (text === wordsPlaceholder || isBlank) continue;
    weight += isWord || text.length > 1 ? 1 : 0.5;
  }
  return weight >= weightMin;
}

type Fitting = { readonly text: string; readonly members: number };

const membersMin = 5;
const startLength = 2; // of a text: few merged templates share these first characters

/** Finds the index of the merged template that fits a text. If several fit, the most specific wins. */
export function findStanding(groups: readonly Fitting[]): (text: string, but?: number) => number | null {
  const wide = groups
    .map(({ text, members }, index) => {
      return { text, members, index, length: text.replaceAll(wordsPlaceholder, '').length };
    })
    .filter(
      ({ text, members }) => members >= membersMin && text.includes(wordsPlaceholder) && isSpecific(text),
    )
    .sort((one, other) => other.length - one.length || (one.text < other.text ? -1 : 1))
    .map(({ index, text }) => {
      const [head = ''] = text.split(wordsPlaceholder);
      return { index, start: makeComparable(head).slice(0, startLength), fits: compileComparable(text) };
    });
  const byStart = new Map<string, typeof wide>();
  return (template, but) => {
    const text = makeComparable(template);
    const start = text.slice(0, startLength);
    let likely = byStart.get(start);
    if (likely === undefined) {
      likely = wide.filter(each => start.startsWith(each.start));
      byStart.set(start, likely);
    }
    return likely.find(({ index, fits }) => index !== but && fits(text))?.index ?? null;
  };
}

/** Maps indexes of templates to indexes of merged templates that also fit them. */
export function findFitting(groups: readonly Fitting[]): Map<number, number> {
  const find = findStanding(groups);
  const found = new Map<number, number>();
  for (const [index, { text }] of groups.entries()) {
    const into = find(text, index);
    if (into !== null) found.set(index, into);
  }
  return found;
}
