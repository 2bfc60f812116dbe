/**
 * Interprets the regular expressions of label filters as Loki does. Loki searches for texts where it can, and so simplifies some
 * expressions: `bar.*` matches anywhere in the value, and an empty one matches every value.
 */
import type { Matcher } from '../language/tree.ts';

const plainText = /^(?:[^\\.+*?()|[\]{}^$]|\\[\\.+*?()|[\]{}^$\-/])+$/;
const surrounded = /^(\(\?i\))?(\.\*)?(.+?)(\.\*)?$/s;

/** Writes the matcher as a selector would. */
export function spellFilterMatcher(matcher: Matcher): Matcher {
  if (matcher.operator === '=' || matcher.operator === '!=') return matcher;
  return { ...matcher, value: simplifyExpression(matcher.value) ?? matcher.value };
}

/** Whether Loki still keeps it as an expression, and prints it so. */
export function isKeptExpression(expression: string): boolean {
  return simplifyExpression(expression) === null;
}

/** null: it stays what it is. */
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

/** Neighbours that begin alike are one text with several endings. */
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

/** Neighbours of one sign each are a class of signs, which is no text. */
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
