/**
 * Remembers the pairs of path and value that the service has inserted since the engine started, so that a search can skip parts
 * without its pair and need not ask the engine. `DECISIONS.md` says why no entry is missed.
 *
 * While an insert is sent, its pairs are added to a filter. The engine gives each new part a block number, larger than all before, and
 * afterwards the table's directory shows which numbers belong to the insert. The name of a part says which numbers were merged into it.
 * If all of them are known, so are the part's pairs.
 */

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { choosePairBytes, measureMemory } from '../engine/memory.ts';
import { type PartName, readPartName } from '../engine/partNames.ts';
import type { Endpoint } from '../engine/requests.ts';
import { queryRows } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { localTable } from '../schema/schema.ts';
import { PairFilter } from './pairFilter.ts';
import { addPairs } from './pairReading.ts';

/** Consecutive block numbers. The filters contain every pair that was inserted under them, whatever the partition. */
type Span = { firstBlock: number; lastBlock: number; filters: readonly PairFilter[] };

type WatchedInsert = {
  /** Returns the same blocks, after adding their pairs to a filter. */
  read(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /** Finds the block numbers of the insert. Call it once the insert has succeeded, and before the next one begins. Never rejects. */
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
  filterBytesMax: 1024 ** 2, // larger ones exceed a processor's cache, and adding a pair then takes twice as long
  bytesMax: choosePairBytes(measureMemory()),
  spansMax: 1_000, // few are needed unless other programs insert, too
};

export class InsertedPairs {
  readonly #access: EngineAccess;
  readonly #limits: InsertedPairsLimits;
  /** The engine that gave the block numbers: a restarted one may give some of them again. */
  #endpoint: Endpoint | null = null;
  #directory: string | null = null;
  /** In ascending order. Other programs inserted under the numbers between them, or nobody did. */
  #spans: Span[] = [];
  /** The oldest first; pairs are added to the last one. */
  #filters: PairFilter[] = [];

  constructor(access: EngineAccess, limits: InsertedPairsLimits = usualLimits) {
    this.#access = access;
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#filters.reduce((sum, filter) => sum + filter.bytes, 0);
  }

  /** Call it before each insert. Returns null if the directory cannot be read; the parts of the insert then stay unknown. */
  async watch(): Promise<WatchedInsert | null> {
    try {
      this.#forgetOldest();
      const directory = await this.#findDirectory();
      return directory === null ? null : await this.#watch(directory);
    } catch {
      return null; // a search then asks the engine
    }
  }

  /** Returns false if the part certainly contains none of the pairs. */
  mayContain(part: { name: string }, hashes: readonly number[]): boolean {
    const filters = this.#findFilters(part);
    return filters === null || filters.some(filter => hashes.some(hash => filter.has(hash)));
  }

  isKnown(part: { name: string }): boolean {
    return this.#findFilters(part) !== null;
  }

  async #findDirectory(): Promise<string | null> {
    const endpoint = this.#access.endpoint();
    if (endpoint !== this.#endpoint) {
      this.#endpoint = endpoint;
      this.#directory = null;
      this.#spans = [];
      this.#filters = [];
    }
    if (endpoint === null || this.#directory !== null) return this.#directory;
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
        if (entries === rows && endpoint === this.#access.endpoint()) this.#remember(parts, [...filters]);
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

  #remember(parts: readonly NewPart[], filters: readonly PairFilter[]): void {
    const [filter, ...others] = filters;
    for (const { block } of parts) {
      const latest = this.#spans.at(-1);
      const isSame = others.length === 0 && latest?.filters.length === 1 && latest.filters[0] === filter;
      if (isSame && latest.lastBlock === block - 1) latest.lastBlock = block;
      else this.#spans.push({ firstBlock: block, lastBlock: block, filters });
    }
  }

  /** Makes room for one more filter. */
  #forgetOldest(): void {
    const { filterBytesMax, bytesMax, spansMax } = this.#limits;
    const dropped = new Set<PairFilter>();
    while (this.bytes + filterBytesMax > bytesMax && this.#filters.length > 0)
      dropped.add(this.#filters.shift()!);
    if (dropped.size > 0)
      this.#spans = this.#spans.filter(({ filters }) => !filters.some(filter => dropped.has(filter)));
    if (this.#spans.length > spansMax) this.#spans = this.#spans.slice(-Math.floor(spansMax / 2));
  }

  /** Returns filters that contain every pair of the part; null if some of its block numbers are unknown. */
  #findFilters({ name }: { name: string }): readonly PairFilter[] | null {
    const part = this.#endpoint === this.#access.endpoint() ? readPartName(name) : null;
    // A deletion or alteration may have changed the entries themselves.
    if (part === null || part.change > 0) return null;
    const found = new Set<PairFilter>();
    const first = this.#spans.findLastIndex(({ firstBlock }) => firstBlock <= part.firstBlock);
    let next = part.firstBlock;
    for (let index = first; next <= part.lastBlock; index++) {
      const span = this.#spans[index];
      if (span === undefined || span.firstBlock > next || span.lastBlock < next) return null;
      for (const filter of span.filters) found.add(filter);
      next = span.lastBlock + 1;
    }
    return [...found];
  }
}

type NewPart = { block: number; entries: number };

async function listPartNames(directory: string): Promise<PartName[]> {
  return (await readdir(directory)).map(readPartName).filter(name => name !== null);
}

/** Reads the parts that were inserted after the block, in its order. The engine keeps them for a while after it merged them. */
async function readNewParts(directory: string, lastBlock: number): Promise<NewPart[]> {
  const names = await listPartNames(directory);
  const inserted = names.filter(
    ({ firstBlock, level, change }) => firstBlock > lastBlock && level === 0 && change === 0,
  );
  inserted.sort((one, other) => one.firstBlock - other.firstBlock);
  return Promise.all(
    inserted.map(async ({ name, firstBlock }) => {
      const count = await readFile(path.join(directory, name, 'count.txt'), 'utf8');
      return { block: firstBlock, entries: Number(count) };
    }),
  );
}
