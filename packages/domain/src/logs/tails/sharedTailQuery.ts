/** The query for new entries that all current listeners share. Keeps its latest results in memory for a while. */
import { setTimeout as wait } from 'node:timers/promises';
import type { TimeSlices } from '@tapedeck/concurrency/turns';
import { type ClockStep, compareArrivals, endArrivals, findEarlier, StoreClock } from '@tapedeck/log-entries';
import { Failure } from '@tapedeck/values/failure';
import type { Arrival, LogArrivals, LogFilter } from '../../ports/logQueries.ts';
import type { LogIntake } from '../../ports/logs.ts';
import { takeHeapShare } from './followerMemory.ts';
import type { Follower } from './followers.ts';
import { type Matches, Page, PageCache, type RecentEntries } from './pages.ts';
import { SharedPortion } from './readSizes.ts';

export type LogTailDeps = {
  arrivals: LogArrivals;
  intake: Pick<LogIntake, 'subscribe'>;
  /** Whether other nodes use the same log servers. */
  isShared: boolean;
  /** Called with errors other than store outages. */
  report(error: unknown): void;
};

type SharedDeps = LogTailDeps & {
  /** Shared with followers that have fallen behind. */
  recent: RecentEntries;
  /** Called when the store's clock was set back. */
  onSetBack(): void;
};

const pollIntervalMs = 200; // each query makes the store import entries acknowledged here first
const sharedLookIntervalMs = 500; // for entries of other nodes, which are not announced
const failurePauseMs = 1_000;
const repeatedMicrosMax = 10 * 60_000_000; // a tail that looks on for longer gains nothing: entries of so long ago have arrived
const keptShare = 1 / 32; // of the heap
const keptBytesMax = 32 * 1024 * 1024; // for followers whose connection was briefly full

export type TailEnd = { now: Arrival; settled: Arrival };

/** Runs while there is a listener. */
export class SharedTailQuery {
  readonly #deps: SharedDeps;
  readonly #slices: TimeSlices;
  readonly #stopping: AbortSignal;
  /** Up-to-date followers, and how to remove them. */
  readonly #sharing = new Map<Follower, () => void>();
  /** These, and followers that were recently up to date and continue from cached pages. */
  readonly #near = new Set<Follower>();
  readonly #portion = new SharedPortion();
  readonly #pages = new PageCache(takeHeapShare(keptShare, keptBytesMax));
  #position: Arrival = { micros: 0, traceId: '' };
  /** All followers, also those that lag behind. */
  readonly #held = new Set<Follower>();
  #isDue = false;
  #isLooking = false;
  /** A position after all entries acknowledged so far. */
  #acknowledgedAt: Arrival = { micros: 0, traceId: '' };
  readonly #clock = new StoreClock();
  #clockSteps = 0;
  /** What had been read when the clock was last set back. */
  #readBefore: ReadonlySet<string> = new Set();
  #nextEnd: Promise<TailEnd> | null = null;
  #runningEnd: Promise<TailEnd> | null = null;

  constructor(deps: SharedDeps, slices: TimeSlices, stopping: AbortSignal) {
    this.#deps = deps;
    this.#slices = slices;
    this.#stopping = stopping;
  }

  get position(): Arrival {
    return this.#position;
  }

  /** How often the store's clock was set back. Pages read before no longer lead anywhere. */
  get clockSteps(): number {
    return this.#clockSteps;
  }

  hold(follower: Follower, settled: Arrival): Disposable {
    this.#held.add(follower);
    this.#isDue = true; // entries may have been acknowledged in the meantime
    if (!this.#isLooking) {
      this.#position = settled;
      void this.#keepLooking();
    }
    return {
      [Symbol.dispose]: () => {
        this.#held.delete(follower);
        this.#near.delete(follower);
      },
    };
  }

  /** Like the store's `findEnd`. Callers during a running query share the next one. */
  findEnd(): Promise<TailEnd> {
    this.#nextEnd ??= this.#findNextEnd();
    return this.#nextEnd;
  }

  async #findNextEnd(): Promise<TailEnd> {
    await this.#runningEnd?.catch(() => {}); // the caller gets the error
    this.#nextEnd = null;
    const requestedAtMs = performance.now();
    this.#runningEnd = this.#deps.arrivals.findEnd(this.#stopping);
    const end = await this.#runningEnd;
    const { micros } = end.now;
    const step = this.#clock.read({ micros, requestedAtMs, receivedAtMs: performance.now() });
    if (step !== null) this.#goBack(step);
    return end;
  }

  /** Moves positions back to where arrival times repeat, so that nobody misses an entry. */
  #goBack({ fromMicros, toMicros }: ClockStep): void {
    const place = endArrivals(fromMicros);
    this.#position = findEarlier(this.#position, place);
    // Entries that arrived shortly before the step have times that are yet to come.
    const isShort = toMicros - fromMicros <= repeatedMicrosMax;
    this.#acknowledgedAt = isShort ? endArrivals(toMicros) : findEarlier(this.#acknowledgedAt, place);
    this.#pages.clear();
    this.#clockSteps++;
    this.#readBefore = this.#deps.recent.list();
    for (const follower of this.#held) follower.stopAt(place, this.#readBefore);
    this.#deps.onSetBack();
  }

  /** Finds a recent page that contains the follower's position. */
  findPage(follower: Follower): Page | null {
    const page = this.#pages.find(follower.filterKey, follower.position);
    if (page === null) this.#near.delete(follower);
    return page;
  }

  /** Delivers new entries to an up-to-date follower. Resolves when it has no room or has left. */
  share(follower: Follower): Promise<void> {
    const { signal } = follower.listener;
    return new Promise(resolve => {
      const leave = () => {
        this.#sharing.delete(follower);
        signal.removeEventListener('abort', leave);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      if (signal.aborted) return leave();
      this.#sharing.set(follower, leave);
      this.#near.add(follower);
    });
  }

  async #keepLooking(): Promise<void> {
    this.#isLooking = true;
    const unsubscribe = this.#deps.intake.subscribe(() => {
      this.#isDue = true;
    });
    const sharedTurns = Math.ceil(sharedLookIntervalMs / pollIntervalMs);
    for (let turn = 0; this.#held.size > 0 && !this.#stopping.aborted; turn++) {
      const isBehind = compareArrivals(this.#position, this.#acknowledgedAt) < 0;
      const isTurn = this.#deps.isShared && turn % sharedTurns === 0;
      const mayHaveMore = (this.#isDue || isBehind || isTurn) && (await this.#tryToLook());
      if (!mayHaveMore) await wait(pollIntervalMs, undefined, { ref: false });
    }
    this.#isLooking = false;
    this.#pages.clear();
    unsubscribe();
  }

  /** Resolves to whether more entries are available already. */
  async #tryToLook(): Promise<boolean> {
    const wasDue = this.#isDue;
    this.#isDue = false;
    try {
      return await this.#look(wasDue);
    } catch (error) {
      // During an outage queries fail with `engine_unavailable`; listeners wait until it ends.
      if (!isOutage(error) && !this.#stopping.aborted) this.#deps.report(error);
      this.#isDue = true;
      await wait(failurePauseMs, undefined, { ref: false });
      return false;
    }
  }

  async #look(wasDue: boolean): Promise<boolean> {
    const { now, settled } = await this.findEnd();
    if (wasDue) this.#acknowledgedAt = findLater(this.#acknowledgedAt, now);
    for (const follower of this.#held) follower.stopAt(now, this.#readBefore);
    const after = this.#position;
    if (compareArrivals(settled, after) <= 0) return false;
    if (this.#near.size === 0) {
      this.#position = settled;
      return false;
    }
    const filters = new Map<string, LogFilter>();
    for (const { filterKey, listener } of this.#near) filters.set(filterKey, listener.filter);
    const limits = this.#portion.choose(after, settled);
    const span = { filters: [...filters.values()], after, ...limits };
    const steps = this.#clockSteps;
    const found = await this.#deps.arrivals.findArrived(span, { urgency: 'now', signal: this.#stopping });
    if (steps !== this.#clockSteps) return true; // the page ends later than the clock shows now
    this.#portion.note(limits, found);
    await this.#deliver(new Page(new Set(filters.keys()), after, found));
    return compareArrivals(found.upTo, settled) < 0;
  }

  /** Followers that had no room, or joined after the query started, leave the group and continue from cached pages or catch up. */
  async #deliver(page: Page): Promise<void> {
    this.#pages.add(page);
    this.#deps.recent.add(page);
    this.#position = page.upTo;
    const matches = new Map<string, Matches>();
    const steps = this.#clockSteps;
    const deliver = (follower: Follower) => {
      const leave = this.#sharing.get(follower);
      if (leave === undefined) return; // it has left meanwhile
      const { filterKey } = follower;
      try {
        if (steps !== this.#clockSteps) return; // it continues from where arrival times repeat
        if (!page.filterKeys.has(filterKey)) return;
        const known = matches.get(filterKey) ?? page.matchAll(follower.matches);
        matches.set(filterKey, known);
        follower.deliver(known);
      } finally {
        if (compareArrivals(follower.position, page.upTo) < 0) leave();
      }
    };
    await Promise.all([...this.#sharing.keys()].map(each => this.#slices.run(() => deliver(each))));
  }
}

function findLater(one: Arrival, other: Arrival): Arrival {
  return findEarlier(one, other) === one ? other : one;
}

export function isOutage(error: unknown): boolean {
  return error instanceof Failure && error.code === 'engine_unavailable';
}
