/**
 * Gives back the pages of the engine's program that were needed only to load it: 50 MB of the 270 that it holds when idle.
 * They are clean pages of a file; the system maps a page again from its cache when the engine needs it.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { close, DataType, load, open } from 'ffi-rs';

const systemLibrary = 'system';
const dontNeed = 4; // MADV_DONTNEED, on every Linux
/** Only pages of code: pages that are writable, or were when the library was linked, hold more than the file does. */
const codePattern = /^([0-9a-f]+)-([0-9a-f]+) r-xp \S+ \S+ \d+\s+(\/.*)$/;

/** Elsewhere than on Linux there is nothing to read the mappings from, and everything stays. */
export function releaseCodePages(libraryPath: string): void {
  if (process.platform !== 'linux') return;
  const names = new Set([libraryPath, process.execPath].map(file => path.basename(file)));
  open({ library: systemLibrary, path: 'libc.so.6' });
  for (const line of readFileSync('/proc/self/maps', 'utf8').split('\n')) {
    const [, from = '', to = '', file = ''] = codePattern.exec(line) ?? [];
    if (!names.has(path.basename(file))) continue;
    const start = Number.parseInt(from, 16);
    load({
      library: systemLibrary,
      funcName: 'madvise',
      retType: DataType.I32,
      paramsType: [DataType.I64, DataType.I64, DataType.I32],
      paramsValue: [start, Number.parseInt(to, 16) - start, dontNeed],
    });
  }
  close(systemLibrary);
}
