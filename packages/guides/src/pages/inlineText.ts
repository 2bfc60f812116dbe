/** Renders inline text: code, links, pictures and emphasis. */

export type FindLink = (target: string) => string | null;

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Code first, because nothing in it is markup; pictures before links, which look alike. An empty anchor is the only HTML. */
const marks =
  /(?<fence>`+)(?<code>.+?)\k<fence>|!\[(?<picture>[^\]]*)\]\((?<source>[^)\s]*)[^)]*\)|\[(?<words>[^\]]+)\]\((?<target>[^)\s]+)\)|\*\*(?<strong>.+?)\*\*|<a id="(?<anchor>[\w-]+)"><\/a>/gs;

export function renderInlineText(text: string, findLink: FindLink): string {
  let html = '';
  let end = 0;
  for (const match of text.matchAll(marks)) {
    html += escapeHtml(text.slice(end, match.index)) + renderMark(match.groups ?? {}, findLink);
    end = match.index + match[0].length;
  }
  return html + escapeHtml(text.slice(end));
}

type Mark = {
  code?: string;
  picture?: string;
  source?: string;
  words?: string;
  target?: string;
  strong?: string;
  anchor?: string;
};

function renderMark(mark: Mark, findLink: FindLink): string {
  const { code, picture, source, words, target, strong, anchor } = mark;
  if (code !== undefined) return `<code>${escapeHtml(code)}</code>`;
  if (picture !== undefined) return renderPicture(picture, findLink(source ?? ''));
  if (strong !== undefined) return `<strong>${renderInlineText(strong, findLink)}</strong>`;
  if (anchor !== undefined) return `<a id="${anchor}"></a>`;
  const inner = renderInlineText(words ?? '', findLink);
  const url = /^(https?:\/\/|#)/.test(target ?? '') ? target! : findLink(target ?? '');
  return url === null ? inner : `<a href="${escapeHtml(url)}">${inner}</a>`;
}

function renderPicture(description: string, url: string | null): string {
  const words = escapeHtml(description);
  return url === null ? words : `<img src="${escapeHtml(url)}" alt="${words}">`;
}

/** Returns the text without its marks. */
export function readPlain(text: string): string {
  return text.replace(marks, (whole, ...found) => {
    const { code, picture, words, strong, anchor } = found.at(-1) as Mark; // the last argument holds the groups
    return code ?? picture ?? words ?? strong ?? (anchor === undefined ? whole : '');
  });
}

/** Names a heading as code hosts do. */
export function nameHeading(text: string): string {
  return readPlain(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}
