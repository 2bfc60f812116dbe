/** Cuts actions of templates into words, and refuses those that Go refuses. */
import { TemplateMistake, wordsMax } from './lexer.ts';

/** A part of a template and its position. `mistake` lies at its end, if there is one. */
export type Source = { text: string; start: number; mistake?: string };

/** Blanks are one word. `mistake` lies behind the last word: Go, too, reports what it reads first. */
type Words = { texts: string[]; starts: number[]; mistake: string | null };

const keywords = [
  '.',
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'nil',
  'range',
  'template',
  'with',
];
const shownMax = 10; // characters of a word in an error

const blank = /[ \t\r\n]+/y;
const quoted = /"(?:[^"\\\n]|\\[^\n])*"|`[^`]*`|'(?:[^'\\\n]|\\[^\n])*'/uy;
const name = /(?:\.[\p{L}_][\p{L}\p{Nd}_]*)+|\.(?!\d)|\$[\p{L}\p{Nd}_]*|[\p{L}_][\p{L}\p{Nd}_]*/uy;
const number =
  /[+-]?(?:0[xX][\da-fA-F_]*(?:\.[\da-fA-F_]*)?(?:[pP][+-]?[\d_]*)?|0[oO][0-7_]*|0[bB][01_]*|[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?[\d_]*)?)i?/y;
const more = /[\p{L}\p{Nd}_]/uy;
const unterminated: Readonly<Record<string, string>> = {
  '"': 'unterminated quoted string',
  '`': 'unterminated raw quoted string',
  "'": 'unterminated character constant',
};

/** `most` limits the number of words. */
export function cutWords({ text, mistake }: Pick<Source, 'text' | 'mistake'>, most: number): Words {
  const words: Words = { texts: [], starts: [], mistake: mistake ?? null };
  let at = 0;
  let brackets = 0;
  while (at < text.length) {
    const found = readWord(text, at);
    if (found.word === ')' && --brackets < 0) found.mistake = 'unexpected right paren';
    if (found.word === '(') brackets++;
    if (found.mistake !== null) return { ...words, mistake: found.mistake };
    words.texts.push(found.word.trimStart() === '' ? ' ' : found.word);
    words.starts.push(at);
    if (words.texts.length > most) throw new TemplateMistake(`a template holds at most ${wordsMax} words`);
    at += found.word.length;
  }
  return words;
}

type Found = { word: string; mistake: string | null };

function readWord(text: string, at: number): Found {
  const fine = (word: string): Found => ({ word, mistake: null });
  const wrong = (mistake: string): Found => ({ word: '', mistake });
  const sign = text[at] ?? '';
  const spaces = take(blank, text, at);
  if (spaces !== '') return fine(spaces);
  if (sign in unterminated) {
    const whole = take(quoted, text, at);
    return whole === '' ? wrong(unterminated[sign] ?? '') : fine(whole);
  }
  const named = take(name, text, at);
  if (named !== '') {
    const behind = [...text.slice(at + named.length, at + named.length + 2)][0] ?? '';
    return /^[\s.,|:()]?$/.test(behind) ? fine(named) : wrong(`bad character ${showCharacter(behind)}`);
  }
  if (/^(?:[+\-\d]|\.\d)/.test(text.slice(at, at + 2))) return readNumberWord(text, at);
  if (sign === ':') return text[at + 1] === '=' ? fine(':=') : wrong('expected :=');
  if (/^[\x21-\x7e]$/.test(sign)) return fine(sign);
  return wrong(`unrecognized character in action: ${showCharacter([...text.slice(at, at + 2)][0] ?? '')}`);
}

/** No letter follows a number. Two numbers joined by a sign would be a complex one, which no function takes. */
function readNumberWord(text: string, at: number): Found {
  const first = take(number, text, at);
  const second = /^[+-]/.test(text.slice(at + first.length)) ? take(number, text, at + first.length) : '';
  const word = first + second;
  const letter = take(more, text, at + word.length);
  if (letter === '' && second === '') return { word, mistake: null };
  return { word: '', mistake: `bad number syntax: ${JSON.stringify(word + letter)}` };
}

function take(expression: RegExp, text: string, at: number): string {
  expression.lastIndex = at;
  return expression.exec(text)?.[0] ?? '';
}

/** Shows a character like Go's %#U. */
function showCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return /^[\p{C}\p{Z}]/u.test(character) ? `U+${code}` : `U+${code} '${character}'`;
}

export function unexpected(word: string, context: string): TemplateMistake {
  const shown =
    word.length > shownMax ? `${JSON.stringify(word.slice(0, shownMax))}...` : JSON.stringify(word);
  return new TemplateMistake(`unexpected ${keywords.includes(word) ? `<${word}>` : shown} in ${context}`);
}

/** Whether a value can begin with the word. */
export function beginsValue(word: string): boolean {
  if (word === 'nil' || word === '.') return true;
  return /^["`'.$(+\-\d\p{L}_]/u.test(word) && !keywords.includes(word);
}

/** Requires that nothing follows. */
export function requireEnd(source: Source, context: string): void {
  const { texts, mistake } = cutWords(source, wordsMax);
  const next = texts.find(text => text !== ' ');
  if (next !== undefined) throw unexpected(next, context);
  if (mistake !== null) throw new TemplateMistake(mistake);
}
