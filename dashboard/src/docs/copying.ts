/** Adds a copy button to each code block. */

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
  // Browsers forbid copying over plain HTTP, so this selects the code for Ctrl+C.
  await copyWith(button, block.textContent ?? '', () => {
    getSelection()?.selectAllChildren(block);
    button.textContent = 'Press Ctrl+C';
  });
}

/** Calls `forbidden` if the browser refuses to copy. `text` is null if there is nothing to copy. */
export async function copyWith(
  button: HTMLButtonElement,
  text: string | null,
  forbidden: () => void,
): Promise<void> {
  const name = button.textContent;
  try {
    if (text === null) throw new Error('The page did not load.');
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    forbidden();
  }
  setTimeout(() => {
    button.textContent = name;
  }, thanksMs);
}
