/** Finds the part of a query that the user is typing, for completion. */
import { type Field, type FileField, resolveField, resolveFileField } from './fields.ts';
import { readTokens, type Token } from './tokens.ts';

/** The chosen text replaces the text from `from` to `to`; `written` is its part before the caret. */
export type Typing<F = Field> = { readonly from: number; readonly to: number; readonly written: string } & (
  | {
      /** A word at the start of a term. It may become a field name, a text or an operator. */
      readonly kind: 'name';
      readonly isQuoted: boolean;
      /** A term precedes it, so AND and OR fit, too. */
      readonly isBehindTerm: boolean;
    }
  | { readonly kind: 'value'; readonly field: F; readonly isQuoted: boolean; readonly isInList: boolean }
  | { readonly kind: 'number'; readonly field: F }
  | { readonly kind: 'operator'; readonly field: F }
);

export function findTyping(text: string, caret: number): Typing {
  return findTypingOf(resolveField, text, caret);
}

export function findFileTyping(text: string, caret: number): Typing<FileField> {
  return findTypingOf(resolveFileField, text, caret);
}

function findTypingOf<F>(resolve: (name: string) => F, text: string, caret: number): Typing<F> {
  const tokens = readTokens(text);
  const place = findPlace(tokens, caret);
  const { token, name, isInList } = place;
  const span = token === undefined ? { start: caret, end: caret, isQuoted: false } : token;
  const at = { from: span.start, to: span.end, written: text.slice(span.start, caret) };
  if (
    name !== undefined &&
    (isInList || token?.kind === 'value' || token?.kind === 'number' || token?.kind === 'sign')
  ) {
    const field = resolve(name.content);
    if (token?.kind === 'sign') return { kind: 'operator', field, ...at };
    if (token?.kind === 'number') return { kind: 'number', field, ...at };
    return { kind: 'value', field, isQuoted: span.isQuoted, isInList, ...at };
  }
  return { kind: 'name', isQuoted: span.isQuoted, isBehindTerm: place.isBehindTerm, ...at };
}

type Place = {
  /** The token at the caret; brackets, commas and minus signs have nothing to complete. */
  token: Token | undefined;
  /** The field of the condition around the caret. */
  name: Token | undefined;
  isInList: boolean;
  isBehindTerm: boolean;
};

function findPlace(tokens: readonly Token[], caret: number): Place {
  const place: Place = { token: undefined, name: undefined, isInList: false, isBehindTerm: false };
  for (const token of tokens) {
    if (token.start > caret) break;
    if (isTypedAt(token, caret)) {
      place.token = token;
      // A value right after the sign wins over the sign.
      if (token.kind !== 'sign') break;
    }
    if (token.kind === 'name') place.name = token;
    if (token.kind === 'listOpen') place.isInList = token.end <= caret;
    if (token.kind === 'listClose' && token.end <= caret) place.isInList = false;
    if (token.end < caret || !isWord(token)) place.isBehindTerm = endsTerm(token);
  }
  return place;
}

function isTypedAt(token: Token, caret: number): boolean {
  if (token.kind === 'sign') return token.start < caret && caret <= token.end;
  return isWord(token) && token.start <= caret && caret <= token.end;
}

function isWord({ kind, content }: Token): boolean {
  const isOperatorWord = kind === 'AND' || kind === 'OR' || kind === 'NOT' || content === 'OR';
  return kind === 'text' || kind === 'name' || kind === 'value' || kind === 'number' || isOperatorWord;
}

function endsTerm({ kind }: Token): boolean {
  return ['text', 'value', 'number', 'close', 'listClose'].includes(kind);
}
