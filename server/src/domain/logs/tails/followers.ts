/** A follower: a listener and its position. */

import { compareArrivals, compileFilter, type FilterJudge } from '@tapedeck/log-entries';
import { keyOfQuestion } from '@tapedeck/log-query-language';
import type { Arrival, ArrivedEntry, LogFilter } from '../../ports/logQueries.ts';
import type { Matches, Page } from './pages.ts';

/** A follower's place: all matches up to it have been passed on, and none after it. */
export type TailPlace = { readonly position: Arrival };

export type TailListener = {
  filter: LogFilter;
  /** The end of an earlier tail; null: from now on. */
  after: Arrival | null;
  signal: AbortSignal;
  /** Called when all entries acknowledged from now on will be passed on. Not called when the signal has aborted. */
  onBegin(place: TailPlace): void;
  /** Takes at least one entry, in order; returns for how many it had room. */
  take(arrived: readonly ArrivedEntry[]): number;
  hasRoom(): boolean;
  /** Resolves when there is room, or when the signal aborts. */
  untilRoom(): Promise<void>;
};

export class Follower implements TailPlace {
  readonly listener: TailListener;
  /** Filters that say the same have the same key. */
  readonly filterKey: string;
  readonly judge: FilterJudge;
  #position: Arrival;

  constructor(listener: TailListener, position: Arrival) {
    this.listener = listener;
    this.filterKey = keyOfQuestion(listener.filter);
    this.judge = compileFilter(listener.filter);
    this.#position = position;
  }

  get position(): Arrival {
    return this.#position;
  }

  get hasGone(): boolean {
    return this.listener.signal.aborted;
  }

  /** Moves on behind all of it, or to the last entry that there was room for. Tells nothing to who has gone. */
  tell({ arrived, upTo }: Matches): void {
    if (this.hasGone) return;
    const first = arrived.findIndex(({ arrival }) => compareArrivals(arrival, this.#position) > 0);
    const news = first === 0 ? arrived : first < 0 ? [] : arrived.slice(first);
    const taken = news.length > 0 && this.listener.hasRoom() ? this.listener.take(news) : 0;
    if (taken < news.length) this.#position = news[taken - 1]?.arrival ?? this.#position;
    else if (compareArrivals(this.#position, upTo) < 0) this.#position = upTo;
  }

  /** The same with a page that holds its place. */
  tellPage(page: Page): void {
    for (const matches of page.matchBehind(this.#position, this.judge)) {
      this.tell(matches);
      if (compareArrivals(this.#position, matches.upTo) < 0) return;
    }
  }
}

/** The promise's result, or null as soon as the signal has aborted. */
export async function unlessMissing<Answer>(
  promise: Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer | null> {
  const { promise: gone, resolve } = Promise.withResolvers<null>();
  const leave = () => resolve(null);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await Promise.race([gone, promise]);
  } finally {
    signal.removeEventListener('abort', leave);
    promise.catch(() => {}); // the follower has gone
  }
}
