/**
 * Tells which parts lack a pair of path and value, or letters within identifiers, so that a query for those skips them. Otherwise the engine reads
 * one filter per granule. What the service itself has inserted is known (`insertedTexts.ts`). Of other large parts, such as those from before a
 * start, a background task makes summaries once they have rested, and only after a query has asked. A summary has false positives, but no false
 * negatives. Summaries live only in memory.
 */

import { chooseKnownTextBytes, measureMemory } from '../writer/engine/memory.ts';
import { Binder, type Statement } from '../writer/engine/statements.ts';
import type { InsertedTexts } from '../writer/inserted/insertedTexts.ts';
import { gramLetters, LetterGrams, letterBytes, placeText } from '../writer/inserted/letterGrams.ts';
import { formatPairHash } from '../writer/inserted/pairHash.ts';
import { indexedTexts, localTable } from '../writer/schema/schema.ts';
import type { ListedPart } from './partList.ts';
import { unmergedName } from './parts.ts';
import { queryTexts, type Runner } from './queryRunner.ts';

/** A Bloom filter of pairs: 64-bit words in blocks. */
type Pairs = { blocks: ReadonlyMap<number, Buffer>; words: number };

/** null: the part gets no summary. */
type Summary = { pairs: Pairs; letters: LetterGrams } | null;

export type SummaryLimits = {
  /** Smaller parts have few filters to read. */
  entriesMin: number;
  /** Younger parts are likely to be merged soon. */
  restSeconds: number;
  /** For all summaries, and for what was noted during inserts. */
  bytesMax: number;
};

const usualLimits: SummaryLimits = {
  entriesMin: 1_000_000,
  restSeconds: 60,
  bytesMax: chooseKnownTextBytes(measureMemory()),
};

const bitsOfEntry = 10;
const wordBytes = 8;
const blockWords = 65_536; // per result row: the main thread decodes one in a few milliseconds
const shifts = [40, 46, 52, 58]; // of the hash; each gives a bit in the word that the hash chooses
const spreading = 0x9e3779b97f4a7c15n; // an odd number without a pattern
const pairHashes = `arrayMap((path, value) -> toUInt64(${formatPairHash('path', 'value')}), mapKeys(metadata), mapValues(metadata))`;
const freshSeconds = 10;
const freshEntriesMax = 20_000; // inserted in that time; with more, the intake needs the processor

export class PartSummaries {
  readonly #runner: Runner;
  readonly #inserted: InsertedTexts | null;
  readonly #limits: SummaryLimits;
  readonly #known = new Map<string, Summary>();
  #making: { key: string; abort: AbortController; ended: Promise<void> } | null = null;

  constructor(runner: Runner, inserted: InsertedTexts | null, limits: SummaryLimits = usualLimits) {
    this.#runner = runner;
    this.#inserted = inserted;
    this.#limits = limits;
  }

  /** Resolves when the current summary is done. */
  async waitUntilLoaded(): Promise<void> {
    await this.#making?.ended;
  }

  get #bytes(): number {
    const ofInserted = this.#inserted?.bytes ?? 0;
    return (
      ofInserted +
      [...this.#known.values()].reduce(
        (sum, summary) => sum + (summary ? measure(summary.pairs.words) : 0),
        0,
      )
    );
  }

  /** Returns false if the part certainly contains no pair with one of the hashes (`hashPair`). */
  mayContainPairs(part: ListedPart, hashes: readonly number[]): boolean {
    if (this.#inserted?.mayContainPairs(part, hashes) === false) return false;
    const summary = this.#known.get(part.key);
    return !summary || hashes.some(hash => isIn(summary.pairs, spread(hash)));
  }

  /** Returns false if certainly no identifier and no `parentId` in the part has these lower-case ASCII letters. */
  mayContainLetters(part: ListedPart, letters: string): boolean {
    if (this.#inserted?.mayContainLetters(part, letters) === false) return false;
    return this.#known.get(part.key)?.letters.mayContain(letters) ?? true;
  }

  /** Forgets parts that are gone, and starts the next summary in the background. */
  follow(parts: readonly ListedPart[]): void {
    const keys = new Set(parts.map(({ key }) => key));
    for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
    const isBusy = countFresh(parts) > freshEntriesMax;
    if (this.#making !== null) {
      if (isBusy || !keys.has(this.#making.key)) this.#making.abort.abort();
      return;
    }
    const next = isBusy ? undefined : this.#findNext(parts);
    if (next !== undefined) this.#begin(next);
  }

  /** Finds the largest part, which saves most. */
  #findNext(parts: readonly ListedPart[]): ListedPart | undefined {
    const { entriesMin, restSeconds, bytesMax } = this.#limits;
    const room = bytesMax - this.#bytes;
    const due = parts.filter(
      ({ name, key, entries, ageSeconds }) =>
        entries >= entriesMin &&
        ageSeconds >= restSeconds &&
        !unmergedName.test(name) &&
        !this.#known.has(key) &&
        measure(countWords(entries)) <= room,
    );
    due.sort((one, other) => other.entries - one.entries);
    return due.find(part => !this.#inserted?.isKnown(part));
  }

  #begin(part: ListedPart): void {
    const abort = new AbortController();
    const ended = this.#make(part, abort.signal)
      .then(summary => {
        this.#known.set(part.key, summary);
      })
      .catch(() => {
        // Interrupted summaries are made later. Failed ones are not retried: queries work without them.
        if (!abort.signal.aborted) this.#known.set(part.key, null);
      })
      .finally(() => {
        this.#making = null;
      });
    this.#making = { key: part.key, abort, ended };
  }

  async #make({ name, entries }: ListedPart, signal: AbortSignal): Promise<Summary> {
    const words = countWords(entries);
    const blocks = new Map<number, Buffer>();
    for await (const [block, text] of this.#ask<[number, string]>(composePairs(name, words), signal)) {
      const bytes = Buffer.from(text, 'hex');
      if (bytes.length !== blockWords * wordBytes) throw new Error(`Block ${block} of ${name} is cut`);
      blocks.set(block, bytes);
    }
    const letters = new LetterGrams();
    let read = 0;
    for await (const [text, rows] of this.#ask<[string, number]>(composeLetters(name), signal)) {
      letters.addLetters(placeText(text));
      read += rows;
    }
    signal.throwIfAborted();
    return read === 0 ? null : { pairs: { blocks, words }, letters }; // otherwise the part was merged meanwhile
  }

  async *#ask<Row>(statement: Statement, signal: AbortSignal): AsyncGenerator<Row> {
    const options = { weight: 'catchUp', signal } as const;
    for await (const lines of queryTexts(this.#runner, options, { ...statement, settings: makingSettings }))
      for (const line of lines) yield JSON.parse(line) as Row; // matches the SELECT
  }
}

/** Merges and queries have priority. */
const makingSettings = { max_threads: 1, os_threads_nice_value_query: 19 };

function composePairs(name: string, words: number): Statement {
  const binder = new Binder();
  const mask = shifts
    .map(shift => `bitShiftLeft(toUInt64(1), bitAnd(bitShiftRight(hash, ${shift}), 63))`)
    .reduce((one, other) => `bitOr(${one}, ${other})`);
  const bits = `groupBitOrResample(0, ${blockWords}, 1)(mask, toUInt32(word % ${blockWords}))`;
  const sql = `SELECT intDiv(word, ${blockWords}) AS block,
      arrayStringConcat(arrayMap(bit -> leftPad(hex(bit), ${2 * wordBytes}, '0'), ${bits}))
    FROM (SELECT hash % ${words} AS word, ${mask} AS mask
      FROM (SELECT toUInt64(arrayJoin(${pairHashes}) * ${spreading}) AS hash FROM ${localTable} WHERE _part = ${binder.bind('String', name)}))
    GROUP BY block`;
  return { sql, parameters: binder.parameters };
}

/** Selects the grams of letters, and the number of entries. */
function composeLetters(name: string): Statement {
  const binder = new Binder();
  const runs = `extractAll(${indexedTexts.tokens}, '[a-z]{${gramLetters},}')`;
  const gramsOfEntry = `arrayFlatten(arrayMap(run -> ngrams(run, ${gramLetters}), ${runs}))`;
  const sql = `SELECT arrayStringConcat(groupUniqArrayArray(${gramsOfEntry}), ' '), count()
    FROM ${localTable} WHERE _part = ${binder.bind('String', name)}`;
  return { sql, parameters: binder.parameters };
}

/** Makes 64 bits of a hash, as the statement does. */
const spread = (hash: number) => BigInt.asUintN(64, BigInt(hash) * spreading);

function isIn({ blocks, words }: Pairs, hash: bigint): boolean {
  const word = Number(hash % BigInt(words));
  const block = blocks.get(Math.floor(word / blockWords));
  if (block === undefined) return true;
  const bits = block.readBigUInt64BE((word % blockWords) * wordBytes);
  return shifts.every(shift => ((bits >> ((hash >> BigInt(shift)) & 63n)) & 1n) === 1n);
}

/** Returns the memory of a summary. */
const measure = (words: number) => words * wordBytes + letterBytes;

/** Rounds up to whole blocks. */
function countWords(entries: number): number {
  return Math.ceil((entries * bitsOfEntry) / (8 * wordBytes * blockWords)) * blockWords;
}

function countFresh(parts: readonly ListedPart[]): number {
  return parts
    .filter(({ name, ageSeconds }) => unmergedName.test(name) && ageSeconds < freshSeconds)
    .reduce((sum, { entries }) => sum + entries, 0);
}
