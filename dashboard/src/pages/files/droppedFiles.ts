/** Files that come to the page by themselves: dropped anywhere on it, or pasted. */
import { useEffect, useRef, useState } from 'react';

/** null: nothing is taken. */
type Take = ((files: readonly File[]) => void) | null;

/** Whether files hover over the window. The browser itself would open them and leave the page. */
export function useDroppedFiles(take: Take): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    // Entering an element comes before leaving the one around it.
    let depth = 0;
    const move = (event: DragEvent, step: 1 | -1 | 0) => {
      if (!bringsFiles(event)) return;
      event.preventDefault();
      depth = Math.max(0, depth + step);
      setOver(depth > 0);
      if (event.dataTransfer && latest.current === null) event.dataTransfer.dropEffect = 'none';
    };
    const listening = new AbortController();
    const { signal } = listening;
    window.addEventListener('dragenter', event => move(event, 1), { signal });
    window.addEventListener('dragleave', event => move(event, -1), { signal });
    window.addEventListener('dragover', event => move(event, 0), { signal });
    const drop = (event: DragEvent) => {
      if (!bringsFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      latest.current?.([...(event.dataTransfer?.files ?? [])]);
    };
    window.addEventListener('drop', drop, { signal });
    return () => listening.abort();
  }, []);
  return isOver && take !== null;
}

export function usePastedFiles(take: Take): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      // A field takes the text, where there is one beside the picture.
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea');
      if (files.length === 0 || (isTyping && event.clipboardData?.types.includes('text/plain'))) return;
      event.preventDefault();
      latest.current?.(files.map(nameScreenshot));
    };
    window.addEventListener('paste', paste);
    return () => window.removeEventListener('paste', paste);
  }, []);
}

function bringsFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}

/** Browsers call every picture from the clipboard `image.png`. */
function nameScreenshot(file: File): File {
  const extension = /^image(\.\w+)$/.exec(file.name)?.[1];
  if (extension === undefined) return file;
  const now = new Date();
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString();
  const name = `Pasted ${local.slice(0, 19).replace('T', ' ').replaceAll(':', '.')}${extension}`;
  return new File([file], name, { type: file.type });
}
