/** A button on each piece of code that copies it. */

const thanksMs = 1_500; // long enough to be read

export function addCopyButtons(): void {
  for (const block of document.querySelectorAll('pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => void copy(block, button));
    const frame = document.createElement('div');
    frame.className = 'code';
    frame.hidden = block.hidden;
    const { language } = block.dataset;
    if (language !== undefined) frame.dataset.language = language;
    block.hidden = false;
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

async function copy(block: HTMLElement, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(block.textContent ?? '');
    button.textContent = 'Copied';
  } catch {
    // Browsers forbid it over plain HTTP: the code is selected, so that a key copies it.
    getSelection()?.selectAllChildren(block);
    button.textContent = 'Press Ctrl+C';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, thanksMs);
}
