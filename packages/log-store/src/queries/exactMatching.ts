/** Compares texts exactly in statements: substrings, RE2 expressions and patterns. */
import type { formatPath } from './fields.ts';

type Binder = Parameters<typeof formatPath>[1];

export function formatExactly(text: string, binder: Binder): string {
  return `position(body, ${binder.bind('String', text)}) > 0`;
}

/** The engine lets a dot be a line break, unless it is told otherwise. */
export function formatMatch(column: string, expression: string, binder: Binder): string {
  return `match(${column}, ${binder.bind('String', `(?-s)${expression}`)})`;
}

/**
 * Texts, and null for something between them. Each text is looked for behind the one before, so that the conditions grow with the
 * square of their number, and no index is needed twice.
 */
export function formatPieces(pieces: readonly (string | null)[], binder: Binder): string {
  if (pieces.length === 0) return "body = ''";
  const conditions: string[] = [];
  let end = '0'; // the last byte that is taken, from 1
  for (const [index, piece] of pieces.entries()) {
    if (piece === null) continue;
    const text = binder.bind('String', piece);
    const found = `position(body, ${text}, toUInt64(${end} + 1))`;
    conditions.push(`${found} > ${index === 0 ? '0' : `${end} + 1`}`); // else nothing stands between
    end = `(${found} + ${Buffer.byteLength(piece) - 1})`;
  }
  conditions.push(`length(body) ${pieces.at(-1) === null ? '>' : '='} ${end}`);
  return `(${conditions.join(' AND ')})`;
}
