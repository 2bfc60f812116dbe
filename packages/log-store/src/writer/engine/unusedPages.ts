/**
 * Gives back pages of a program that it does not use while idle: 170 MB of the 270 MB that the engine holds after its start,
 * and 38 MB of the service. They are clean pages of a file; the system maps a page again from its cache when it is needed.
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
/** Processor time between two looks of an idle process. The service takes a little for its clocks and background jobs. */
const idleMicros = { engine: 100_000, service: 500_000 };
const looksEach = 6;

/** Does nothing outside Linux, where the mappings cannot be read. `libraryPath` is null in a process without the engine. */
export function releaseUnusedPages(libraryPath: string | null): void {
  if (process.platform !== 'linux') return;
  const files = libraryPath === null ? [process.execPath] : [process.execPath, libraryPath];
  const names = new Set(files.map(file => path.basename(file)));
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
export function keepReleasing(libraryPath: string | null): void {
  const idleMicrosMax = idleMicros[libraryPath === null ? 'service' : 'engine'];
  let before = readProcessorMicros();
  let looksAtRest = 0;
  setInterval(() => {
    const now = readProcessorMicros();
    const isIdle = now - before < idleMicrosMax;
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
