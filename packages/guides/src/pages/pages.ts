/** A page around what a guide says, with a style of its own. */
import { renderBlocks } from './blocks.ts';
import { escapeHtml, type FindLink } from './spans.ts';

export type PageOptions = {
  /** Where a link to another document leads, or a picture is; null: nowhere. */
  findLink: FindLink;
  /** Behind the page's own title. */
  site?: string;
  /** Links above everything. */
  ways?: readonly { title: string; url: string }[];
};

export function writeMarkdownPage(markdown: string, { findLink, site, ways = [] }: PageOptions): string {
  const { title, html } = renderBlocks(markdown, findLink);
  const named = [title, ...(site === undefined ? [] : [site])].join(' · ');
  const shown = ways.map(way => `<a href="${escapeHtml(way.url)}">${escapeHtml(way.title)}</a>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(named)}</title><style>${style}</style></head><body>
${shown.length === 0 ? '' : `<nav aria-label="Documents">${shown.join('')}</nav>`}<main>${html}</main></body></html>
`;
}

const style = `:root{color-scheme:light dark;--line:light-dark(#ddd8cf,#44403a);--well:light-dark(#f1eee8,#1b1917)}
html{scroll-padding-top:1rem}body{margin:0;font:16px/1.6 system-ui,sans-serif;background:light-dark(#faf8f4,#24211e);color:light-dark(#2b2622,#ece8e2)}
main{max-width:46rem;margin:0 auto;padding:1rem 1rem 5rem}nav{display:flex;flex-wrap:wrap;gap:.4rem 1.4rem;max-width:46rem;margin:0 auto;padding:1rem;border-bottom:1px solid var(--line);font-size:.9rem}
a{color:inherit;text-underline-offset:.2em}h1{font-size:1.9rem;line-height:1.2}h2{margin-top:2.6rem;padding-top:1.2rem;border-top:1px solid var(--line);font-size:1.35rem}h3{margin-top:2rem;font-size:1.1rem}
code,pre{font-family:ui-monospace,monospace}code{padding:.1em .3em;border-radius:4px;background:var(--well);font-size:.88em;overflow-wrap:anywhere}
pre{padding:.9rem;overflow:auto;border:1px solid var(--line);border-radius:8px;background:var(--well);font-size:13px;line-height:1.6}pre code{padding:0;background:none;font-size:inherit;overflow-wrap:normal}
.table{overflow-x:auto}table{border-collapse:collapse;font-size:.94rem}th,td{padding:.45rem .9rem .45rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}th:empty{padding:0}
li{margin:.3rem 0}li:has(>:target){background:var(--well)}img{display:block;max-width:100%;margin:1.2rem 0}`;
