/** Renders the frame of every page: navigation, search, and links to style and script. */
import { escapeHtml } from './inlineText.ts';

type FrameLink = { title: string; url: string; isCurrent?: boolean };

export type NavigationGroup = {
  title: string;
  links: readonly FrameLink[];
};

export type PageFrame = {
  /** Appended to the page's own title. */
  site?: string;
  /** Shown at the top. */
  links?: readonly FrameLink[];
  /** Shown beside the text. */
  navigation?: readonly NavigationGroup[];
  /** Style sheets and scripts by path. */
  styles?: readonly string[];
  scripts?: readonly string[];
  icon?: string;
  /** The address of the page as Markdown. */
  markdownUrl?: string;
};

export function writePage(page: PageFrame & { title: string; main: string }): string {
  const {
    title,
    main,
    site,
    links = [],
    navigation = [],
    styles = [],
    scripts = [],
    icon,
    markdownUrl,
  } = page;
  const named = site === undefined ? title : `${title} · ${site}`;
  const head = [
    ...(icon === undefined ? [] : [`<link rel="icon" href="${escapeHtml(icon)}">`]),
    ...(markdownUrl === undefined
      ? []
      : [`<link rel="alternate" type="text/markdown" href="${escapeHtml(markdownUrl)}">`]),
    ...styles.map(path => `<link rel="stylesheet" href="${escapeHtml(path)}">`),
    ...scripts.map(path => `<script type="module" src="${escapeHtml(path)}"></script>`),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(named)}</title>${head.join('')}</head><body>
${writeHeader(links)}<div class="columns">${writeNavigation(navigation)}<main id="text">${main}</main></div></body></html>
`;
}

function writeHeader(links: PageFrame['links'] = []): string {
  if (links.length === 0) return '';
  const shown = links.map(writeLink);
  return `<header><a class="skip" href="#text">Skip to the text</a><nav aria-label="Documents">${shown.join('')}</nav><div class="search"></div></header>\n`;
}

function writeNavigation(groups: readonly NavigationGroup[]): string {
  if (groups.length === 0) return '';
  const hasCurrent = groups.some(({ links }) => links.some(({ isCurrent }) => isCurrent));
  const shown = groups.map(({ title, links }) => {
    const items = links.map(each => `<li>${writeLink(each)}</li>`);
    // A page outside of all groups opens all of them.
    const isOpen = !hasCurrent || links.some(({ isCurrent }) => isCurrent);
    return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(title)}</summary><ul>${items.join('')}</ul></details>`;
  });
  // Folded on a phone, where it would stand above the text. On wider screens, a style sheet opens it beside the text.
  return `<nav class="side" aria-label="Pages"><details class="contents"><summary>All pages</summary>${shown.join('')}</details></nav>`;
}

function writeLink({ title, url, isCurrent = false }: FrameLink): string {
  return `<a href="${escapeHtml(url)}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`;
}
