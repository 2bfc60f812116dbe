/**
 * Remembers what the service has inserted since the engine started: the pairs of path and value, and the letters within identifiers. So a
 * search can skip parts that lack what it looks for, and need not ask the engine. `DECISIONS.md` says why no entry is missed.
 *
 * While an insert is sent, its texts are added to a set. The engine gives each new part a block number, larger than all before, and
 * afterwards the table's directory shows which numbers belong to the insert. The name of a part says which numbers were merged into it.
 * If all of them are known, so are the part's texts.
 */

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { chooseKnownTextBytes, measureMemory } from '../engine/memory.ts';
import { type PartName, readPartName } from '../engine/partNames.ts';
import type { Endpoint } from '../engine/requests.ts';
import { queryRows } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { localTable } from '../schema/schema.ts';
import { addTexts, type TextSet } from './blockReading.ts';
import { LetterGrams, letterBytes } from './letterGrams.ts';
import { PairFilter } from './pairFilter.ts';

/** Consecutive block numbers. The sets contain every text that was inserted under them, whatever the partition. */
type Span = { firstBlock: number; lastBlock: number; sets: readonly TextSet[] };

type WatchedInsert = {
  /** Returns the same blocks, after adding their texts to a set. */
  read(blocks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  /** Finds the block numbers of the insert. Call it once the insert has succeeded, and before the next one begins. Never rejects. */
  finish(): Promise<void>;
};

export type InsertedTextsLimits = {
  filterBytesMin: number;
  filterBytesMax: number;
  bytesMax: number;
  spansMax: number;
};

const usualLimits: InsertedTextsLimits = {
  filterBytesMin: 64 * 1024,
  filterBytesMax: 1024 ** 2, // larger ones exceed a processor's cache, and adding a pair then takes twice as long
  bytesMax: chooseKnownTextBytes(measureMemory()),
  spansMax: 1_000, // few are needed unless other programs insert, too
};

export class InsertedTexts {
  readonly #access: EngineAccess;
  readonly #limits: InsertedTextsLimits;
  /** The engine that gave the block numbers: a restarted one may give some of them again. A running one does not (`keptTable`). */
  #endpoint: Endpoint | null = null;
  #directory: string | null = null;
  /** In ascending order. Other programs inserted under the numbers between them, or nobody did. */
  #spans: Span[] = [];
  /** The oldest first; texts are added to the last one. */
  #sets: TextSet[] = [];

  constructor(access: EngineAccess, limits: InsertedTextsLimits = usualLimits) {
    this.#access = access;
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#sets.reduce((sum, { pairs }) => sum + pairs.bytes + letterBytes, 0);
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
  mayContainPairs(part: { name: string }, hashes: readonly number[]): boolean {
    const sets = this.#findSets(part);
    return sets === null || sets.some(({ pairs }) => hashes.some(hash => pairs.has(hash)));
  }

  /** Returns false if certainly no identifier and no `parentId` in the part has these lower-case ASCII letters. */
  mayContainLetters(part: { name: string }, letters: string): boolean {
    const sets = this.#findSets(part);
    return sets === null || sets.some(set => set.letters.mayContain(letters));
  }

  isKnown(part: { name: string }): boolean {
    return this.#findSets(part) !== null;
  }

  async #findDirectory(): Promise<string | null> {
    const endpoint = this.#access.endpoint();
    if (endpoint !== this.#endpoint) {
      this.#endpoint = endpoint;
      this.#directory = null;
      this.#spans = [];
      this.#sets = [];
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
    const sets = new Set<TextSet>();
    let rows = 0;
    const read = async function* (this: InsertedTexts, blocks: AsyncIterable<Buffer>) {
      for await (const block of blocks) {
        const set = this.#openSet();
        sets.add(set);
        const added = await addTexts(block, set);
        rows += added;
        yield block;
      }
    };
    return {
      read: blocks => read.call(this, blocks),
      finish: async () => {
        const parts = await readNewParts(directory, lastBlock).catch(() => []);
        const entries = parts.reduce((sum, part) => sum + part.entries, 0);
        // Otherwise another program has inserted something, too.
        if (entries === rows && endpoint === this.#access.endpoint()) this.#remember(parts, [...sets]);
      },
    };
  }

  #openSet(): TextSet {
    const { filterBytesMin, filterBytesMax } = this.#limits;
    const latest = this.#sets.at(-1);
    if (latest !== undefined && !latest.pairs.isFull) return latest;
    const filterBytes = Math.min((latest?.pairs.bytes ?? filterBytesMin / 2) * 2, filterBytesMax);
    const set = { pairs: new PairFilter(filterBytes), letters: new LetterGrams() };
    this.#sets.push(set);
    return set;
  }

  #remember(parts: readonly NewPart[], sets: readonly TextSet[]): void {
    const [set, ...others] = sets;
    for (const { block } of parts) {
      const latest = this.#spans.at(-1);
      const isSame = others.length === 0 && latest?.sets.length === 1 && latest.sets[0] === set;
      if (isSame && latest.lastBlock === block - 1) latest.lastBlock = block;
      else this.#spans.push({ firstBlock: block, lastBlock: block, sets });
    }
  }

  /** Makes room for one more set. */
  #forgetOldest(): void {
    const { filterBytesMax, bytesMax, spansMax } = this.#limits;
    const dropped = new Set<TextSet>();
    while (this.bytes + filterBytesMax + letterBytes > bytesMax && this.#sets.length > 0)
      dropped.add(this.#sets.shift()!);
    if (dropped.size > 0) this.#spans = this.#spans.filter(({ sets }) => !sets.some(set => dropped.has(set)));
    if (this.#spans.length > spansMax) this.#spans = this.#spans.slice(-Math.floor(spansMax / 2));
  }

  /** Returns sets that contain every text of the part; null if some of its block numbers are unknown. */
  #findSets({ name }: { name: string }): readonly TextSet[] | null {
    const part = this.#endpoint === this.#access.endpoint() ? readPartName(name) : null;
    // A deletion or alteration may have changed the entries themselves.
    if (part === null || part.change > 0) return null;
    const found = new Set<TextSet>();
    const first = this.#spans.findLastIndex(({ firstBlock }) => firstBlock <= part.firstBlock);
    let next = part.firstBlock;
    for (let index = first; next <= part.lastBlock; index++) {
      const span = this.#spans[index];
      if (span === undefined || span.firstBlock > next || span.lastBlock < next) return null;
      for (const set of span.sets) found.add(set);
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
