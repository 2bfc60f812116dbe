/** The journal as files in its own directory: segments, the keys of the last day, a reserve, and a name. */
import path from 'node:path';
import { lockDirectory } from '@tapedeck/durable-files';
import type { Logger } from '../../logger.ts';
import type { Entered, Journal, KeyRecord, Segment, SegmentTaker } from '../journal.ts';
import type { JournalDisk } from './disk.ts';
import { GroupWriter } from './groupWriter.ts';
import { JournalSpace } from './journalQuota.ts';
import { KeyShelves } from './keys.ts';
import { keepNodeId } from './nodeId.ts';
import { damagedFolder, recoverSegments } from './recovery.ts';
import type { FileSegment } from './segment.ts';
import { Clearing } from './segmentRemoval.ts';

type DiskJournalDeps = { disk: JournalDisk; log: Logger };

/** Creates the directory if absent, locks it, and finds what an earlier run left in it. */
export async function openDiskJournal(deps: DiskJournalDeps, directory: string): Promise<Journal> {
  await using opened = new AsyncDisposableStack();
  await deps.disk.makeDirectory(directory);
  opened.use(lockDirectory(directory));
  const left = await recoverSegments(deps, directory);
  const shelves = opened.use(await KeyShelves.open(deps.disk, path.join(directory, 'keys'), Date.now()));
  const room: JournalSpace = opened.use(
    await JournalSpace.open({ ...deps, onFull: () => journal.hurry() }, directory),
  );
  const journal = new DiskJournal(deps, { directory, left, shelves, room, held: opened.move() });
  return journal;
}

type Parts = {
  directory: string;
  left: readonly FileSegment[];
  shelves: KeyShelves;
  room: JournalSpace;
  held: AsyncDisposable;
};

class DiskJournal implements Journal {
  readonly #deps: DiskJournalDeps;
  readonly #parts: Parts;
  readonly #keys = new RecentKeys();
  readonly #clearing: Clearing;
  /** Segments that were handed over and not forgotten yet, by name. */
  readonly #waiting = new Map<string, FileSegment>();
  /** Bytes of segments that were handed over and not yet removed. */
  #handedBytes = 0;
  #taker: SegmentTaker | null = null;
  #writer: GroupWriter | null = null;

  constructor(deps: DiskJournalDeps, parts: Parts) {
    this.#deps = deps;
    this.#parts = parts;
    const onKeysStored = (segment: FileSegment) => this.#keys.remove(segment.keys);
    const onCleared = (segment: FileSegment) => {
      this.#handedBytes -= segment.length;
    };
    this.#clearing = new Clearing({ ...deps, keys: parts.shelves, onKeysStored, onCleared }, parts.directory);
  }

  async begin(taker: SegmentTaker): Promise<void> {
    const { directory, left, room } = this.#parts;
    this.#taker = taker;
    this.#writer = await GroupWriter.open(
      { ...this.#deps, room },
      {
        directory,
        nextShard: () => taker.nextShard(),
        countHandedBytes: () => this.#handedBytes,
        paceMs: () => taker.paceMs(),
        onSealed: segment => this.#handOver(segment),
        onWritten: segment => taker.onWritten(segment),
      },
    );
    for (const segment of left) {
      for (const record of segment.keys) this.#keys.add(record);
      this.#handOver(segment);
    }
  }

  requireTaking(): void {
    this.#requireWriter().requireTaking();
  }

  requireColumns() {
    return this.#requireWriter().requireColumns();
  }

  enter(entered: Entered): Promise<void> {
    const { key } = entered;
    const written = this.#requireWriter().enter(entered);
    return key === null ? written : written.then(() => this.#keys.add(key));
  }

  seal(): void {
    this.#requireWriter().seal();
  }

  async findKey(scopeHash: Buffer): Promise<KeyRecord | null> {
    const { shelves } = this.#parts;
    shelves.requireRoom();
    return this.#keys.find(scopeHash) ?? (await shelves.find(scopeHash, Date.now()));
  }

  forget({ name }: Segment): void {
    const segment = this.#waiting.get(name);
    if (segment === undefined) throw new Error(`The journal has no segment ${name}.`);
    this.#waiting.delete(name);
    this.#clearing.add(segment);
  }

  finishForgetting(timeMsMax: number): Promise<void> {
    return this.#clearing.finish(timeMsMax);
  }

  releaseReserve(): Promise<boolean> {
    return this.#parts.room.releaseReserve();
  }

  async inspect(): Promise<{ damaged: number; bytesMax: number }> {
    const { directory, room } = this.#parts;
    const folder = path.join(directory, damagedFolder);
    const kept = await this.#deps.disk.list(folder).catch(() => []); // the folder appears with the first damaged segment
    return { damaged: kept.length, bytesMax: room.journalBytesMax };
  }

  keepNodeId(): Promise<string> {
    return keepNodeId(this.#deps.disk, this.#parts.directory);
  }

  hurry(): void {
    this.#taker?.hurry();
  }

  async stop(): Promise<void> {
    await this.#writer?.[Symbol.asyncDispose]();
  }

  /** The next start finds segments that were not forgotten. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.#clearing[Symbol.asyncDispose]();
    const unread = this.#taker === null ? this.#parts.left : this.#waiting.values();
    for (const { file } of unread) await file.close();
    await this.#parts.held[Symbol.asyncDispose]();
  }

  #handOver(segment: FileSegment): void {
    this.#waiting.set(segment.name, segment);
    this.#handedBytes += segment.length;
    this.#taker?.take(segment);
  }

  #requireWriter(): GroupWriter {
    if (this.#writer === null) throw new Error('The journal has not started.');
    return this.#writer;
  }
}

/** Keys whose entries are still in the journal. */
class RecentKeys {
  readonly #records = new Map<string, KeyRecord>();

  find(scopeHash: Buffer): KeyRecord | null {
    return this.#records.get(scopeHash.toString('latin1')) ?? null;
  }

  add(record: KeyRecord): void {
    this.#records.set(record.scopeHash.toString('latin1'), record);
  }

  remove(records: readonly KeyRecord[]): void {
    for (const { scopeHash } of records) this.#records.delete(scopeHash.toString('latin1'));
  }
}
