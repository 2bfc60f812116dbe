/**
 * Splits a template into fixed text and placeholders. A placeholder for metadata holds the path in angle brackets, with `<`, `>` and `\`
 * escaped by a backslash.
 */

export const placeholderNames: readonly string[] = ['n', 'hex', 'uuid', 'ip', 'mac', 'time', 'id'];
/** Stands for words in which templates differ that are otherwise equal; see `merging.ts`. */
export const wordsPlaceholder = '<*>';

export type TemplatePart =
  | { kind: 'text'; text: string }
  /** A number, a time and the like. */
  | { kind: 'kind'; name: string }
  /** A value of the metadata at this path. */
  | { kind: 'path'; path: string }
  | { kind: 'words' };

const bracketed = /<((?:\\[<>\\]|[^<>\\])+)>/g;

/** Programs write angle brackets, too: only these paths are taken for such. */
export function parseTemplate(template: string, paths: readonly string[]): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of template.matchAll(bracketed)) {
    const part = readPlaceholder(match[1] ?? '', paths);
    if (part === null) continue;
    if (match.index > end) parts.push({ kind: 'text', text: template.slice(end, match.index) });
    parts.push(part);
    end = match.index + match[0].length;
  }
  if (end < template.length) parts.push({ kind: 'text', text: template.slice(end) });
  return parts;
}

function readPlaceholder(inner: string, paths: readonly string[]): TemplatePart | null {
  if (inner === '*') return { kind: 'words' };
  const path = inner.replaceAll(/\\([<>\\])/g, '$1');
  if (paths.includes(path)) return { kind: 'path', path };
  return placeholderNames.includes(inner) ? { kind: 'kind', name: inner } : null;
}
