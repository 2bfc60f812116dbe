/**
 * Gives back pages of the engine's program that it does not use while idle: 170 MB of the 270 MB that it holds after its
 * start. They are clean pages of a file; the system maps a page again from its cache when the engine needs it.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { close, DataType, load, open } from 'ffi-rs';

const systemLibrary = 'system';
const dontNeed = 4; // MADV_DONTNEED, on every Linux
const mappingPattern = /^([0-9a-f]+)-([0-9a-f]+) r-[x-]p \S+ \S+ \d+\s+(\/.*)$/m;
/** A mapping with written pages, for example from linking the library, holds more than the file does, so all of it stays. */
const cleanPattern = /^Anonymous:\s+0 kB$/m;

const lookIntervalMs = 10_000;
const idleMicros = 100_000; // processor time between two looks of an idle process
const looksEach = 6;

/** Does nothing outside Linux, where the mappings cannot be read. */
export function releaseUnusedPages(libraryPath: string): void {
  if (process.platform !== 'linux') return;
  const names = new Set([libraryPath, process.execPath].map(file => path.basename(file)));
  open({ library: systemLibrary, path: 'libc.so.6' });
  for (const mapping of readFileSync('/proc/self/smaps', 'utf8').split(/\n(?=[0-9a-f]+-[0-9a-f]+ )/)) {
    const [, from = '', to = '', file = ''] = mappingPattern.exec(mapping) ?? [];
    if (!names.has(path.basename(file)) || !cleanPattern.test(mapping)) continue;
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

/** Releases pages when the process becomes idle, and then each minute: requests of an idle service need few. Runs in a separate thread. */
export function keepReleasing(libraryPath: string): void {
  let before = readProcessorMicros();
  let looksAtRest = 0;
  setInterval(() => {
    const now = readProcessorMicros();
    const isIdle = now - before < idleMicros;
    before = now;
    if (isIdle && looksAtRest % looksEach === 0) releaseUnusedPages(libraryPath);
    looksAtRest = isIdle ? looksAtRest + 1 : 0;
  }, lookIntervalMs);
}

/** Processor time of all threads. */
function readProcessorMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
