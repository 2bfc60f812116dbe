/** A follower: a listener and its position. */

import { compareArrivals, compileFilter, type FilterMatcher } from '@tapedeck/log-entries';
import { keyOfQuestion } from '@tapedeck/log-query-language';
import type { Arrival, ArrivedEntry, LogFilter } from '../../ports/logQueries.ts';
import type { Matches, Page } from './pages.ts';

/** A follower's position: all matches up to it have been delivered, none after it. */
export type TailPosition = { readonly position: Arrival };

export type TailListener = {
  filter: LogFilter;
  /** Where an earlier tail ended; null: from now on. */
  after: Arrival | null;
  signal: AbortSignal;
  /** Called once all entries acknowledged from now on will be delivered. Not called after the signal aborts. */
  onBegin(place: TailPosition): void;
  /** Takes one or more entries, in order; returns how many it had room for. */
  take(arrived: readonly ArrivedEntry[]): number;
  hasRoom(): boolean;
  /** Resolves when there is room, or when the signal aborts. */
  untilRoom(): Promise<void>;
};

/** What a follower got before the store's clock was set back: the known entries up to a position. */
type Delivered = { upTo: Arrival; traceIds: ReadonlySet<string> };

const setBacksMax = 8; // remembered by a follower until the clock shows the same time again

export class Follower implements TailPosition {
  readonly listener: TailListener;
  /** Equivalent filters have the same key. */
  readonly filterKey: string;
  readonly matches: FilterMatcher;
  #position: Arrival;
  #delivered: readonly Delivered[] = [];

  constructor(listener: TailListener, position: Arrival) {
    this.listener = listener;
    this.filterKey = keyOfQuestion(listener.filter);
    this.matches = compileFilter(listener.filter);
    this.#position = position;
  }

  get position(): Arrival {
    return this.#position;
  }

  get hasLeft(): boolean {
    return this.listener.signal.aborted;
  }

  /**
   * Call this with the place where arrival times repeat after the store's clock was set back. Otherwise the follower would miss what arrives before
   * the clock shows its position again. `traceIds`: entries read before; those up to the old position are not delivered again.
   */
  stopAt(place: Arrival, traceIds: ReadonlySet<string>): void {
    if (compareArrivals(this.#position, place) <= 0) return;
    this.#delivered = [...this.#delivered, { upTo: this.#position, traceIds }].slice(-setBacksMax);
    this.#position = place;
  }

  /** Delivers the matches and advances past them, or to the last entry with room. Does nothing if the follower has left. */
  deliver({ arrived, upTo }: Matches): void {
    if (this.hasLeft) return;
    const first = arrived.findIndex(({ arrival }) => compareArrivals(arrival, this.#position) > 0);
    const later = first === 0 ? arrived : first < 0 ? [] : arrived.slice(first);
    const news = this.#delivered.length === 0 ? later : later.filter(each => !this.#isRepeat(each));
    const accepted = news.length > 0 && this.listener.hasRoom() ? this.listener.take(news) : 0;
    if (accepted < news.length) this.#position = news[accepted - 1]?.arrival ?? this.#position;
    else if (compareArrivals(this.#position, upTo) < 0) this.#position = upTo;
    this.#delivered = this.#delivered.filter(each => compareArrivals(this.#position, each.upTo) < 0);
  }

  #isRepeat({ arrival }: ArrivedEntry): boolean {
    return this.#delivered.some(
      ({ upTo, traceIds }) => compareArrivals(arrival, upTo) <= 0 && traceIds.has(arrival.traceId),
    );
  }

  /** Like `deliver`, with a page that contains its position. */
  deliverPage(page: Page): void {
    for (const matches of page.matchBehind(this.#position, this.matches)) {
      this.deliver(matches);
      if (compareArrivals(this.#position, matches.upTo) < 0) return;
    }
  }
}

/** Resolves to the promise's result, or to null once the signal aborts. */
export async function unlessMissing<Answer>(
  promise: Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer | null> {
  const { promise: aborted, resolve } = Promise.withResolvers<null>();
  const leave = () => resolve(null);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener('abort', leave);
    promise.catch(() => {}); // the follower has left
  }
}
