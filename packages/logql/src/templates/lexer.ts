/** Cuts a template into texts and actions. */

/** A mistake without a position: templates are short. */
export class TemplateMistake extends Error {}

/** `start` is the position of an action in the template. `mistake` lies at its end. */
export type Piece = { kind: 'text' | 'action'; text: string; start: number; mistake?: string };

export const wordsMax = 2_000; // per template; a long template has a hundred

export function splitPieces(template: string): Piece[] {
  const pieces: Piece[] = [];
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
    const isComment = template.startsWith('/*', start);
    const { close, trimsStart, isOpen } = isComment
      ? closeComment(template, start)
      : findClosing(template, start);
    addText(open, trimsEnd);
    const raw = template.slice(start, close);
    const place = { text: raw.trim(), start: start + raw.length - raw.trimStart().length };
    if (!isComment) pieces.push({ kind: 'action', ...place, ...(isOpen && { mistake: 'unclosed action' }) });
    if (pieces.length > wordsMax) throw new TemplateMistake(`a template holds at most ${wordsMax} words`);
    trimsNext = trimsStart;
    end = close + (trimsStart ? 4 : 2);
  }
  addText(template.length, false);
  return pieces;
}

type Closing = { close: number; trimsStart: boolean; isOpen: boolean };

/** Finds the end of an action. Braces in texts do not end it. */
function findClosing(template: string, start: number): Closing {
  for (let at = start; at >= 0 && at < template.length; at++) {
    if (template.startsWith('}}', at)) return { close: at, trimsStart: false, isOpen: false };
    if (template.startsWith(' -}}', at)) return { close: at, trimsStart: true, isOpen: false };
    const sign = template[at] ?? '';
    if ('"`\''.includes(sign)) at = findQuotation(template, at, sign);
  }
  return { close: template.length, trimsStart: false, isOpen: true };
}

/** A comment fills its action. */
function closeComment(template: string, start: number): Closing {
  const end = template.indexOf('*/', start + 2) + 2;
  if (end === 1) throw new TemplateMistake('unclosed comment');
  if (template.startsWith('}}', end)) return { close: end, trimsStart: false, isOpen: false };
  if (template.startsWith(' -}}', end)) return { close: end, trimsStart: true, isOpen: false };
  throw new TemplateMistake('comment ends before closing delimiter');
}

/** Finds the mark that ends a text; the end of the template without one. */
function findQuotation(template: string, start: number, mark: string): number {
  for (let at = start + 1; at < template.length; at++) {
    if (template[at] === mark) return at;
    if (mark !== '`' && template[at] === '\n') break;
    if (mark !== '`' && template[at] === '\\') at++;
  }
  return template.length;
}

/** Returns the line and the byte offset in it. */
export function locateIn(template: string, at: number): string {
  const before = template.slice(0, at).split('\n');
  return `${before.length}:${Buffer.byteLength(before.at(-1) ?? '')}`;
}
