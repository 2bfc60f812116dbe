/** Caches pages read for one follower, for others that soon reach the same position. */

import { compareArrivals, type FilterMatcher, type MatchableArrival } from '@tapedeck/log-entries';
import { compileTemplate, findTemplate } from '@tapedeck/log-patterns';
import { MatchableEntry, type QueriedEntry } from '@tapedeck/log-query-language';
import type { Arrival, ArrivedEntry, FoundArrivals } from '../../ports/logQueries.ts';

/** Entries in order, and the position up to which they are complete. */
export type Matches = { arrived: readonly ArrivedEntry[]; upTo: Arrival };

const pageBytesMin = 32 * 1024; // the least that a page counts as, so that pages stay few
const keyBytes = 64;
const portionEntriesMax = 128; // slightly more than a connection takes at once

/** All entries after `after`, up to and including `upTo`, that match one of the page's filters; it may contain others too. */
export class Page {
  readonly after: Arrival;
  readonly upTo: Arrival;
  readonly filterKeys: ReadonlySet<string>;
  readonly bytes: number;
  readonly #judged: readonly MatchableArrival[];

  constructor(filterKeys: ReadonlySet<string>, after: Arrival, found: FoundArrivals) {
    this.filterKeys = filterKeys;
    this.after = after;
    this.upTo = found.upTo;
    this.bytes = Math.max(found.bytes + filterKeys.size * keyBytes, pageBytesMin);
    this.#judged = found.arrived.map(arrived => ({
      arrived,
      judged: new MatchableEntry(arrived.entry, fitsTemplate),
    }));
  }

  holds(filterKey: string, position: Arrival): boolean {
    return (
      compareArrivals(this.after, position) <= 0 &&
      compareArrivals(position, this.upTo) < 0 &&
      this.filterKeys.has(filterKey)
    );
  }

  /** The identities of its entries. */
  *listTraceIds(): Generator<string> {
    for (const { arrived } of this.#judged) yield arrived.arrival.traceId;
  }

  matchAll(judge: FilterMatcher): Matches {
    const matches = this.#judged.filter(judge);
    return { arrived: matches.map(({ arrived }) => arrived), upTo: this.upTo };
  }

  /** Yields matches in portions, so that a follower with little room skips reading the rest. */
  *matchBehind(position: Arrival, matches: FilterMatcher): Generator<Matches> {
    let arrived: ArrivedEntry[] = [];
    for (let index = this.#findBehind(position); index < this.#judged.length; index++) {
      const each = this.#judged[index]!;
      if (!matches(each)) continue;
      arrived.push(each.arrived);
      if (arrived.length < portionEntriesMax) continue;
      yield { arrived, upTo: each.arrived.arrival };
      arrived = [];
    }
    yield { arrived, upTo: this.upTo };
  }

  /** Returns the index of the first entry after the position. */
  #findBehind(position: Arrival): number {
    let [from, to] = [0, this.#judged.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (compareArrivals(this.#judged[middle]!.arrived.arrival, position) > 0) to = middle;
      else from = middle + 1;
    }
    return from;
  }
}

/** Keeps the latest pages that fit into `bytesMax`. */
export class PageCache {
  readonly #bytesMax: number;
  readonly #pages = new Set<Page>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  add(page: Page): void {
    this.#pages.add(page);
    this.#bytes += page.bytes;
    for (const oldest of this.#pages) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#pages.delete(oldest);
      this.#bytes -= oldest.bytes;
    }
  }

  find(filterKey: string, position: Arrival): Page | null {
    for (const page of this.#pages) if (page.holds(filterKey, position)) return page;
    return null;
  }

  clear(): void {
    this.#pages.clear();
    this.#bytes = 0;
  }
}

const recentIdsMax = 16_384; // in each of two sets, 3 MB in all

/** Remembers which entries were read last, because a clock that was set back makes queries find them again. */
export class RecentEntries {
  #older = new Set<string>();
  #newer = new Set<string>();

  add(page: Page): void {
    for (const traceId of page.listTraceIds()) {
      this.#newer.add(traceId);
      if (this.#newer.size < recentIdsMax) continue;
      this.#older = this.#newer;
      this.#newer = new Set();
    }
  }

  /** Returns a copy, to which nothing is added later. */
  list(): ReadonlySet<string> {
    return new Set([...this.#older, ...this.#newer]);
  }
}

function fitsTemplate(entry: QueriedEntry, merged: string): boolean {
  const template = findTemplate(entry);
  return template !== null && compileTemplate(merged)(template);
}
