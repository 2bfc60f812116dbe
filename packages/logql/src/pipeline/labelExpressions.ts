/**
 * Interprets the regular expressions of label filters as Loki does. Loki replaces some expressions with text searches: `bar.*`
 * matches anywhere in the value, and an empty expression matches every value.
 */
import type { Matcher } from '../language/tree.ts';

const plainText = /^(?:[^\\.+*?()|[\]{}^$]|\\[\\.+*?()|[\]{}^$\-/])+$/;
const surrounded = /^(\(\?i\))?(\.\*)?(.+?)(\.\*)?$/s;

/** Converts a label filter's matcher to an equivalent selector matcher. */
export function convertFilterMatcher(matcher: Matcher): Matcher {
  if (matcher.operator === '=' || matcher.operator === '!=') return matcher;
  return { ...matcher, value: simplifyExpression(matcher.value) ?? matcher.value };
}

/** Whether Loki keeps the expression and prints it as one. */
export function isKeptExpression(expression: string): boolean {
  return simplifyExpression(expression) === null;
}

/** Returns the simplified expression; null if Loki keeps it. */
function simplifyExpression(expression: string): string | null {
  if (expression === '') return '.*';
  if (expression === '.*' || expression === '.+' || plainText.test(expression)) return expression;
  const [, flag = '', before, inner = '', after] = surrounded.exec(expression) ?? [];
  if (plainText.test(inner))
    return before === undefined && after === undefined ? expression : `${flag}.*${inner}.*`;
  const words = expression.split('|');
  if (!words.every(word => plainText.test(word) && !word.includes('\\')) || !areTexts(words)) return null;
  return groupWords(words)
    .map(group => (group.length === 1 ? group.join('') : `.*(?:${group.join('|')}).*`))
    .join('|');
}

/** Groups neighbouring words with the same first character: they are one text with several endings. */
function groupWords(words: readonly string[]): string[][] {
  const groups: string[][] = [];
  for (const word of words) {
    const last = groups.at(-1);
    if (last !== undefined && word !== '' && firstSign(last[0]) === firstSign(word)) last.push(word);
    else groups.push([word]);
  }
  return groups;
}

function firstSign(word: string | undefined): string | undefined {
  return [...(word ?? '')][0];
}

/** Whether the words are texts. Two neighbouring single characters form a character class instead. */
function areTexts(words: readonly string[]): boolean {
  const isSingle = (word: string | undefined) => [...(word ?? '')].length === 1;
  if (words.some((word, index) => isSingle(word) && isSingle(words[index + 1]))) return false;
  return groupWords(words).every(group => group.length === 1 || areTexts(listEndings(group)));
}

function listEndings([first = '', ...others]: readonly string[]): string[] {
  let length = first.length;
  for (const word of others) while (!word.startsWith(first.slice(0, length))) length--;
  return [first, ...others].map(word => word.slice(length));
}
