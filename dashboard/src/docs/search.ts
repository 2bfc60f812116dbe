/** Searches guides and operations. Opens with `/` or Ctrl+K. */

import { describeMatch, type Entry, findMatches } from './searchMatches.ts';

export function addSearch(): void {
  const place = document.querySelector('.search');
  if (place === null) return;
  const input = document.createElement('input');
  input.type = 'search';
  input.placeholder = 'Search the documentation';
  input.setAttribute('aria-label', 'Search the documentation');
  const list = document.createElement('ul');
  list.hidden = true;
  place.append(input, list);
  let entries: Promise<Entry[]> | null = null;
  const update = async () => {
    entries ??= fetchEntries();
    const typed = input.value.trim();
    showMatches(list, findMatches(await entries, typed), typed);
  };
  input.addEventListener('focus', () => void update());
  input.addEventListener('input', () => void update());
  place.addEventListener('keydown', event => {
    if (event instanceof KeyboardEvent) moveBy(event, input, list);
  });
  document.addEventListener('keydown', event => {
    const isTyping =
      event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
    const isWanted = event.key === 'k' ? event.ctrlKey || event.metaKey : event.key === '/' && !isTyping;
    if (!isWanted) return;
    event.preventDefault();
    input.focus();
  });
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Node) || !place.contains(target)) list.hidden = true;
  });
}

async function fetchEntries(): Promise<Entry[]> {
  const response = await fetch('/docs/search.json');
  if (!response.ok) return [];
  const entries: Entry[] = await response.json();
  return entries;
}

function showMatches(list: HTMLUListElement, entries: readonly Entry[], typed: string): void {
  list.replaceChildren(
    ...entries.map(entry => {
      const link = document.createElement('a');
      link.href = entry.url;
      link.textContent = entry.title;
      const hint = document.createElement('small');
      hint.textContent = describeMatch(entry, typed);
      link.append(hint);
      const item = document.createElement('li');
      item.append(link);
      return item;
    }),
  );
  if (entries.length === 0) list.append(writeNothing(typed));
  list.hidden = typed === '';
}

function writeNothing(typed: string): HTMLLIElement {
  const item = document.createElement('li');
  item.className = 'nothing';
  item.setAttribute('role', 'status');
  item.textContent = `Nothing found for “${typed}”. Try fewer or shorter words.`;
  return item;
}

function moveBy(event: KeyboardEvent, input: HTMLInputElement, list: HTMLUListElement): void {
  const links = [...list.querySelectorAll('a')];
  const current = links.findIndex(link => link.matches(':focus'));
  if (event.key === 'Escape') {
    list.hidden = true;
    input.blur();
  } else if (event.key === 'Enter' && current < 0) links[0]?.click();
  else if (event.key === 'ArrowDown') links[Math.min(current + 1, links.length - 1)]?.focus();
  else if (event.key === 'ArrowUp') (links[current - 1] ?? input).focus();
  else return;
  event.preventDefault();
}
