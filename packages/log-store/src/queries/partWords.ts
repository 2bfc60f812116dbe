/**
 * Caches the words of merged parts, from the dictionaries of their indexes. A search skips statements that no part can
 * match, because the engine takes longer to plan one than to find nothing. Parts never change, so the cache stays valid.
 * `partSummaries.ts` does the same for values of fields and for identifiers. If the words of a part are unknown or too many, the search asks the engine.
 */

import type { LogFilter } from '@tapedeck/log-entries';
import { Binder } from '../writer/engine/statements.ts';
import type { EngineAccess } from '../writer/engine/supervision.ts';
import type { InsertedTexts } from '../writer/inserted/insertedTexts.ts';
import { hashPair } from '../writer/inserted/pairHash.ts';
import { database, localTable, wordIndexes } from '../writer/schema/schema.ts';
import { canUseWords } from './conditions.ts';
import type { KnownWords, LetterPlace, WordColumn } from './knownWords.ts';
import { listPairs, requiresLetters } from './partConditions.ts';
import { type ListedPart, PartList } from './partList.ts';
import { PartSummaries, type SummaryLimits } from './partSummaries.ts';
import { partsBoundMax, unmergedName } from './parts.ts';
import { type Runner, runQuery } from './queryRunner.ts';

/** Finds known words for the query; null if they would not help. */
export async function findWords(
  words: PartWords | null,
  filter: LogFilter,
  signal: AbortSignal,
): Promise<KnownWords | null> {
  if (words === null) return null;
  const pairs = listPairs(filter.condition);
  const asksWords = canUseWords(filter);
  const asksLetters = asksWords || requiresLetters(filter.condition);
  return pairs.length > 0 || asksLetters ? words.look(signal, { pairs, asksLetters, asksWords }) : null;
}

/** All words of a column as one text; null: too many, or no index. */
type Words = Readonly<Record<WordColumn, string | null>>;

type Named = Pick<ListedPart, 'name' | 'key'>;

type WordOptions = { inserted?: InsertedTexts | null; limits?: SummaryLimits };

type Question = { pairs: readonly string[]; asksLetters: boolean; asksWords: boolean };

const wordsMax = 50_000; // per column of a part
const charactersMax = 4_000_000; // for all parts: searching them takes a few milliseconds
const lookUpsMax = 8; // in words, per query: four words
const partsAtOnce = 20;

export class PartWords {
  readonly #runner: Runner;
  #known = new Map<string, Words>();
  #loading: Promise<void> | null = null;
  readonly #summaries: PartSummaries;
  readonly #list: PartList;

  /** `shard` must be the only server, and only this process may insert into it. */
  constructor(runner: Runner, shard: EngineAccess, { inserted = null, limits }: WordOptions = {}) {
    this.#runner = { ...runner, access: shard };
    this.#summaries = new PartSummaries(this.#runner, inserted, limits);
    this.#list = new PartList(runner, shard);
  }

  /** Resolves when nothing is loading. */
  async waitUntilLoaded(): Promise<void> {
    await Promise.all([this.#loading, this.#summaries.waitUntilLoaded()]);
  }

  async look(
    signal: AbortSignal,
    { pairs, asksLetters, asksWords }: Question = onlyWords,
  ): Promise<KnownWords> {
    const parts = await this.#list.list(signal);
    const hashes = new Map(pairs.map(pair => [pair, hashPair(pair)]));
    const merged = parts.filter(({ name }) => !unmergedName.test(name));
    // Unmerged parts have no known words, and may be merged before the statement runs.
    const known = parts.map(({ key }) => this.#known.get(key) ?? unknown);
    if (asksWords) this.#follow(merged);
    const listWithoutPairs = (wantedPairs: readonly string[]) => {
      const wanted = wantedPairs.map(pair => hashes.get(pair) ?? null).filter(hash => hash !== null);
      const isKnown = wanted.length === wantedPairs.length;
      const lacking = isKnown ? parts.filter(part => !this.#summaries.mayContainPairs(part, wanted)) : [];
      return lacking.slice(0, partsBoundMax).map(({ name }) => name);
    };
    const listWithoutLetters = (letters: readonly string[]) => {
      const lacking = parts.filter(part =>
        letters.some(run => !this.#summaries.mayContainLetters(part, run)),
      );
      return lacking.slice(0, partsBoundMax).map(({ name }) => name);
    };
    if (pairs.length > 0 || asksLetters) this.#summaries.follow(parts);
    const lookedUp = new Map<string, boolean>();
    const lookUp = (place: LetterPlace, letters: string) => {
      if (place === 'tokens') return parts.some(part => this.#summaries.mayContainLetters(part, letters));
      const key = `${place} ${letters}`;
      const earlier = lookedUp.get(key);
      if (earlier !== undefined || lookedUp.size >= lookUpsMax) return earlier ?? true;
      const mayHold = known.some(words => words[place]?.includes(letters) ?? true);
      lookedUp.set(key, mayHold);
      return mayHold;
    };
    return {
      areMerged: merged.length === parts.length,
      parts: parts.length,
      listWithoutPairs,
      listWithoutLetters,
      mayHold: lookUp,
    };
  }

  /** Loads words in the background. Does not retry failures, such as too little memory: every query would pay for it. */
  #follow(parts: readonly Named[]): void {
    const unread = parts.filter(({ key }) => !this.#known.has(key));
    if (unread.length === 0 || this.#loading !== null) return;
    this.#known = new Map(parts.flatMap(({ key }) => listKnown(key, this.#known.get(key))));
    const next = unread.slice(0, partsAtOnce);
    this.#loading = this.#load(next)
      .catch(() => {
        for (const { key } of next) this.#known.set(key, unknown); // searches go on without cached words
      })
      .finally(() => {
        this.#loading = null;
      });
  }

  async #load(parts: readonly Named[]): Promise<void> {
    const [body, rest] = await Promise.all([this.#read('bodyWords', parts), this.#read('restWords', parts)]);
    for (const { name, key } of parts) {
      const words = { bodyWords: body.get(name) ?? null, restWords: rest.get(name) ?? null };
      this.#known.set(key, this.#hasRoomFor(words) ? words : unknown);
    }
  }

  async #read(column: WordColumn, parts: readonly Named[]): Promise<Map<string, string | null>> {
    const binder = new Binder();
    const names = binder.bindWords(parts.map(({ name }) => name));
    const table = localTable.slice(database.length + 1);
    const sql = `SELECT part_name, isTooMuch, if(isTooMuch, '', arrayStringConcat(words, '\\n'))
      FROM (SELECT part_name, count() > ${wordsMax} OR sum(length(token)) > ${charactersMax} AS isTooMuch,
          groupArray(${wordsMax})(token) AS words
        FROM mergeTreeTextIndex('${database}', '${table}', '${wordIndexes[column]}')
        WHERE part_name IN ${names} GROUP BY part_name)`;
    const statement = { sql, parameters: binder.parameters };
    const noDeadline = new AbortController().signal; // no caller waits for it
    const rows = await runQuery(this.#runner, { weight: 'catchUp', signal: noDeadline }, statement);
    // Matches the SELECT.
    return new Map(
      (rows as [string, 0 | 1, string][]).map(([name, isTooMuch, text]) => [name, isTooMuch ? null : text]),
    );
  }

  #hasRoomFor(words: Words): boolean {
    let characters = countCharacters(words);
    for (const other of this.#known.values()) characters += countCharacters(other);
    return characters <= charactersMax;
  }
}

const onlyWords: Question = { pairs: [], asksLetters: true, asksWords: true };

const unknown: Words = { bodyWords: null, restWords: null };

function listKnown(key: string, words: Words | undefined): [string, Words][] {
  return words === undefined ? [] : [[key, words]];
}

function countCharacters({ bodyWords, restWords }: Words): number {
  return (bodyWords?.length ?? 0) + (restWords?.length ?? 0);
}
