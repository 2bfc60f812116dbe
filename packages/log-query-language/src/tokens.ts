/** Cuts a text into tokens with their positions. It never throws: a wrong token carries its mistake, and the next ones follow. */
import { findJsonNumber } from './jsonNumbers.ts';
import { type Mistake, sentences } from './mistakes.ts';

export type TokenKind =
  | 'text'
  | 'name'
  | 'sign'
  | 'value'
  | 'number'
  | 'minus'
  | 'NOT'
  | 'AND'
  | 'OR'
  | 'open'
  | 'close'
  | 'listOpen'
  | 'listClose'
  | 'separator';

/** Positions count UTF-16 units; `end` is exclusive. */
export type Token = {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** Without quotes and escapes. */
  readonly content: string;
  readonly isQuoted: boolean;
  readonly mistake: Mistake | null;
};

export function readTokens(text: string): Token[] {
  return new TokenReader(text).readAll();
}

const blank = /\s/;
// Sticky: each matches only at its `lastIndex`.
const wordRun = /[^\s()]*/y;
const termRun = /[^\s():=<>]*/y;
const listRun = /[^\s(),]*/y;
const signRun = /:?[<>]=?|[:=]/y;
const quotedRun = /"((?:[^"\\]|\\.)*)("?)/sy;

type Wording = { content: string; isQuoted: boolean; end: number; mistake: Mistake | null };

class TokenReader {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  #position = 0;
  #isInList = false;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): Token[] {
    while (this.#position < this.#text.length) {
      if (this.#isBlank()) this.#position++;
      else if (this.#isInList) this.#readListToken();
      else this.#readTermToken();
    }
    return this.#tokens;
  }

  #readTermToken(): void {
    const char = this.#text[this.#position];
    if (char === '(') this.#addSign('open');
    else if (char === ')') this.#addSign('close');
    else {
      if (char === '-' && this.#beginsAtom(this.#position + 1)) this.#addSign('minus');
      // A second minus belongs to the word.
      if (this.#text[this.#position] !== '(') this.#readAtom();
    }
  }

  #beginsAtom(position: number): boolean {
    const char = this.#text[position];
    return char !== undefined && char !== ')' && !blank.test(char);
  }

  #readAtom(): void {
    const wording = this.#text[this.#position] === '"' ? this.#readQuoted() : this.#readWord(termRun);
    const next = this.#text[wording.end];
    const hasSign = wording.mistake === null && next !== undefined && ':=<>'.includes(next);
    if (!hasSign) {
      const operator = wording.isQuoted ? undefined : operators.find(word => word === wording.content);
      this.#add(operator ?? 'text', wording);
    } else if (wording.end === this.#position) this.#addSignWithoutName();
    else this.#readCondition(wording);
  }

  /** Adds a sign without a name, as in `:b`: the text starts with it, or a blank precedes it. */
  #addSignWithoutName(): void {
    const { end, content } = this.#readWord(wordRun);
    const sign = this.#match(signRun);
    const mistake = { sentence: sentences.signFirst(sign), position: this.#position, end };
    this.#add('sign', { content, isQuoted: false, end, mistake });
  }

  #readCondition(name: Wording): void {
    const start = this.#position;
    this.#position = name.end;
    const sign = this.#match(signRun);
    this.#position = start;
    this.#add('name', { ...name, mistake: checkName(name, { start, sign }) });
    this.#addSign('sign', sign.length);
    if (/[<>]/.test(sign)) this.#readNumber(this.#text.slice(start, this.#position));
    else if (this.#text[this.#position] === '(') {
      this.#addSign('listOpen');
      this.#isInList = true;
    } else this.#readValue(this.#text.slice(start, this.#position));
  }

  #readNumber(condition: string): void {
    const wording = this.#text[this.#position] === '"' ? this.#readQuoted() : this.#readWord(wordRun);
    const place = { position: this.#position, end: wording.end };
    const isNumber = !wording.isQuoted && findJsonNumber(wording.content) !== null;
    const sentence = wording.end === this.#position ? sentences.numberMissing : sentences.numberUnreadable;
    const mistake = isNumber ? null : { sentence: sentence(condition), ...place };
    this.#add('number', { ...wording, mistake: wording.mistake ?? mistake });
  }

  #readValue(condition: string): void {
    if (this.#text[this.#position] !== '"') {
      const wording = this.#readWord(wordRun);
      const place = { position: this.#position, end: this.#position };
      const isMissing = wording.end === this.#position;
      const mistake = isMissing
        ? { sentence: sentences.valueMissing(condition), ...place }
        : this.#judgeValue(wording);
      this.#add('value', { ...wording, mistake });
      return;
    }
    this.#add('value', this.#readQuoted());
    if (this.#text[this.#position] !== '*') return;
    const wording = this.#readWord(wordRun);
    const place = { position: this.#position, end: wording.end };
    this.#add('value', { ...wording, mistake: { sentence: sentences.starBehindQuote, ...place } });
  }

  #readListToken(): void {
    const char = this.#text[this.#position];
    if (char === ',') this.#addSign('separator');
    else if (char === ')') {
      this.#addSign('listClose');
      this.#isInList = false;
    } else if (char === '(') {
      const place = { position: this.#position, end: this.#position + 1 };
      const mistake = { sentence: sentences.bracketInList, ...place };
      this.#add('open', { content: '(', isQuoted: false, end: place.end, mistake });
    } else if (char === '"') this.#add('value', this.#readQuoted());
    else {
      const wording = this.#readWord(listRun);
      if (wording.content === 'OR') this.#add('separator', wording);
      else this.#add('value', { ...wording, mistake: this.#judgeValue(wording) });
    }
  }

  #judgeValue({ content, end }: Wording): Mistake | null {
    const position = this.#position;
    return /^[:=<>]/.test(content) ? { sentence: sentences.valueSignFirst, position, end } : null;
  }

  #readWord(run: RegExp): Wording {
    const content = this.#match(run);
    return { content, isQuoted: false, end: this.#position + content.length, mistake: null };
  }

  #readQuoted(): Wording {
    const start = this.#position;
    quotedRun.lastIndex = start;
    // The position is at a quote, so the pattern matches.
    const [whole, inside = '', close] = quotedRun.exec(this.#text) as RegExpExecArray;
    // The pattern does not match a backslash at the very end.
    const end = close === '' ? this.#text.length : start + whole.length;
    const mistake = close === '' ? { sentence: sentences.quoteOpen, position: start, end } : null;
    return { content: inside.replaceAll(/\\(["\\])/g, '$1'), isQuoted: true, end, mistake };
  }

  #match(run: RegExp): string {
    run.lastIndex = this.#position;
    return run.exec(this.#text)?.[0] ?? '';
  }

  #isBlank(): boolean {
    return blank.test(this.#text[this.#position] ?? '');
  }

  #addSign(kind: TokenKind, length = 1): void {
    const end = this.#position + length;
    this.#add(kind, { content: this.#text.slice(this.#position, end), isQuoted: false, end, mistake: null });
  }

  #add(kind: TokenKind, wording: Wording): void {
    this.#tokens.push({ kind, start: this.#position, ...wording });
    this.#position = wording.end;
  }
}

const operators = ['AND', 'OR', 'NOT'] as const;

function checkName(name: Wording, { start, sign }: { start: number; sign: string }): Mistake | null {
  if (name.isQuoted) return null;
  const place = { position: start, end: name.end };
  if (name.content.includes('*')) return { sentence: sentences.starInName, ...place };
  if (sign !== '=' || !name.content.endsWith('!')) return null;
  return { sentence: sentences.notEqual(name.content.slice(0, -1)), ...place, position: name.end - 1 };
}
