/**
 * Knows which pairs of path and value the parts hold that the service has inserted since the engine started, and those merged from
 * them. A search for a pair then leaves parts out without asking the engine. `DECISIONS.md` says why no entry is missed.
 *
 * The pairs of an insert go into a filter while its blocks are sent. Afterwards the names in the table's directory tell the new parts.
 */

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type PartName, readPartName } from '../engine/partNames.ts';
import type { Endpoint } from '../engine/requests.ts';
import { queryRows } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { localTable } from '../schema/schema.ts';
import { PairFilter } from './pairFilter.ts';
import { addPairs } from './pairReading.ts';

/** Consecutive inserts of a partition, whose pairs are all in the filters. */
type Span = { firstBlock: number; lastBlock: number; entries: number; filters: readonly PairFilter[] };

type WatchedInsert = {
  /** Passes the blocks on. */
  read(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /** Call it once the insert has succeeded, and before the next one begins. Never rejects. */
  finish(): Promise<void>;
};

export type InsertedPairsLimits = {
  filterBytesMin: number;
  filterBytesMax: number;
  bytesMax: number;
  spansMax: number;
};

const usualLimits: InsertedPairsLimits = {
  filterBytesMin: 64 * 1024,
  filterBytesMax: 4 * 1024 ** 2,
  bytesMax: 64 * 1024 ** 2, // enough for some fifty million entries, each with an identifier of its own
  spansMax: 20_000,
};

export class InsertedPairs {
  readonly #access: EngineAccess;
  readonly #limits: InsertedPairsLimits;
  /** The engine that the rest is about: a restarted one may use names of parts again. */
  #endpoint: Endpoint | null = null;
  #directory: string | null = null;
  /** By partition, in the order of their blocks. */
  #spans = new Map<string, Span[]>();
  /** The last one is being filled. */
  #filters: PairFilter[] = [];

  constructor(access: EngineAccess, limits: InsertedPairsLimits = usualLimits) {
    this.#access = access;
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#filters.reduce((sum, filter) => sum + filter.bytes, 0);
  }

  /** Prepares for the next insert; null if that is impossible, and then its parts stay unknown. */
  async watch(): Promise<WatchedInsert | null> {
    try {
      const directory = await this.#findDirectory();
      return directory === null ? null : await this.#watch(directory);
    } catch {
      return null; // the insert will fail, too, and say why
    }
  }

  /** Returns false if the part certainly holds none of the pairs. */
  mayHold(part: { name: string; entries: number }, hashes: readonly number[]): boolean {
    const span = this.#endpoint === this.#access.endpoint() ? this.#findSpan(part) : null;
    return span === null || span.filters.some(filter => hashes.some(hash => filter.has(hash)));
  }

  isKnown(part: { name: string; entries: number }): boolean {
    return this.#endpoint === this.#access.endpoint() && this.#findSpan(part) !== null;
  }

  async #findDirectory(): Promise<string | null> {
    const endpoint = this.#access.endpoint();
    if (endpoint === this.#endpoint) return this.#directory;
    this.#endpoint = endpoint;
    this.#directory = null;
    this.#spans = new Map();
    this.#filters = [];
    if (endpoint === null) return null;
    const sql = `SELECT data_paths[1] FROM system.tables WHERE concat(database, '.', name) = '${localTable}'`;
    const [row] = await queryRows(this.#access, { sql });
    const [directory] = (row ?? [null]) as [string | null]; // as selected
    if (this.#endpoint === endpoint) this.#directory = directory;
    return this.#directory;
  }

  async #watch(directory: string): Promise<WatchedInsert> {
    const before = await listPartNames(directory);
    const lastBlock = before.reduce((last, part) => Math.max(last, part.lastBlock), 0);
    const endpoint = this.#endpoint;
    const filters = new Set<PairFilter>();
    let rows = 0;
    const read = async function* (this: InsertedPairs, blocks: AsyncIterable<Buffer>) {
      for await (const block of blocks) {
        const filter = this.#openFilter();
        filters.add(filter);
        rows += addPairs(block, filter);
        yield block;
      }
    };
    return {
      read: blocks => read.call(this, blocks),
      finish: async () => {
        const parts = await readNewParts(directory, lastBlock).catch(() => []);
        const entries = parts.reduce((sum, part) => sum + part.entries, 0);
        // Otherwise another program has inserted something, too.
        if (entries === rows && endpoint === this.#access.endpoint()) this.#note(parts, [...filters]);
      },
    };
  }

  #openFilter(): PairFilter {
    const { filterBytesMin, filterBytesMax } = this.#limits;
    const latest = this.#filters.at(-1);
    if (latest !== undefined && !latest.isFull) return latest;
    const filter = new PairFilter(Math.min((latest?.bytes ?? filterBytesMin / 2) * 2, filterBytesMax));
    this.#filters.push(filter);
    return filter;
  }

  #note(parts: readonly NewPart[], filters: readonly PairFilter[]): void {
    for (const { partition, firstBlock, lastBlock, entries } of parts) {
      const spans = this.#spans.get(partition) ?? [];
      spans.push({ firstBlock, lastBlock, entries, filters });
      this.#spans.set(partition, spans);
    }
    this.#forgetOldest();
  }

  #forgetOldest(): void {
    const dropped = new Set<PairFilter>();
    while (this.bytes > this.#limits.bytesMax && this.#filters.length > 1)
      dropped.add(this.#filters.shift()!);
    const count = [...this.#spans.values()].reduce((sum, spans) => sum + spans.length, 0);
    if (dropped.size === 0 && count <= this.#limits.spansMax) return;
    for (const [partition, spans] of this.#spans) {
      const left = spans.filter(({ filters }) => !filters.some(filter => dropped.has(filter)));
      // With too many, the older half goes.
      const kept = count > this.#limits.spansMax ? left.slice(Math.ceil(left.length / 2)) : left;
      if (kept.length > 0) this.#spans.set(partition, kept);
      else this.#spans.delete(partition);
    }
  }

  /** Returns null unless the known inserts account for every entry of the part. */
  #findSpan({ name, entries }: { name: string; entries: number }): Span | null {
    const part = readPartName(name);
    // A changed part may have fewer entries than were inserted, so counting them proves nothing.
    if (part === null || part.change > 0) return null;
    const spans = this.#spans.get(part.partition) ?? [];
    const first = spans.findIndex(({ firstBlock }) => firstBlock >= part.firstBlock);
    if (first < 0) return null;
    const within = spans.slice(first).filter(({ lastBlock }) => lastBlock <= part.lastBlock);
    if (within.reduce((sum, span) => sum + span.entries, 0) !== entries) return null;
    const filters = [...new Set(within.flatMap(span => span.filters))];
    const joined = { firstBlock: part.firstBlock, lastBlock: part.lastBlock, entries, filters };
    if (within.length > 1) spans.splice(first, within.length, joined);
    return joined;
  }
}

type NewPart = PartName & { entries: number };

async function listPartNames(directory: string): Promise<PartName[]> {
  return (await readdir(directory)).map(readPartName).filter(name => name !== null);
}

/** Reads the parts that came after the block, as they were inserted: the engine keeps them for a while after it merged them. */
async function readNewParts(directory: string, lastBlock: number): Promise<NewPart[]> {
  const names = await listPartNames(directory);
  const inserted = names.filter(
    ({ firstBlock, level, change }) => firstBlock > lastBlock && level === 0 && change === 0,
  );
  inserted.sort((one, other) => one.firstBlock - other.firstBlock);
  return Promise.all(
    inserted.map(async part => {
      const count = await readFile(path.join(directory, part.name, 'count.txt'), 'utf8');
      return { ...part, entries: Number(count) };
    }),
  );
}
