/** Formats exact comparisons of texts: substrings, RE2 expressions and patterns. */
import type { Binder } from '../writer/engine/statements.ts';

export function formatExactly(text: string, binder: Binder): string {
  return `position(body, ${binder.bind('String', text)}) > 0`;
}

/** By default, the engine lets a dot match a line break, so this turns that off. */
export function formatMatch(column: string, expression: string, binder: Binder): string {
  return `match(${column}, ${binder.bind('String', `(?-s)${expression}`)})`;
}

/**
 * Formats texts in order; null stands for any non-empty text. Each search begins after the previous text, so the conditions grow with
 * the square of the number of texts, but no index is needed twice.
 */
export function formatPieces(pieces: readonly (string | null)[], binder: Binder): string {
  if (pieces.length === 0) return "body = ''";
  const conditions: string[] = [];
  let end = '0'; // the last byte of the previous text, from 1
  for (const [index, piece] of pieces.entries()) {
    if (piece === null) continue;
    const text = binder.bind('String', piece);
    const found = `position(body, ${text}, toUInt64(${end} + 1))`;
    conditions.push(`${found} > ${index === 0 ? '0' : `${end} + 1`}`); // otherwise the text between would be empty
    end = `(${found} + ${Buffer.byteLength(piece) - 1})`;
  }
  conditions.push(`length(body) ${pieces.at(-1) === null ? '>' : '='} ${end}`);
  return `(${conditions.join(' AND ')})`;
}
