/** Cuts a template into texts and actions. */

/** A mistake without a position: templates are short. */
export class TemplateMistake extends Error {}

/** `start` is the position of an action in the template. */
export type Piece = { kind: 'text' | 'action'; text: string; start: number };

export const wordsMax = 2_000; // per template; a long template has a hundred

export function splitPieces(template: string): Piece[] {
  const pieces: Piece[] = [];
  const lastComment = template.lastIndexOf('*/'); // so that no search for the end of a comment is in vain
  let end = 0;
  let trimsNext = false;
  const addText = (until: number, trimsEnd: boolean) => {
    const text = template.slice(end, until);
    const start = trimsNext ? text.trimStart() : text;
    const trimmed = trimsEnd ? start.trimEnd() : start;
    if (trimmed !== '') pieces.push({ kind: 'text', text: trimmed, start: 0 });
  };
  for (let open = template.indexOf('{{'); open >= 0; open = template.indexOf('{{', end)) {
    const trimsEnd = template.startsWith('- ', open + 2);
    const start = open + (trimsEnd ? 4 : 2);
    const { close, trimsStart } = findClosing(template, { start, lastComment });
    addText(open, trimsEnd);
    const raw = template.slice(start, close);
    const inner = raw.trim();
    if (!/^\/\*[\s\S]*\*\/$/.test(inner))
      pieces.push({ kind: 'action', text: inner, start: start + raw.length - raw.trimStart().length });
    if (pieces.length > wordsMax) throw new TemplateMistake(`a template holds at most ${wordsMax} words`);
    trimsNext = trimsStart;
    end = close + (trimsStart ? 4 : 2);
  }
  addText(template.length, false);
  return pieces;
}

/** Finds the end of an action. Braces in texts and comments do not end it. */
function findClosing(
  template: string,
  { start, lastComment }: { start: number; lastComment: number },
): { close: number; trimsStart: boolean } {
  for (let at = start; at < template.length; at++) {
    if (template.startsWith('}}', at)) return { close: at, trimsStart: false };
    if (template.startsWith(' -}}', at)) return { close: at, trimsStart: true };
    const sign = template[at];
    if (sign === '"' || sign === '`') {
      at = findQuotation(template, at, sign);
      if (at < 0) throw new TemplateMistake(`unterminated ${sign === '"' ? '' : 'raw '}quoted string`);
    }
    if (at + 2 <= lastComment && template.startsWith('/*', at)) at = template.indexOf('*/', at + 2) + 1;
  }
  throw new TemplateMistake('unclosed action');
}

/** Finds the mark that ends a text; -1 without one. */
function findQuotation(template: string, start: number, mark: string): number {
  if (mark === '`') return template.indexOf(mark, start + 1);
  for (let at = start + 1; at < template.length; at++) {
    if (template[at] === mark) return at;
    if (template[at] === '\\') at++;
  }
  return -1;
}

/** Returns the line and the byte offset in it. */
export function locateIn(template: string, at: number): string {
  const before = template.slice(0, at).split('\n');
  return `${before.length}:${Buffer.byteLength(before.at(-1) ?? '')}`;
}
