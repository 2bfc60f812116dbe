/** Groups queued entries into batches by dataset. A batch keeps its key and its bytes until it is settled. */

export type BatchLimits = { batchEntriesMax: number; batchBytesMax: number };

export type WaitingEntry = {
  /** The entry as JSON. */
  text: string;
  bytes: number;
  /** Called once; without an error if the service stored the entry. */
  callback?: ((error?: Error) => void) | undefined;
};

export type Batch = { key: string; dataset: string; entries: readonly WaitingEntry[] };

export interface BatchStore {
  readonly queued: number;
  readonly queuedBytes: number;
  /** Returns true if there was room for the entry. */
  add(dataset: string, entry: WaitingEntry): boolean;
  hasRoom(): boolean;
  /** True if a closed batch is waiting. */
  hasClosed(): boolean;
  /** Closes every batch that has entries, so that they are sent. Returns the last one's number. */
  close(): number;
  /** The number of the last settled batch, in closing order. */
  readonly settledNumber: number;
  /** Returns the next closed batch; null if none is waiting. */
  peek(): Batch | null;
  /** Removes the next batch: its entries were stored or dropped. */
  removeNext(): void;
  /** Splits the next batch into these parts, each with its own key. */
  split(parts: readonly (readonly WaitingEntry[])[]): void;
  /** Drops everything and returns the entries that were queued. */
  clear(): readonly WaitingEntry[];
  /** Closes files and keeps their contents. */
  end(): void;
}

type OpenBatch = { dataset: string; entries: WaitingEntry[]; bytes: number };
type ClosedBatch = { number: number; parts: Batch[] };
type MemoryLimits = BatchLimits & { queueEntriesMax: number; queueBytesMax: number };

export function openMemoryBatches(limits: MemoryLimits): BatchStore {
  return new MemoryBatches(limits);
}

class MemoryBatches implements BatchStore {
  readonly #limits: MemoryLimits;
  readonly #open = new Map<string, OpenBatch>();
  #closed: ClosedBatch[] = [];
  #lastNumber = 0;
  queued = 0;
  queuedBytes = 0;
  settledNumber = 0;

  constructor(limits: MemoryLimits) {
    this.#limits = limits;
  }

  add(dataset: string, entry: WaitingEntry): boolean {
    const { queueEntriesMax, queueBytesMax, batchBytesMax, batchEntriesMax } = this.#limits;
    if (this.queued >= queueEntriesMax || this.queuedBytes + entry.bytes > queueBytesMax) return false;
    const full = this.#open.get(dataset);
    if (full && full.bytes + entry.bytes > batchBytesMax) this.#closeOne(full);
    const batch = this.#open.get(dataset) ?? { dataset, entries: [], bytes: 0 };
    this.#open.set(dataset, batch);
    batch.entries.push(entry);
    batch.bytes += entry.bytes;
    this.queued++;
    this.queuedBytes += entry.bytes;
    if (batch.entries.length >= batchEntriesMax) this.#closeOne(batch);
    return true;
  }

  hasRoom(): boolean {
    return this.queued < this.#limits.queueEntriesMax && this.queuedBytes < this.#limits.queueBytesMax;
  }

  hasClosed(): boolean {
    return this.#closed.length > 0;
  }

  close(): number {
    for (const batch of [...this.#open.values()]) this.#closeOne(batch);
    return this.#lastNumber;
  }

  peek(): Batch | null {
    return this.#closed[0]?.parts[0] ?? null;
  }

  removeNext(): void {
    this.split([]);
  }

  split(parts: readonly (readonly WaitingEntry[])[]): void {
    const [first] = this.#closed;
    const part = first?.parts.shift();
    if (!first || !part) return;
    const kept = parts.filter(entries => entries.length > 0);
    const keptEntries = new Set(kept.flat());
    this.#leave(part.entries.filter(entry => !keptEntries.has(entry)));
    first.parts.unshift(...kept.map(entries => makeBatch(part.dataset, entries)));
    if (first.parts.length > 0) return;
    this.settledNumber = first.number;
    this.#closed.shift();
  }

  clear(): readonly WaitingEntry[] {
    this.close();
    const entries = this.#closed.flatMap(({ parts }) => parts.flatMap(part => part.entries));
    this.#closed = [];
    this.settledNumber = this.#lastNumber;
    this.#leave(entries);
    return entries;
  }

  end(): void {
    this.close();
  }

  #closeOne({ dataset, entries }: OpenBatch): void {
    this.#open.delete(dataset);
    this.#lastNumber++;
    this.#closed.push({ number: this.#lastNumber, parts: [makeBatch(dataset, entries)] });
  }

  #leave(entries: readonly WaitingEntry[]): void {
    this.queued -= entries.length;
    for (const { bytes } of entries) this.queuedBytes -= bytes;
  }
}

export function makeBatch(dataset: string, entries: readonly WaitingEntry[]): Batch {
  return { key: crypto.randomUUID(), dataset, entries };
}
