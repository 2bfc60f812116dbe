/**
 * Keeps the idempotency keys of the last day on disk, in one file per hour. Tables in memory find them, with thirteen bytes
 * per key of any length. Until its segment is flushed, a key lives in the journal itself.
 */
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { LogStoreFailure } from '../../failures.ts';
import { decodeKeyRecord, encodeKeyRecord, keyRecordBytes } from '../frame.ts';
import type { KeyRecord } from '../journal.ts';
import type { JournalDisk, JournalFile } from './disk.ts';

const hourMs = 3_600_000;
const keptMs = 24 * hourMs; // CONTRACT.md, 4.1
const keysMax = 20_000_000; // about 300 MB of memory, 1.2 GB of disk
const storedBytes = keyRecordBytes + 4; // and a checksum
const readRecords = 16_384; // a megabyte at a time
const slotsAtFirst = 1_024;
const slotsPerKey = 1.6;

/** One hour's file and the positions of its keys. `slots` holds pairs: a part of the hash, and the record's number from 1. */
type Shelf = { path: string; file: JournalFile; count: number; slots: Uint32Array };

export class KeyShelves implements AsyncDisposable {
  readonly #disk: JournalDisk;
  readonly #directory: string;
  readonly #shelves = new Map<number, Shelf>();
  #count = 0;

  private constructor(disk: JournalDisk, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
  }

  static async open(disk: JournalDisk, directory: string, now: number): Promise<KeyShelves> {
    await disk.makeDirectory(directory);
    const shelves = new KeyShelves(disk, directory);
    for (const name of await disk.list(directory)) {
      const match = /^(\d+)\.keys$/.exec(name);
      if (match) await shelves.#load(Number(match[1]));
    }
    await disk.syncDirectory(directory); // a process may have died right after creating a file
    await shelves.#removeOld(now);
    return shelves;
  }

  /** Finds the newest record of the key that is less than a day old. */
  async find(scopeHash: Buffer, now: number): Promise<KeyRecord | null> {
    let newest: KeyRecord | null = null;
    for (const [hour, shelf] of this.#shelves) {
      if ((hour + 1) * hourMs <= now - keptMs) continue;
      for (const number of findCandidates(shelf, scopeHash)) {
        const record = await readRecord(shelf, number);
        if (record?.scopeHash.equals(scopeHash) && record.storedAt > (newest?.storedAt ?? now - keptMs))
          newest = record;
      }
    }
    return newest;
  }

  /** Lists all keys of the last day; a key may occur several times. */
  async *list(now: number): AsyncGenerator<KeyRecord> {
    for (const shelf of this.#shelves.values()) {
      for (let number = 1; number <= shelf.count; number++) {
        const record = await readRecord(shelf, number);
        if (record !== null && record.storedAt > now - keptMs) yield record;
      }
    }
  }

  /** Throws when no more keys can be remembered. */
  requireRoom(): void {
    if (this.#count < keysMax) return;
    throw new LogStoreFailure(
      'overloaded',
      'Too many idempotency keys are in use; send the entries without one, or later.',
      {
        retryAfterSeconds: 60,
      },
    );
  }

  /** Resolves once the records survive a power cut. */
  async add(records: readonly KeyRecord[], now: number): Promise<void> {
    await this.#removeOld(now);
    for (const [hour, ofHour] of Map.groupBy(records, record => Math.floor(record.storedAt / hourMs))) {
      const shelf = this.#shelves.get(hour) ?? (await this.#loadDurably(hour));
      await shelf.file.write([Buffer.concat(ofHour.map(encodeStored))], shelf.count * storedBytes);
      await shelf.file.sync();
      for (const { scopeHash } of ofHour) this.#addKey(shelf, scopeHash);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const shelf of this.#shelves.values()) await shelf.file.close();
    this.#shelves.clear();
  }

  /** Loads the file and makes its name durable, even if an earlier attempt created the file and failed to. */
  async #loadDurably(hour: number): Promise<Shelf> {
    const shelf = await this.#load(hour);
    try {
      await this.#disk.syncDirectory(this.#directory);
    } catch (error) {
      await this.#unload(hour, shelf);
      throw error;
    }
    return shelf;
  }

  async #load(hour: number): Promise<Shelf> {
    const file = path.join(this.#directory, `${hour}.keys`);
    const isNew = !(await this.#disk.list(this.#directory)).includes(`${hour}.keys`);
    const shelf: Shelf = {
      path: file,
      file: await (isNew ? this.#disk.create(file) : this.#disk.open(file)),
      count: 0,
      slots: new Uint32Array(slotsAtFirst * 2),
    };
    const bytes = Buffer.alloc(readRecords * storedBytes);
    for (let isWhole = true; isWhole; ) {
      const read = await shelf.file.read(bytes, shelf.count * storedBytes);
      isWhole = read === bytes.length;
      for (let at = 0; at + storedBytes <= read; at += storedBytes) {
        this.#addKey(shelf, bytes.subarray(at, at + 16));
      }
    }
    this.#shelves.set(hour, shelf);
    return shelf;
  }

  #addKey(shelf: Shelf, scopeHash: Buffer): void {
    this.#count++;
    shelf.count++;
    if (shelf.count * slotsPerKey > shelf.slots.length / 2) growSlots(shelf);
    putSlot(shelf.slots, hashOf(scopeHash), shelf.count);
  }

  async #removeOld(now: number): Promise<void> {
    for (const [hour, shelf] of this.#shelves) {
      // Waits an extra hour, so that no search still reads the file.
      if ((hour + 2) * hourMs > now - keptMs) continue;
      await this.#unload(hour, shelf);
      await this.#disk.remove(shelf.path);
    }
  }

  async #unload(hour: number, shelf: Shelf): Promise<void> {
    this.#shelves.delete(hour);
    this.#count -= shelf.count;
    await shelf.file.close();
  }
}

function encodeStored(record: KeyRecord): Buffer {
  const bytes = encodeKeyRecord(record);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(bytes));
  return Buffer.concat([bytes, checksum]);
}

/** Returns null if the record was only half written, or is damaged. */
async function readRecord(shelf: Shelf, number: number): Promise<KeyRecord | null> {
  const bytes = Buffer.alloc(storedBytes);
  if ((await shelf.file.read(bytes, (number - 1) * storedBytes)) < storedBytes) return null;
  const record = bytes.subarray(0, keyRecordBytes);
  return crc32(record) === bytes.readUInt32LE(keyRecordBytes) ? decodeKeyRecord(record) : null;
}

function hashOf(scopeHash: Buffer): number {
  return scopeHash.readUInt32LE(0);
}

/** Lists the numbers of records whose hash begins alike, usually none or one. */
function findCandidates({ slots }: Shelf, scopeHash: Buffer): number[] {
  const hash = hashOf(scopeHash);
  const numbers: number[] = [];
  const count = slots.length / 2;
  for (let slot = hash % count; slots[slot * 2 + 1] !== 0; slot = (slot + 1) % count) {
    if (slots[slot * 2] === hash) numbers.push(slots[slot * 2 + 1] ?? 0);
  }
  return numbers;
}

function putSlot(slots: Uint32Array, hash: number, number: number): void {
  const count = slots.length / 2;
  let slot = hash % count;
  while (slots[slot * 2 + 1] !== 0) slot = (slot + 1) % count;
  slots[slot * 2] = hash;
  slots[slot * 2 + 1] = number;
}

function growSlots(shelf: Shelf): void {
  const grown = new Uint32Array(shelf.slots.length * 2);
  for (let at = 0; at < shelf.slots.length; at += 2) {
    const number = shelf.slots[at + 1] ?? 0;
    if (number !== 0) putSlot(grown, shelf.slots[at] ?? 0, number);
  }
  shelf.slots = grown;
}
