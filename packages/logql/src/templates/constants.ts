/** Reads constants in templates. */
import { unquote } from '../language/quotes.ts';
import { TemplateMistake } from './lexer.ts';
import type { Value } from './values.ts';

export function readConstant(text: string): Value {
  if (/^["`']/.test(text)) return readText(text);
  if (/^[+-]?[\d.]/.test(text)) return readNumber(text);
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'nil') return null;
  throw new TemplateMistake(
    /^[\p{L}_]/u.test(text) ? `function ${JSON.stringify(text)} not defined` : `unexpected ${text}`,
  );
}

function readText(quoted: string): string | bigint {
  const text = unquote(quoted);
  if (text === null) throw new TemplateMistake('invalid syntax');
  return quoted.startsWith("'") ? BigInt(text.codePointAt(0) ?? 0) : text;
}

function readNumber(text: string): bigint | number {
  const plain = text.replaceAll('_', '');
  return /^[+-]?(?:\d+|0[xX][\da-fA-F]+)$/.test(plain) && !plain.startsWith('-0x')
    ? BigInt(plain.replace('+', ''))
    : Number(plain);
}
