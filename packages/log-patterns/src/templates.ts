/**
 * Splits a template into fixed text and placeholders. A placeholder for metadata is the path in angle brackets; a backslash escapes
 * `<`, `>` and `\` in it.
 */

export const placeholderNames: readonly string[] = ['n', 'hex', 'uuid', 'ip', 'mac', 'time', 'id'];
/** Stands for the words in which merged templates differ; see `merging.ts`. */
export const wordsPlaceholder = '<*>';

export type TemplatePart =
  | { kind: 'text'; text: string }
  /** A number, a time or another kind in `placeholderNames`. */
  | { kind: 'kind'; name: string }
  /** A value of the metadata at this path. */
  | { kind: 'path'; path: string }
  | { kind: 'words' };

const bracketed = /<((?:\\[<>\\]|[^<>\\])+)>/g;

/** Programs write angle brackets, too, so only `paths` count as metadata paths. */
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
