/** Reads from the store for followers that have fallen behind the shared query. */
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '@tapedeck/values/failure';
import type { Arrival, LogArrivals } from '../../ports/logQueries.ts';
import { takeHeapShare } from './followerMemory.ts';
import { type Follower, unlessMissing } from './followers.ts';
import { Page, PageCache, type RecentEntries } from './pages.ts';
import { CatchUpQuerySize } from './readSizes.ts';
import { isOutage } from './sharedTailQuery.ts';

const keptShare = 1 / 64; // of the heap
const keptBytesMax = 16 * 1024 * 1024; // for their followers, and others that reach the same position
const recentMicros = 10 * 60_000_000; // pages further behind would displace what a step of the clock may repeat
const failurePauseMs = 1_000;
const failuresMax = 5; // in a row, not counting outages

const openPages = () => new PageCache(takeHeapShare(keptShare, keptBytesMax));

/** A follower's progress in catching up. */
export class CatchUpProgress {
  readonly portion = new CatchUpQuerySize();
  failures = 0;
}

export class CatchUps {
  readonly #arrivals: LogArrivals;
  readonly #stopping: AbortSignal;
  readonly #recent: RecentEntries;
  #pages = openPages();
  /** Running page queries by filter key. Followers with the same key take turns, because one page may serve the others. */
  readonly #asking = new Map<string, Promise<Page | null>>();

  constructor(arrivals: LogArrivals, recent: RecentEntries, stopping: AbortSignal) {
    this.#arrivals = arrivals;
    this.#recent = recent;
    this.#stopping = stopping;
  }

  /** Finds a page that contains the follower's position. null: try again, because another follower was querying, or this one has left. */
  async findPage(follower: Follower, pace: CatchUpProgress, upTo: Arrival): Promise<Page | null> {
    const { filterKey, listener, position } = follower;
    const known = this.#pages.find(filterKey, position);
    if (known !== null) return known;
    const others = this.#asking.get(filterKey);
    if (others !== undefined) {
      await unlessMissing(others, listener.signal).catch(() => {}); // the caller gets the error
      return null;
    }
    const querying = this.#ask(follower, pace, upTo).finally(() => this.#asking.delete(filterKey));
    this.#asking.set(filterKey, querying);
    return unlessMissing(querying, listener.signal);
  }

  forget(): void {
    this.#pages = openPages(); // a query that runs adds its page to the others
  }

  async #ask(follower: Follower, pace: CatchUpProgress, upTo: Arrival): Promise<Page | null> {
    const { filterKey, position, listener } = follower;
    const { filter, signal: line } = listener;
    const span = { filters: [filter], after: position, ...pace.portion.choose(position, upTo) };
    const pages = this.#pages;
    try {
      const options = { urgency: 'whenever', line, signal: this.#stopping } as const;
      const found = await this.#arrivals.findArrived(span, options);
      pace.portion.note(span, found);
      pace.failures = 0;
      const page = new Page(new Set([filterKey]), position, found);
      pages.add(page);
      if (upTo.micros - page.upTo.micros < recentMicros) this.#recent.add(page);
      return page;
    } catch (error) {
      if (!follower.hasLeft) await this.#pause(pace, error);
      return null;
    }
  }

  /** Waits after an outage, which loses nothing, and after a query that was too much, since smaller pages may succeed. Rethrows other errors. */
  async #pause(pace: CatchUpProgress, error: unknown): Promise<void> {
    if (!isOutage(error)) {
      const isTooMuch = error instanceof Failure && ['query_timeout', 'overloaded'].includes(error.code);
      pace.portion.shrink();
      if (!isTooMuch || ++pace.failures > failuresMax) throw error;
    }
    await wait(failurePauseMs, undefined, { ref: false });
  }
}
