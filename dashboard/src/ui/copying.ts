/** Copies texts to the clipboard. If the browser refuses, shows the text for copying by hand. */
import { styleButton } from './Button.tsx';
import { controlStyle } from './forms/Field.tsx';

/** Returns false if the browser refuses. Browsers offer the clipboard only to secure origins, but a service on the local network is often plain http. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The clipboard is missing or forbidden. The older way needs no permission after a click.
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const pressed = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.className = 'fixed size-px opacity-0';
  // An open dialog keeps the focus inside.
  (pressed?.parentElement ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (pressed instanceof HTMLElement) pressed.focus();
  return isCopied;
}

const rows = 6;

/** Shows the text selected, in front of everything. Copying it closes the dialog. */
export function showForCopying(text: string, onCopied?: () => void): void {
  const dialog = document.createElement('dialog');
  dialog.ariaLabel = 'Copy the text';
  dialog.className =
    'm-auto w-[min(32rem,100vw-2rem)] rounded-2xl border border-line bg-panel p-5 text-ink shadow-float backdrop:bg-[oklch(0.15_0.01_60/0.45)] open:grid gap-3';
  const reason = document.createElement('p');
  reason.className = 'text-sm text-muted';
  reason.textContent = `Your browser blocks copying. ${describeWay()}`;
  const area = document.createElement('textarea');
  area.ariaLabel = 'Text to copy';
  area.className = `${controlStyle} resize-y py-2 font-mono text-sm`;
  area.readOnly = true;
  area.rows = rows;
  area.value = text;
  const close = document.createElement('button');
  close.type = 'button';
  close.className = `${styleButton()} justify-self-end`;
  close.textContent = 'Close';
  close.addEventListener('click', () => dialog.close());
  area.addEventListener('copy', () => {
    onCopied?.();
    setTimeout(() => dialog.close()); // after the browser has taken the text
  });
  // The page and its dialogs must not take these as theirs.
  for (const kind of ['click', 'pointerdown', 'keydown', 'focusin', 'copy', 'paste'] as const)
    dialog.addEventListener(kind, event => event.stopPropagation());
  dialog.addEventListener('close', () => dialog.remove());
  dialog.append(reason, area, close);
  // An open dialog of the page keeps the focus inside, and takes clicks elsewhere for closing.
  (findOpenDialog() ?? document.body).append(dialog);
  dialog.showModal();
  area.focus();
  area.select();
}

function describeWay(): string {
  if (matchMedia('(pointer: coarse)').matches) return 'Touch and hold the selected text, then choose Copy.';
  return `Press ${/Mac/.test(navigator.userAgent) ? '⌘C' : 'Ctrl+C'} to copy the selected text.`;
}

function findOpenDialog(): Element | undefined {
  return [...document.querySelectorAll('[role=dialog], [role=alertdialog]')].at(-1);
}
