/** Takes files that users drop anywhere on the page, or paste. */
import { useEffect, useRef, useState } from 'react';

/** `folder`: the files' folder within the drop; '' for single files. null: the page rejects files. */
type Take = ((files: readonly File[], folder: string) => void) | null;

/** Returns whether files hover over the window. Stops the browser from opening dropped files. */
export function useDroppedFiles(take: Take): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    // The browser enters an element before it leaves its parent.
    let depth = 0;
    const move = (event: DragEvent, step: 1 | -1 | 0) => {
      if (!carriesFiles(event)) return;
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
      if (!carriesFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      if (event.dataTransfer) void readDropped(event.dataTransfer, latest.current);
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
      // If the clipboard has text too, a text field gets the text.
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea');
      if (files.length === 0 || (isTyping && event.clipboardData?.types.includes('text/plain'))) return;
      event.preventDefault();
      latest.current?.(files.map(nameScreenshot), '');
    };
    window.addEventListener('paste', paste);
    return () => window.removeEventListener('paste', paste);
  }, []);
}

/** Reads dropped folders, keeping their names. */
async function readDropped({ items, files }: DataTransfer, take: Take): Promise<void> {
  if (take === null) return;
  // The browser offers them only during the event.
  const entries = [...items].flatMap(item => item.webkitGetAsEntry() ?? []);
  if (!entries.some(entry => entry.isDirectory)) return take([...files], '');
  for (const [folder, found] of await readFolders(entries)) take(found, folder);
}

/** Groups files by their folder. Skips unreadable ones. */
async function readFolders(entries: readonly FileSystemEntry[]): Promise<Map<string, File[]>> {
  const found = new Map<string, File[]>();
  const waiting = entries.map(entry => ({ entry, folder: '' }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { entry, folder } = next;
    if (isDirectory(entry)) {
      const inner = folder === '' ? entry.name : `${folder}/${entry.name}`;
      for (const child of await listEntries(entry)) waiting.push({ entry: child, folder: inner });
    } else if (isFile(entry)) {
      const file = await new Promise<File | null>(resolve => entry.file(resolve, () => resolve(null)));
      if (file !== null) found.set(folder, [...(found.get(folder) ?? []), file]);
    }
  }
  return found;
}

/** Browsers return at most a hundred at a time. */
async function listEntries(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>(resolve =>
      reader.readEntries(resolve, () => resolve([])),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function carriesFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}

/** Browsers name every pasted picture `image.png`. */
function nameScreenshot(file: File): File {
  const extension = /^image(\.\w+)$/.exec(file.name)?.[1];
  if (extension === undefined) return file;
  const now = new Date();
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString();
  const name = `Pasted ${local.slice(0, 19).replace('T', ' ').replaceAll(':', '.')}${extension}`;
  return new File([file], name, { type: file.type });
}
