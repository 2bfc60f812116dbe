/** Reads constants in templates. */
import { unquote } from '../language/quotes.ts';
import { TemplateMistake } from './lexer.ts';
import type { Value } from './values.ts';

export function readConstant(text: string): Value {
  if (/^["`']/.test(text)) return readText(text);
  if (/^[+\-\d.]/.test(text)) return readNumber(text);
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'nil') return null;
  throw new TemplateMistake(
    /^[\p{L}_]/u.test(text) ? `function ${JSON.stringify(text)} not defined` : `unexpected ${text}`,
  );
}

function readText(quoted: string): string | bigint {
  const text = unquote(quoted);
  if (text === null || quoted === "''") throw new TemplateMistake('invalid syntax');
  if (!quoted.startsWith("'")) return text;
  if ([...text].length > 1) throw new TemplateMistake(`malformed character constant: ${quoted}`);
  return BigInt(text.codePointAt(0) ?? 0);
}

const whole =
  /^[+-]?(?:0|[1-9](?:_?\d)*|0(?:_?[0-7])+|0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+)$/;
const real = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Reads a number as Go does: a leading zero means base eight. */
function readNumber(text: string): bigint | number {
  if (whole.test(text)) {
    const digits = text
      .replaceAll('_', '')
      .replace(/^[+-]/, '')
      .replace(/^0(?=\d)/, '0o');
    const value = text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
    if (BigInt.asIntN(64, value) === value) return value;
  }
  if (!real.test(text) || !Number.isFinite(Number(text)))
    throw new TemplateMistake(`illegal number syntax: ${JSON.stringify(text)}`);
  if (/^[+-]?\d+$/.test(text)) throw new TemplateMistake(`integer overflow: ${JSON.stringify(text)}`);
  return Number(text);
}
