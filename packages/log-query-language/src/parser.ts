/** Parses a query into a tree, or explains the mistake in it. */
import { type Field, type FileField, resolveField, resolveFileField } from './fields.ts';
import { findJsonNumber } from './jsonNumbers.ts';
import { type Level, levels, readLevel } from './levels.ts';
import { type Mistake, QueryMistake, sentences } from './mistakes.ts';
import { matchesParts } from './orderedParts.ts';
import { readTokens, type Token, type TokenKind } from './tokens.ts';
import {
  type AnyQuery,
  allOf,
  anyOf,
  type BodyValue,
  type Comparison,
  everything,
  type FieldValue,
  type FileQuery,
  negate,
  nothing,
  type Query,
} from './tree.ts';

export const queryBytesMax = 2048; // CONTRACT.md, 9.1; bytes of UTF-8
export const atomsMax = 64; // CONTRACT.md, 9.1; a list counts as one
const bracketLevelsMax = 16; // CONTRACT.md, 9.1; brackets of lists do not count

/** Parses a query; null if it is blank. Except for bugs, it throws only `QueryMistake`. */
export function parseQuery(text: string): Query | null {
  // Names resolve to fields of entries, so no term is about files.
  return parse(text, resolveField) as Query | null;
}

export function parseFileQuery(text: string): FileQuery | null {
  // Names resolve to fields of files, which have neither levels nor bodies.
  return parse(text, resolveFileField) as FileQuery | null;
}

type Resolve = (name: string) => Field | FileField;

function parse(text: string, resolve: Resolve): AnyQuery | null {
  const mistake = checkText(text);
  if (mistake !== null) throw new QueryMistake(mistake);
  const tokens = readTokens(text);
  return tokens.length === 0 ? null : new Parser(tokens, resolve).readAll();
}

class Parser {
  readonly #tokens: readonly Token[];
  #index = 0;
  #atoms = 0;
  #depth = 0;
  readonly #resolve: Resolve;

  constructor(tokens: readonly Token[], resolve: Resolve) {
    this.#tokens = tokens;
    this.#resolve = resolve;
  }

  readAll(): AnyQuery {
    const query = this.#readAlternatives();
    const extra = this.#tokens[this.#index];
    if (extra !== undefined) throw mistakeAt(extra, sentences.bracketExtra);
    return query;
  }

  #readAlternatives(): AnyQuery {
    const trees = [this.#readConjunction()];
    while (this.#takeIf('OR')) trees.push(this.#readConjunction());
    return anyOf(trees);
  }

  #readConjunction(): AnyQuery {
    const trees = [this.#readNegatable()];
    while (this.#takeIf('AND') || this.#beginsTerm()) trees.push(this.#readNegatable());
    return allOf(trees);
  }

  #readNegatable(): AnyQuery {
    if (!this.#takeIf('minus') && !this.#takeIf('NOT')) return this.#readAtom();
    const next = this.#peek();
    if (next?.kind === 'minus' || next?.kind === 'NOT') throw mistakeAt(next, sentences.twoNegations);
    return negate(this.#readAtom());
  }

  #readAtom(): AnyQuery {
    const token = this.#peek();
    if (token?.kind === 'open') return this.#readGroup();
    if (token?.kind !== 'text' && token?.kind !== 'name') throw this.#missesOperand();
    if (++this.#atoms > atomsMax) throw mistakeAt(token, sentences.tooManyAtoms(atomsMax));
    this.#index++;
    return token.kind === 'text' ? makeText(token) : this.#readCondition(this.#resolve(token.content));
  }

  #readGroup(): AnyQuery {
    const open = this.#take();
    if (++this.#depth > bracketLevelsMax) throw mistakeAt(open, sentences.tooDeep(bracketLevelsMax));
    const closing = this.#peek();
    if (closing?.kind === 'close') {
      const { start: position } = open;
      throw new QueryMistake({ sentence: sentences.bracketEmpty, position, end: closing.end });
    }
    if (closing === undefined) throw mistakeAt(open, sentences.bracketOpen);
    const query = this.#readAlternatives();
    if (!this.#takeIf('close')) throw mistakeAt(open, sentences.bracketOpen);
    this.#depth--;
    return query;
  }

  #readCondition(field: Field | FileField): AnyQuery {
    const sign = this.#take();
    const first = this.#take();
    if (first.kind === 'number') {
      // The tokenizer accepts only comparison signs before the numbers that it has checked.
      const operator = sign.content.replace(':', '') as Comparison;
      return { kind: 'compare', field, operator, number: findJsonNumber(first.content) ?? 0 };
    }
    if (first.kind === 'listOpen') return makeCondition(field, this.#readList(first));
    // Reports a star after a quoted value as a second value.
    if (this.#tokens[this.#index]?.kind === 'value') this.#peek();
    return makeCondition(field, [first]);
  }

  #readList(open: Token): Token[] {
    const values: Token[] = [];
    for (;;) {
      const token = this.#peek();
      if (token === undefined) throw mistakeAt(open, sentences.bracketOpen);
      if (token.kind !== 'value') throw missesValue(token, this.#tokens[this.#index - 1] ?? open);
      values.push(this.#take());
      const next = this.#peek();
      if (next === undefined) throw mistakeAt(open, sentences.bracketOpen);
      if (this.#takeIf('listClose')) return values;
      if (!this.#takeIf('separator')) throw mistakeAt(next, sentences.listSeparator);
    }
  }

  /** Reports an operator without an operand, preferably the one before the missing term. */
  #missesOperand(): QueryMistake {
    const [before, here] = [this.#tokens[this.#index - 1], this.#tokens[this.#index]];
    const operator = before !== undefined && isOperator(before) ? before : here;
    if (operator !== undefined && isOperator(operator)) {
      return mistakeAt(operator, sentences.operand(operator.content));
    }
    // Only an operator, a bracket or the end can stand where a term is missing, and the end only after an operator.
    return mistakeAt(operator as Token, sentences.bracketExtra);
  }

  #beginsTerm(): boolean {
    const kind = this.#peek()?.kind;
    return kind === 'text' || kind === 'name' || kind === 'open' || kind === 'minus' || kind === 'NOT';
  }

  /** Throws mistakes of tokens in the order of the text. */
  #peek(): Token | undefined {
    const token = this.#tokens[this.#index];
    if (token?.mistake) throw new QueryMistake(token.mistake);
    return token;
  }

  #take(): Token {
    const token = this.#peek();
    this.#index++;
    // The tokenizer guarantees that a sign follows a name, and that a value, a list or a number follows a sign.
    return token as Token;
  }

  #takeIf(kind: TokenKind): boolean {
    if (this.#peek()?.kind !== kind) return false;
    this.#index++;
    return true;
  }
}

function makeText({ content, isQuoted }: Token): AnyQuery {
  if (content === '') return everything;
  if (isQuoted || !content.includes('*')) return { kind: 'text', text: content };
  const parts = listParts(content);
  return parts.length === 0 ? everything : { kind: 'textParts', parts };
}

function makeCondition(field: Field | FileField, values: readonly Token[]): AnyQuery {
  if (field.kind === 'level') return makeLevels(values);
  if (field.kind === 'body') return { kind: 'body', values: values.map(makeBodyValue) };
  return { kind: 'field', field, values: values.map(makeFieldValue) };
}

function makeLevels(values: readonly Token[]): AnyQuery {
  const asked = new Set(values.flatMap(listLevels));
  const found = levels.filter(level => asked.has(level));
  return found.length === 0 ? nothing : { kind: 'level', levels: found };
}

function listLevels(token: Token): Level[] {
  const value = makeFieldValue(token);
  if (value.kind === 'present') return [...levels];
  if (value.kind === 'parts') {
    const parts = value.parts.map(part => part.toLowerCase());
    return levels.filter(level => matchesParts(level, parts));
  }
  const level = readLevel(value.text);
  if (level === null) throw mistakeAt(token, sentences.levelUnknown);
  return [level];
}

function makeBodyValue({ content, isQuoted }: Token): BodyValue {
  if (content === '') return { kind: 'empty' };
  const parts = isQuoted ? [content] : listParts(content);
  return parts.length === 0 ? { kind: 'present' } : { kind: 'holds', parts };
}

function makeFieldValue({ content, isQuoted }: Token): FieldValue {
  if (isQuoted || !content.includes('*')) return { kind: 'equals', text: content };
  if (listParts(content).length === 0) return { kind: 'present' };
  return { kind: 'parts', parts: content.split(/\*+/) };
}

function listParts(content: string): string[] {
  return content.split('*').filter(part => part !== '');
}

function missesValue(token: Token, before: Token): QueryMistake {
  if (token.kind === 'listClose' && before.kind === 'listOpen') {
    const { start: position } = before;
    return new QueryMistake({ sentence: sentences.listEmpty, position, end: token.end });
  }
  return mistakeAt(before.kind === 'separator' ? before : token, sentences.listValue);
}

function isOperator({ kind }: Token): boolean {
  return kind === 'AND' || kind === 'OR' || kind === 'NOT' || kind === 'minus';
}

function mistakeAt({ start, end }: Token, sentence: string): QueryMistake {
  return new QueryMistake({ sentence, position: start, end });
}

/** Finds mistakes of the whole text. */
function checkText(text: string): Mistake | null {
  let bytes = 0;
  for (let position = 0; position < text.length; position++) {
    const start = position;
    // The position is inside the text, so a character is there.
    const code = text.codePointAt(position) as number;
    if (code >= 0xd800 && code <= 0xdfff) {
      return { sentence: sentences.halfCharacter, position, end: position + 1 };
    }
    if (code > 0xffff) position++;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes > queryBytesMax) {
      return { sentence: sentences.tooLong(queryBytesMax), position: start, end: text.length };
    }
  }
  return null;
}
