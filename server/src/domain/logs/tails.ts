/**
 * Follows entries in the order of their arrival in the store, whichever node took them in. All listeners that are up to
 * date share one query for new entries. A listener that is behind, because it resumed or reads slowly, catches up with
 * queries of its own. Each listener keeps its place in the order, so that it misses no entry and gets none twice.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { ServiceError } from '../../vocabulary.ts';
import type { Arrival, ArrivedEntry, LogArrivals, LogFilter } from '../ports/logQueries.ts';
import type { LogIntake } from '../ports/logs.ts';
import { JudgedEntry, matchesFilter } from './query/matching.ts';

export type TailListener = {
  filter: LogFilter;
  /** Where an earlier tail ended; null: from now on. */
  after: Arrival | null;
  signal: AbortSignal;
  /** Called when all entries acknowledged from now on will be passed on. Not called when the signal has aborted. */
  onBegin(): void;
  /** Takes at least one entry, in order; returns for how many it had room. */
  take(arrived: readonly ArrivedEntry[]): number;
  hasRoom(): boolean;
  /** Resolves when there is room, or when the signal aborts. */
  untilRoom(): Promise<void>;
};

export type LogTails = Disposable & {
  /** Resolves when the listener's signal aborts or the service stops. Rejects when the store fails, except by an outage later on. */
  follow(listener: TailListener): Promise<void>;
};

export type LogTailDeps = {
  arrivals: LogArrivals;
  intake: Pick<LogIntake, 'subscribe'>;
  /** Whether other nodes store in the same place. */
  isShared: boolean;
  /** Called with errors that are no outage of the store. */
  report(error: unknown): void;
};

const listenersMax = 1_000; // each judges every entry
const lookIntervalMs = 200; // each query makes the store take the entries acknowledged here first
const sharedLookIntervalMs = 500; // for entries of other nodes, which do not announce them
const failurePauseMs = 1_000;
const sharedBytesMax = 4 * 1024 * 1024;
const ownBytesMax = 512 * 1024; // held for each listener that is behind, until it has read them
const entriesMax = { first: 64, most: 8_192 };

type Place = { position: Arrival; listener: TailListener; leave(): void };

export function openLogTails(deps: LogTailDeps): LogTails {
  const stopping = new AbortController();
  const common = new CommonLook(deps, stopping.signal);
  let followers = 0;
  return {
    async follow(given) {
      if (followers >= listenersMax) throw tooManyError();
      followers++;
      const listener = { ...given, signal: AbortSignal.any([given.signal, stopping.signal]) };
      try {
        await keepFollowing(deps, common, listener);
      } catch (error) {
        if (!stopping.signal.aborted) throw error; // the listener's query failed because the service stops
      } finally {
        followers--;
      }
    },
    [Symbol.dispose]: () => stopping.abort(),
  };
}

async function keepFollowing(deps: LogTailDeps, common: CommonLook, listener: TailListener): Promise<void> {
  const { signal, filter } = listener;
  // These short queries go on when the client has gone; only the end of the service ends them.
  const { now, settled } = await deps.arrivals.findEnd(common.stopping);
  using _held = common.hold(settled);
  let position = listener.after ?? now;
  const portion = new Portion(ownBytesMax);
  if (signal.aborted) return;
  listener.onBegin();
  while (!signal.aborted) {
    await listener.untilRoom();
    if (signal.aborted) return;
    const { position: upTo } = common;
    if (compareArrivals(position, upTo) >= 0) {
      position = await common.share({ position, listener });
      continue;
    }
    const span = { filters: [filter], after: position, upTo, ...portion.limits };
    const found = await deps.arrivals.findArrived(span, common.stopping).catch(pauseAfterOutage);
    if (found === null) continue;
    portion.note(found.arrived.length);
    await handAll(listener, found.arrived);
    position = found.upTo;
  }
}

/** Hands all entries over, as fast as the listener takes them. */
async function handAll(listener: TailListener, arrived: readonly ArrivedEntry[]): Promise<void> {
  for (let rest = arrived; rest.length > 0; rest = rest.slice(listener.take(rest))) {
    await listener.untilRoom();
    if (listener.signal.aborted) return;
  }
}

/** Tries again after an outage of the engine, which loses nothing. */
async function pauseAfterOutage(error: unknown): Promise<null> {
  if (!isOutage(error)) throw error;
  await wait(failurePauseMs);
  return null;
}

function isOutage(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'engine_unavailable';
}

/** Chooses how many entries to ask for: about as many as have room, because the store prepares all of them. */
class Portion {
  readonly #bytesMax: number;
  #entries = entriesMax.first;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get limits(): { entriesMax: number; bytesMax: number } {
    return { entriesMax: this.#entries, bytesMax: this.#bytesMax };
  }

  note(found: number): void {
    this.#entries = Math.min(Math.max(found * 2, entriesMax.first), entriesMax.most);
  }
}

/** The query that all listeners share that are up to date. It runs while there is a listener. */
class CommonLook {
  readonly #deps: LogTailDeps;
  readonly stopping: AbortSignal;
  readonly #places = new Set<Place>();
  readonly #portion = new Portion(sharedBytesMax);
  #position: Arrival = { micros: 0, traceId: '' };
  #held = 0;
  #isDue = false;
  #isLooking = false;
  /** A place behind all entries acknowledged so far. */
  #acknowledgedAt: Arrival = { micros: 0, traceId: '' };

  constructor(deps: LogTailDeps, stopping: AbortSignal) {
    this.#deps = deps;
    this.stopping = stopping;
  }

  get position(): Arrival {
    return this.#position;
  }

  hold(settled: Arrival): Disposable {
    this.#held++;
    this.#isDue = true; // entries may have been acknowledged in the meantime
    if (!this.#isLooking) {
      this.#position = settled;
      void this.#keepLooking();
    }
    return { [Symbol.dispose]: () => void this.#held-- };
  }

  /** Resolves to the listener's place when it has no room, or has left. */
  share({ position, listener }: Pick<Place, 'position' | 'listener'>): Promise<Arrival> {
    return new Promise(resolve => {
      const place: Place = {
        position,
        listener,
        leave: () => {
          this.#places.delete(place);
          listener.signal.removeEventListener('abort', place.leave);
          resolve(place.position);
        },
      };
      listener.signal.addEventListener('abort', place.leave, { once: true });
      if (listener.signal.aborted) place.leave();
      else this.#places.add(place);
    });
  }

  async #keepLooking(): Promise<void> {
    this.#isLooking = true;
    const unsubscribe = this.#deps.intake.subscribe(() => {
      this.#isDue = true;
    });
    const sharedTurns = Math.ceil(sharedLookIntervalMs / lookIntervalMs);
    for (let turn = 0; this.#held > 0 && !this.stopping.aborted; turn++) {
      const isBehind = compareArrivals(this.#position, this.#acknowledgedAt) < 0;
      const isTurn = this.#deps.isShared && turn % sharedTurns === 0;
      const mayHaveMore = (this.#isDue || isBehind || isTurn) && (await this.#tryToLook());
      if (!mayHaveMore) await wait(lookIntervalMs, undefined, { ref: false });
    }
    this.#isLooking = false;
    unsubscribe();
  }

  /** Resolves to whether more entries are there already. */
  async #tryToLook(): Promise<boolean> {
    const wasDue = this.#isDue;
    this.#isDue = false;
    try {
      return await this.#look(wasDue);
    } catch (error) {
      // Queries are answered `engine_unavailable` during an outage; listeners wait for its end.
      if (!isOutage(error) && !this.stopping.aborted) this.#deps.report(error);
      this.#isDue = true;
      await wait(failurePauseMs, undefined, { ref: false });
      return false;
    }
  }

  async #look(wasDue: boolean): Promise<boolean> {
    const { now, settled } = await this.#deps.arrivals.findEnd(this.stopping);
    if (wasDue) this.#acknowledgedAt = now;
    if (compareArrivals(settled, this.#position) <= 0) return false;
    const filters = [...this.#places].map(({ listener }) => listener.filter);
    const span = { filters, after: this.#position, upTo: settled, ...this.#portion.limits };
    const { arrived, upTo } =
      filters.length === 0
        ? { arrived: [], upTo: settled }
        : await this.#deps.arrivals.findArrived(span, this.stopping);
    this.#portion.note(arrived.length);
    this.#tell(filters, arrived, upTo);
    return compareArrivals(upTo, settled) < 0;
  }

  /** Passes entries on. A listener that joined after the query was sent leaves, and catches up with a query of its own. */
  #tell(asked: readonly LogFilter[], arrived: readonly ArrivedEntry[], upTo: Arrival): void {
    const judged = arrived.map(each => ({ each, judge: new JudgedEntry(each.entry, each) }));
    const known = new Set(asked);
    this.#position = upTo;
    for (const place of [...this.#places]) {
      const { listener } = place;
      if (known.has(listener.filter)) {
        const matches = judged.filter(({ judge }) => matchesFilter(judge, listener.filter));
        const entries = matches.map(({ each }) => each);
        place.position = hand(place, entries, upTo);
      }
      if (compareArrivals(place.position, upTo) < 0) place.leave();
    }
  }
}

/** Returns the listener's new place: `upTo`, or the last entry that it had room for. */
function hand(
  { position, listener }: Pick<Place, 'position' | 'listener'>,
  arrived: readonly ArrivedEntry[],
  upTo: Arrival,
): Arrival {
  const news = arrived.filter(({ arrival }) => compareArrivals(arrival, position) > 0);
  const taken = news.length === 0 ? 0 : listener.hasRoom() ? listener.take(news) : 0;
  if (taken < news.length) return news[taken - 1]?.arrival ?? position;
  return compareArrivals(position, upTo) > 0 ? position : upTo;
}

function compareArrivals(one: Arrival, other: Arrival): number {
  if (one.micros !== other.micros) return one.micros - other.micros;
  return one.traceId < other.traceId ? -1 : one.traceId > other.traceId ? 1 : 0;
}

function tooManyError(): ServiceError {
  return new ServiceError('overloaded', `No more than ${listenersMax} can follow at once; try again later.`, {
    retryAfterSeconds: 30,
  });
}
