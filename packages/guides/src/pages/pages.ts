/** Renders a Markdown guide as a page or as part of one. */
import { renderBlocks } from './blocks.ts';
import { type PageFrame, writePage } from './frame.ts';
import type { FindLink } from './inlineText.ts';

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

/** A heading down to the second level with its link id, and the words up to the next one. */
export type Section = { title: string; id: string; text: string };

export function readSections(markdown: string): Section[] {
  const { html } = renderBlocks(markdown, () => null);
  return [...html.matchAll(/<h[12] id="([^"]*)">(.*?)<\/h[12]>(.*?)(?=<h[12] id=|$)/gs)].map(
    ([, id = '', title = '', inner = '']) => ({ id, title: readText(title), text: readText(inner) }),
  );
}

/** Ends of blocks separate words; marks within a word do not. */
function readText(html: string): string {
  const separated = html.replaceAll(/<\/(?:p|li|td|th|pre|h[3-6])>/g, ' ').replaceAll(/<[^>]*>/g, '');
  return unescapeHtml(separated).replaceAll(/\s+/g, ' ').trim();
}

const entities: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

function unescapeHtml(html: string): string {
  return html.replaceAll(/&(?:amp|lt|gt|quot);/g, entity => entities[entity] ?? entity);
}
