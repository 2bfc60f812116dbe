/**
 * Caches results until the table's parts change. Repeating a query costs a look at the names of the parts. A result is valid while exactly
 * the parts exist that it was read from. A part that exists at a look before the query and at the repetition also existed in between.
 * `PartsVersion` detects parts that came and went meanwhile.
 */

import { createHash } from 'node:crypto';
import { keyOfQuestion } from '@tapedeck/log-query-language';
import type { EngineAccess } from '../writer/engine/supervision.ts';
import type { LogArrivals, LogQueries } from './logQueries.ts';
import { listParts } from './parts.ts';
import type { Runner } from './queryRunner.ts';
import { type PartsLook, rememberPieces } from './windowPieces.ts';

type Queries = LogQueries & LogArrivals;

const charactersMax = 2_000_000; // for all results together
const answerCharactersMax = 64 * 1024;
const pageEntriesMax = 100; // measuring longer pages would delay other queries

/** Caches queries that read many entries or that clients repeat often. */
export function cacheResults(queries: Queries, watch: PartsVersion): Queries {
  const findAgain = remember(queries.findEntries, watch);
  const findCountedAgain = remember(queries.findCountedEntries, watch);
  return {
    ...queries,
    findEntries: (filter, page, signal) =>
      (page.limit > pageEntriesMax ? queries.findEntries : findAgain)(filter, page, signal),
    findCountedEntries: (filter, page, signal) =>
      (page.limit > pageEntriesMax ? queries.findCountedEntries : findCountedAgain)(filter, page, signal),
    countEntries: remember(queries.countEntries, watch),
    findTimeRange: remember(queries.findTimeRange, watch),
    countByTime: remember(queries.countByTime, watch),
    countValues: remember(queries.countValues, watch),
    compareSpans: remember(queries.compareSpans, watch),
    findFields: remember(queries.findFields, watch),
    findSeries: remember(queries.findSeries, watch),
    findWindows: remember(rememberPieces(queries.findWindows, watch), watch),
    findPatterns: remember(queries.findPatterns, watch),
    findFirstPatterns: remember(queries.findFirstPatterns, watch),
    findProfile: remember(queries.findProfile, watch),
    listDatasets: remember(queries.listDatasets, watch),
    countByDay: remember(queries.countByDay, watch),
  };
}

type Question<Args extends unknown[], Answer> = (...args: [...Args, AbortSignal]) => Promise<Answer>;

function remember<Args extends unknown[], Answer>(
  ask: Question<Args, Answer>,
  watch: PartsVersion,
): Question<Args, Answer> {
  const answers = new StandingAnswers<Answer>(watch);
  return async (...args) => {
    const signal = args.at(-1) as AbortSignal; // the signal is always last
    signal.throwIfAborted();
    return answers.recall(args.slice(0, -1), () => ask(...args));
  };
}

type Known<Answer> = { parts: string; answer: Answer; characters: number };

class StandingAnswers<Answer> {
  readonly #watch: PartsVersion;
  /** Results by query, the latest last. */
  readonly #known = new Map<string, Known<Answer>>();
  #characters = 0;

  constructor(watch: PartsVersion) {
    this.#watch = watch;
  }

  /** Callers share the result, so they must not change it. */
  async recall(request: unknown, ask: () => Promise<Answer>): Promise<Answer> {
    const watch = this.#watch;
    if (watch.isRestless) return ask();
    const question = keyOfQuestion(request);
    const known = this.#known.get(question);
    if (known !== undefined) {
      const isStanding = (await watch.look()) === known.parts;
      this.#forget(question);
      if (isStanding) {
        this.#keep(question, known);
        return known.answer;
      }
    }
    const parts = watch.latest;
    if (parts === null) watch.look().catch(() => {}); // for later queries; this query fails by itself
    const answer = await ask();
    if (parts !== null) this.#remember(question, answer, parts);
    return answer;
  }

  #remember(question: string, answer: Answer, parts: string): void {
    const characters = question.length + measureCharacters(answer, answerCharactersMax);
    if (characters > answerCharactersMax) return;
    this.#forget(question);
    this.#keep(question, { parts, answer, characters });
    for (const oldest of this.#known.keys()) {
      if (this.#characters <= charactersMax) break;
      this.#forget(oldest);
    }
  }

  #keep(question: string, known: Known<Answer>): void {
    this.#known.set(question, known);
    this.#characters += known.characters;
  }

  #forget(question: string): void {
    this.#characters -= this.#known.get(question)?.characters ?? 0;
    this.#known.delete(question);
  }
}

/** Estimates the characters of the value as JSON. Stops beyond the limit, because writing a large result would block other requests. */
function measureCharacters(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  const isList = Array.isArray(value);
  const items: Iterable<unknown> = isList ? value : Object.values(value);
  const names = isList ? [] : Object.keys(value);
  let characters = names.reduce((sum, name) => sum + name.length + 3, 2);
  for (const item of items) {
    characters += measureCharacters(item, most - characters) + 1;
    if (characters > most) break;
  }
  return characters;
}

type PartsWatchDeps = {
  runner: Runner;
  shard: EngineAccess;
  /** Grows with every insert of this process. A part that came and went between two looks leaves no other trace. */
  countInserted(): number;
  /** Whether entries may be visible that are not counted yet. */
  isInserting(): boolean;
};

/**
 * The maximum age of the look before a query. Only a restore inserts from another process without being counted. It takes
 * longer than this, so none of its parts come and go between the look and the query.
 */
const freshMs = 5_000;
const changesApartMs = 5_000; // without inserts, merges are rarer
const restlessMs = 2_000;

export class PartsVersion {
  readonly #deps: PartsWatchDeps;
  #latest: string | null = null;
  #latestLook: PartsLook | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #next: Promise<string> | null = null;
  #changedAt = Number.NEGATIVE_INFINITY;
  #restlessUntil = Number.NEGATIVE_INFINITY;

  constructor(deps: PartsWatchDeps) {
    this.#deps = deps;
  }

  /** The hash of the parts at the last look; null if that was too long ago. */
  get latest(): string | null {
    return performance.now() - this.#lookedAt < freshMs ? this.#latest : null;
  }

  /** null if the last look was too long ago. */
  get latestLook(): PartsLook | null {
    return this.latest === null ? null : this.#latestLook;
  }

  /** null while entries may be visible that are not counted yet. */
  countInserted(): number | null {
    const { countInserted, isInserting } = this.#deps;
    return isInserting() ? null : countInserted();
  }

  get isRestless(): boolean {
    return performance.now() < this.#restlessUntil;
  }

  /** Resolves to a hash of the parts that exist after the call. Concurrent callers share a look. */
  look(): Promise<string> {
    this.#next ??= Promise.resolve().then(() => {
      this.#next = null;
      return this.#look();
    });
    return this.#next;
  }

  async #look(): Promise<string> {
    const { runner, shard, countInserted } = this.#deps;
    const lookedAt = performance.now();
    const inserted = countInserted();
    const settled = this.countInserted();
    const noDeadline = new AbortController().signal; // a caller that leaves must not cancel the shared look
    const parts = await listParts(runner, shard, noDeadline);
    const hash = createHash('sha256').update(`${inserted}`);
    for (const { key } of parts) hash.update(`\n${key}`);
    const standing = hash.digest('base64');
    if (this.#latest !== null && this.#latest !== standing) this.#recordChange();
    this.#latest = standing;
    this.#latestLook = { parts, inserted: settled };
    this.#lookedAt = lookedAt;
    return standing;
  }

  #recordChange(): void {
    const now = performance.now();
    if (now - this.#changedAt < changesApartMs) this.#restlessUntil = now + restlessMs;
    this.#changedAt = now;
  }
}
