/** A button that copies a guide as Markdown, for a note or an assistant. */
import { copyWith } from './copying.ts';

export function offerMarkdown(): void {
  const source = document.querySelector<HTMLLinkElement>('link[rel=alternate][type="text/markdown"]');
  const heading = document.querySelector('main h1');
  if (source === null || heading === null) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'markdown';
  button.textContent = 'Copy as Markdown';
  button.addEventListener('click', () => void copyPage(source.href, button));
  heading.after(button);
}

async function copyPage(url: string, button: HTMLButtonElement): Promise<void> {
  const response = await fetch(url);
  const text = response.ok ? await response.text() : null;
  // If the browser forbids copying, the reader can copy or save the Markdown from its own page.
  await copyWith(button, text, () => location.assign(url));
}
