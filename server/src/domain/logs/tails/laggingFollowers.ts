/** Reads from the store for followers that have fallen behind the shared query. */
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '@tapedeck/values/failure';
import type { Arrival, LogArrivals } from '../../ports/logQueries.ts';
import { type Follower, unlessMissing } from './followers.ts';
import { KeptPages, Page } from './pages.ts';
import { OwnPortion } from './readSizes.ts';
import { isOutage } from './sharedTailQuery.ts';

const keptBytesMax = 16 * 1024 * 1024; // until their followers have read them, and for those who come to the same place
const failurePauseMs = 1_000;
const failuresMax = 5; // in a row, not counting outages

/** How one follower catches up. */
export class OwnPace {
  readonly portion = new OwnPortion();
  failures = 0;
}

export class CatchUps {
  readonly #arrivals: LogArrivals;
  readonly #stopping: AbortSignal;
  readonly #pages = new KeptPages(keptBytesMax);
  /** Pages being asked for, by the key of their filter. Followers with the same key take turns, because one answer may serve the others. */
  readonly #asking = new Map<string, Promise<Page | null>>();

  constructor(arrivals: LogArrivals, stopping: AbortSignal) {
    this.#arrivals = arrivals;
    this.#stopping = stopping;
  }

  /** A page that holds the follower's place. null: look again; somebody else asked meanwhile, or the follower has gone. */
  async findPage(follower: Follower, pace: OwnPace, upTo: Arrival): Promise<Page | null> {
    const { filterKey, listener, position } = follower;
    const known = this.#pages.find(filterKey, position);
    if (known !== null) return known;
    const others = this.#asking.get(filterKey);
    if (others !== undefined) {
      await unlessMissing(others, listener.signal).catch(() => {}); // the caller gets the error
      return null;
    }
    const asking = this.#ask(follower, pace, upTo).finally(() => this.#asking.delete(filterKey));
    this.#asking.set(filterKey, asking);
    return unlessMissing(asking, listener.signal);
  }

  forget(): void {
    this.#pages.clear();
  }

  async #ask(follower: Follower, pace: OwnPace, upTo: Arrival): Promise<Page | null> {
    const { filterKey, position, listener } = follower;
    const { filter, signal: line } = listener;
    const span = { filters: [filter], after: position, ...pace.portion.choose(position, upTo) };
    try {
      const asking = { urgency: 'whenever', line, signal: this.#stopping } as const;
      const found = await this.#arrivals.findArrived(span, asking);
      pace.portion.note(span, found);
      pace.failures = 0;
      const page = new Page(new Set([filterKey]), position, found);
      this.#pages.add(page);
      return page;
    } catch (error) {
      if (!follower.hasGone) await this.#pause(pace, error);
      return null;
    }
  }

  /** An outage of the engine loses nothing; what was too much for it may not be in smaller pieces. Others are thrown. */
  async #pause(pace: OwnPace, error: unknown): Promise<void> {
    if (!isOutage(error)) {
      const isTooMuch = error instanceof Failure && ['query_timeout', 'overloaded'].includes(error.code);
      pace.portion.shrink();
      if (!isTooMuch || ++pace.failures > failuresMax) throw error;
    }
    await wait(failurePauseMs, undefined, { ref: false });
  }
}
