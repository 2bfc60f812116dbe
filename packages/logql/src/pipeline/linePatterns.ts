/** Compiles and matches patterns such as `<ip> - <_> "<method> <path>"`: texts with captures between them. */
import { findTwice } from '../labels/names.ts';
import { parseMistake } from '../mistakes.ts';

/** A literal text, or the name of a capture; `_` captures nothing. */
export type PatternPiece = { readonly kind: 'text' | 'capture'; readonly text: string };

const capture = /<([a-zA-Z_]\w*)>/g; // anything else in such brackets is text

function splitPattern(pattern: string): PatternPiece[] {
  const pieces: PatternPiece[] = [];
  let end = 0;
  for (const found of pattern.matchAll(capture)) {
    if (found.index > end) pieces.push({ kind: 'text', text: pattern.slice(end, found.index) });
    pieces.push({ kind: 'capture', text: found[1] ?? '_' });
    end = found.index + found[0].length;
  }
  if (end < pattern.length) pieces.push({ kind: 'text', text: pattern.slice(end) });
  return pieces;
}

/** Compiles a pattern for the parser `pattern`: at least one capture has a name, and no two are adjacent. */
export function compileParserPattern(pattern: string): readonly PatternPiece[] {
  const pieces = splitPattern(pattern);
  if (pieces.length === 0)
    throw parseMistake(
      'parse error at line 1, col 1: syntax error: unexpected $end, expecting IDENTIFIER or LITERAL',
    );
  const names = pieces.filter(isNamed).map(({ text }) => text);
  if (names.length === 0) throw parseMistake('at least one capture is required');
  requireApart(pieces);
  const twice = findTwice(names);
  if (twice !== undefined) throw parseMistake(`duplicate capture name (${twice}): invalid expression`);
  return pieces;
}

/** Compiles a pattern for the filters `|>` and `!>`: captures have no names. */
export function compileLinePattern(pattern: string): readonly PatternPiece[] {
  const pieces = splitPattern(pattern);
  requireApart(pieces);
  const named = pieces.find(isNamed);
  if (named !== undefined) throw parseMistake(`named captures are not allowed: found '<${named.text}>'`);
  return pieces;
}

function isNamed({ kind, text }: PatternPiece): boolean {
  return kind === 'capture' && text !== '_';
}

function requireApart(pieces: readonly PatternPiece[]): void {
  for (const [index, { kind, text }] of pieces.entries()) {
    const next = pieces[index + 1];
    if (kind === 'capture' && next?.kind === 'capture')
      throw parseMistake(`found consecutive capture '<${text}><${next.text}>': invalid expression`);
  }
}

/** Whether a line matches the pattern. Each text matches at its first occurrence; as in Loki, anything may precede the first text. */
export function matchesPattern(pieces: readonly PatternPiece[], line: string): boolean {
  if (line === '' || pieces.length === 0) return line === '' && pieces.length === 0;
  let end = 0;
  for (const [index, { kind, text }] of pieces.entries()) {
    if (kind === 'capture') continue;
    const at = line.indexOf(text, end);
    if (at < 0 || (index > 0 && at === end)) return false;
    end = at + text.length;
  }
  return (pieces.at(-1)?.kind === 'capture') === end < line.length;
}

/** Returns the captures in order, as far as the line follows the pattern. */
export function capturePattern(
  pieces: readonly PatternPiece[],
  line: string,
): [name: string, value: string][] {
  const found: [string, string][] = [];
  let rest = line;
  const [first] = pieces;
  if (rest === '') return found;
  if (first?.kind === 'text') {
    if (!rest.startsWith(first.text)) return found;
    rest = rest.slice(first.text.length);
  }
  for (const [index, { kind, text }] of pieces.entries()) {
    if (kind === 'text') continue;
    const next = pieces[index + 1];
    const at = next === undefined ? -1 : rest.indexOf(next.text);
    if (text !== '_') found.push([text, at < 0 ? rest : rest.slice(0, at)]);
    if (at < 0) break;
    rest = rest.slice(at + (next?.text.length ?? 0));
  }
  return found;
}
