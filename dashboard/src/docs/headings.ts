/** Links each heading of a page, and lists the sections beside the text with the current one marked. */

const listedMin = 3; // a reader sees fewer at a glance
const readingLinePx = 120; // below the header, where a heading lands after a click on its link

export function linkHeadings(): void {
  const headings = [...document.querySelectorAll<HTMLElement>('main h2[id]')];
  const titles = headings.map(readTitle);
  for (const [index, heading] of headings.entries()) heading.append(makeAnchor(heading, titles[index] ?? ''));
  if (headings.length >= listedMin) addList(headings, titles);
}

/** Returns the heading's text; for an operation, method and path. */
function readTitle(heading: HTMLElement): string {
  return (heading.textContent ?? '').trim();
}

function makeAnchor({ id }: HTMLElement, title: string): HTMLAnchorElement {
  const anchor = document.createElement('a');
  anchor.className = 'anchor';
  anchor.href = `#${id}`;
  anchor.textContent = '#';
  anchor.setAttribute('aria-label', `Link to “${title}”`);
  return anchor;
}

function addList(headings: readonly HTMLElement[], titles: readonly string[]): void {
  const nav = document.createElement('nav');
  nav.className = 'here';
  nav.setAttribute('aria-label', 'On this page');
  const title = document.createElement('p');
  title.textContent = 'On this page';
  const list = document.createElement('ul');
  const links = headings.map(({ id }, index) => {
    const link = document.createElement('a');
    link.href = `#${id}`;
    link.textContent = titles[index] ?? '';
    const item = document.createElement('li');
    item.append(link);
    list.append(item);
    return link;
  });
  nav.append(title, list);
  document.querySelector('.columns')?.append(nav);
  const mark = () => markCurrent(headings, links);
  addEventListener('scroll', mark, { passive: true });
  mark();
}

function markCurrent(headings: readonly HTMLElement[], links: readonly HTMLAnchorElement[]): void {
  const current = headings.findLastIndex(heading => heading.getBoundingClientRect().top <= readingLinePx);
  for (const [index, link] of links.entries()) {
    if (index !== current) link.removeAttribute('aria-current');
    else if (!link.hasAttribute('aria-current')) {
      link.setAttribute('aria-current', 'location');
      link.scrollIntoView({ block: 'nearest' });
    }
  }
}
