/**
 * Keeps batches in a folder, so that entries survive the process. Each process writes into its own directory and takes over those of dead processes.
 * A batch is a file with one entry per line, named by number, key and dataset. It is sent once it is closed, and deleted once the service stored it.
 */
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { unreadableError } from '../files/content.ts';
import { type Batch, type BatchLimits, type BatchStore, makeBatch, type WaitingEntry } from './batches.ts';
import { isGone, nameProcess } from './spoolOwners.ts';

type Callback = WaitingEntry['callback'];
type OpenFile = { descriptor: number; file: SpoolFile };
type SpoolFile = {
  path: string;
  key: string;
  dataset: string;
  count: number;
  bytes: number;
  /** Callbacks by line; lines from earlier processes have none. */
  callbacks: Map<number, Callback>;
};
type ClosedBatch = { number: number; files: SpoolFile[] };

const heartbeatMs = 20_000;
const lineFeed = 10;

export function openSpool(folder: string, limits: BatchLimits & { spoolBytesMax: number }): BatchStore {
  const directory = join(folder, nameProcess());
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw unreadableError(`The spool ${folder} cannot be opened.`, cause);
  }
  const store = new Spool(directory, limits);
  for (const name of readdirSync(folder).sort()) {
    if (isGone(folder, name)) store.takeOver(join(folder, name));
  }
  return store;
}

class Spool implements BatchStore {
  readonly #directory: string;
  readonly #limits: BatchLimits & { spoolBytesMax: number };
  readonly #open = new Map<string, OpenFile>();
  readonly #heartbeat: ReturnType<typeof setInterval>;
  #closed: ClosedBatch[] = [];
  #peeked: Batch | null = null;
  #lastNumber = 0;
  #fileNumber = 0;
  queued = 0;
  queuedBytes = 0;
  settledNumber = 0;

  constructor(directory: string, limits: BatchLimits & { spoolBytesMax: number }) {
    this.#directory = directory;
    this.#limits = limits;
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs);
    this.#heartbeat.unref();
  }

  /** Does nothing if another process was faster. */
  takeOver(left: string): void {
    const taken = `${this.#directory}-${this.#fileNumber++}`;
    try {
      renameSync(left, taken);
    } catch {
      return;
    }
    for (const name of readdirSync(taken).sort()) {
      const [, key, dataset] = name.split('~');
      if (key === undefined || dataset === undefined) continue;
      const file = {
        path: join(taken, name),
        key,
        dataset: decodeURIComponent(dataset),
        callbacks: new Map(),
      };
      const bytes = readLines(file.path);
      const sized = {
        ...file,
        count: bytes.length,
        bytes: bytes.reduce((sum, line) => sum + line.length + 1, 0),
      };
      this.queued += sized.count;
      this.queuedBytes += sized.bytes;
      this.#lastNumber++;
      this.#closed.push({ number: this.#lastNumber, files: [sized] });
    }
  }

  add(dataset: string, entry: WaitingEntry): boolean {
    if (this.queuedBytes + entry.bytes > this.#limits.spoolBytesMax) return false;
    const full = this.#open.get(dataset);
    if (full && full.file.bytes + entry.bytes > this.#limits.batchBytesMax) this.#closeOne(full);
    const batch = this.#open.get(dataset) ?? this.#openFile(dataset);
    if (batch === null || !writeLine(batch, entry.text)) return false;
    if (entry.callback) batch.file.callbacks.set(batch.file.count, entry.callback);
    batch.file.count++;
    batch.file.bytes += entry.bytes;
    this.queued++;
    this.queuedBytes += entry.bytes;
    if (batch.file.count >= this.#limits.batchEntriesMax) this.#closeOne(batch);
    return true;
  }

  hasRoom(): boolean {
    return this.queuedBytes < this.#limits.spoolBytesMax;
  }

  hasClosed(): boolean {
    return this.#closed.length > 0;
  }

  close(): number {
    for (const batch of [...this.#open.values()]) this.#closeOne(batch);
    return this.#lastNumber;
  }

  peek(): Batch | null {
    while (this.#peeked === null) {
      const file = this.#closed[0]?.files[0];
      if (file === undefined) return null;
      const entries = readLines(file.path).map((line, index) => ({
        text: line.toString(),
        bytes: line.length + 1,
        callback: file.callbacks.get(index),
      }));
      if (entries.length > 0) this.#peeked = { key: file.key, dataset: file.dataset, entries };
      else this.removeNext(); // the process died within its first line
    }
    return this.#peeked;
  }

  removeNext(): void {
    const [first] = this.#closed;
    const file = first?.files.shift();
    if (file) this.#forget(file);
    if (first?.files.length === 0) this.#finishFirst();
  }

  split(parts: readonly (readonly WaitingEntry[])[]): void {
    const [first] = this.#closed;
    const file = first?.files.shift();
    if (!first || !file) return;
    // Write the new files first: a crash in between sends entries twice instead of losing them.
    const files = parts.filter(entries => entries.length > 0).map(entries => this.#writeFile(file, entries));
    this.#forget(file);
    first.files.unshift(...files);
    if (first.files.length === 0) this.#finishFirst();
  }

  clear(): readonly WaitingEntry[] {
    const entries: WaitingEntry[] = [];
    this.close();
    for (let batch = this.peek(); batch !== null; batch = this.peek()) {
      entries.push(...batch.entries);
      this.removeNext();
    }
    return entries;
  }

  end(): void {
    this.close();
    clearInterval(this.#heartbeat);
    try {
      rmdirSync(this.#directory); // only if it is empty
    } catch {
      // The next process sends its contents.
    }
  }

  #finishFirst(): void {
    this.settledNumber = this.#closed.shift()?.number ?? this.settledNumber;
  }

  #openFile(dataset: string): OpenFile | null {
    const key = crypto.randomUUID();
    const path = this.#nameFile(key, dataset);
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      const file = { path, key, dataset, count: 0, bytes: 0, callbacks: new Map() };
      const batch = { descriptor: openSync(path, 'ax', 0o600), file };
      this.#open.set(dataset, batch);
      return batch;
    } catch {
      return null; // disk full: the entry is dropped and counted
    }
  }

  #writeFile({ dataset }: SpoolFile, entries: readonly WaitingEntry[]): SpoolFile {
    const { key } = makeBatch(dataset, entries);
    const path = this.#nameFile(key, dataset);
    writeFileSync(path, entries.map(({ text }) => `${text}\n`).join(''), { mode: 0o600 });
    const callbacks = new Map(entries.map(({ callback }, index) => [index, callback]));
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    this.queued += entries.length;
    this.queuedBytes += bytes;
    return { path, key, dataset, count: entries.length, bytes, callbacks };
  }

  #nameFile(key: string, dataset: string): string {
    const number = String(this.#fileNumber++).padStart(12, '0');
    return join(this.#directory, `${number}~${key}~${encodeURIComponent(dataset)}`);
  }

  #closeOne({ descriptor, file }: OpenFile): void {
    closeSync(descriptor);
    this.#open.delete(file.dataset);
    this.#lastNumber++;
    this.#closed.push({ number: this.#lastNumber, files: [file] });
  }

  #forget({ path, count, bytes }: SpoolFile): void {
    this.#peeked = null;
    this.queued -= count;
    this.queuedBytes -= bytes;
    try {
      unlinkSync(path);
      const directory = join(path, '..');
      if (directory !== this.#directory && readdirSync(directory).length === 0) rmdirSync(directory);
    } catch {
      // The directory was deleted.
    }
  }

  /** Shows processes on other machines that this one is alive. */
  #beat(): void {
    const now = new Date();
    try {
      statSync(this.#directory);
      utimesSync(this.#directory, now, now);
    } catch {
      // The next entry recreates it.
    }
  }
}

function writeLine({ descriptor }: OpenFile, text: string): boolean {
  try {
    const line = Buffer.from(`${text}\n`);
    return writeSync(descriptor, line) === line.length;
  } catch {
    return false;
  }
}

/** Returns the complete lines; a killed process leaves its last one cut off. */
function readLines(path: string): Buffer[] {
  const content = readFileSync(path);
  const lines: Buffer[] = [];
  for (let start = 0, end = content.indexOf(lineFeed); end >= 0; end = content.indexOf(lineFeed, start)) {
    if (end > start) lines.push(content.subarray(start, end));
    start = end + 1;
  }
  return lines;
}
