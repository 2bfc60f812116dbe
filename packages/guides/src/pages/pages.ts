/** Renders a Markdown guide as a page or as part of one. */
import { renderBlocks } from './blocks.ts';
import { type PageFrame, writePage } from './frame.ts';
import type { FindLink } from './spans.ts';

type PageOptions = PageFrame & {
  /** Returns the target of a link or picture in a document, or null. */
  findLink: FindLink;
};

export function writeMarkdownPage(markdown: string, { findLink, ...frame }: PageOptions): string {
  const { title, html } = renderBlocks(markdown, findLink);
  return writePage({ ...frame, title, main: html });
}

export function renderMarkdown(markdown: string, findLink: FindLink): string {
  return renderBlocks(markdown, findLink).html;
}

/** Reads headings down to the second level, with their link ids. */
export function readHeadings(markdown: string): { title: string; id: string }[] {
  const { html } = renderBlocks(markdown, () => null);
  return [...html.matchAll(/<h[12] id="([^"]*)">(.*?)<\/h[12]>/g)].map(([, id = '', inner = '']) => ({
    id,
    title: unescapeHtml(inner.replaceAll(/<[^>]*>/g, '')),
  }));
}

const entities: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

function unescapeHtml(html: string): string {
  return html.replaceAll(/&(?:amp|lt|gt|quot);/g, entity => entities[entity] ?? entity);
}
