/** Chooses how many entries to read at a time, so that a query's cost matches its result. */

import { compareArrivals, endArrivals, findEarlier, isInsideInsert } from '@tapedeck/log-entries';
import type { Arrival, ArrivalSpan, FoundArrivals } from '../../ports/logQueries.ts';

type Limits = Pick<ArrivalSpan, 'upTo' | 'entriesMax' | 'bytesMax'>;

const entriesMax = { first: 512, most: 8_192 }; // for up to 10,000, the store sorts the positions first and then reads the rest of those rows
const sharedBytesMax = 4 * 1024 * 1024;
const ownBytesMax = { least: 128 * 1024, first: 512 * 1024, most: 4 * 1024 * 1024 }; // `least`: as much as a connection takes at once
const spanMicros = { least: 1_000, first: 1_000_000 };
const growth = { few: 8, some: 2, shareFew: 1 / 8, shareSome: 1 / 2 };
const shrinking = 8;
const quickMs = 500; // after a slower query the span does not grow, because other queries wait

/** Inside an insert, reads only the rest of it, because the store then finds the position by the table's key. */
function reach(after: Arrival, upTo: Arrival): Arrival {
  return isInsideInsert(after) ? findEarlier(endArrivals(after.micros), upTo) : upTo;
}

/** Estimates how many entries fit into the byte limit, because the store prepares all of them. */
class EntryCount {
  #entries = entriesMax.first;

  get max(): number {
    return this.#entries;
  }

  note({ arrived: { length } }: FoundArrivals, isCut: boolean): void {
    if (!isCut) return;
    const wanted = length < this.#entries ? length : length * 4;
    this.#entries = Math.min(Math.max(wanted, entriesMax.first), entriesMax.most);
  }
}

/** Sizes the query that all up-to-date followers share. */
export class SharedPortion {
  readonly #entries = new EntryCount();

  choose(after: Arrival, upTo: Arrival): Limits {
    return { upTo: reach(after, upTo), entriesMax: this.#entries.max, bytesMax: sharedBytesMax };
  }

  note({ upTo }: Limits, found: FoundArrivals): void {
    this.#entries.note(found, compareArrivals(found.upTo, upTo) < 0);
  }
}

/**
 * Sizes the queries of a lagging follower. Entries are not stored in order of arrival, so the store scans a whole time span to find the first
 * ones. The span grows while queries find few entries, and shrinks if it held more than requested. Pages grow while followers read them to the
 * end before the cache evicts them.
 */
export class CatchUpQuerySize {
  readonly #entries = new EntryCount();
  #spanMicros = spanMicros.first;
  #bytes = ownBytesMax.first;
  #pageEnd: Arrival | null = null;

  choose(after: Arrival, upTo: Arrival): Limits {
    if (this.#pageEnd !== null) {
      const isRead = compareArrivals(after, this.#pageEnd) >= 0;
      this.#bytes = isRead
        ? Math.min(this.#bytes * 2, ownBytesMax.most)
        : Math.max(this.#bytes / 2, ownBytesMax.least);
    }
    const spanEnd = endArrivals(Math.min(after.micros + this.#spanMicros, upTo.micros));
    return {
      upTo: reach(after, findEarlier(spanEnd, upTo)),
      entriesMax: this.#entries.max,
      bytesMax: this.#bytes,
    };
  }

  note({ after, upTo, entriesMax: wanted }: ArrivalSpan, found: FoundArrivals): void {
    const isCut = compareArrivals(found.upTo, upTo) < 0;
    this.#entries.note(found, isCut);
    this.#pageEnd = found.upTo;
    if (isInsideInsert(after)) return; // this says nothing about spans
    if (isCut) this.#spanMicros = Math.max(found.upTo.micros - after.micros, spanMicros.least);
    else if (found.tookMs < quickMs && upTo.micros - after.micros >= this.#spanMicros) {
      this.#spanMicros *= chooseGrowth(found.arrived.length / wanted);
    }
  }

  /** Call this after a query that was too much for the store. */
  shrink(): void {
    this.#spanMicros = Math.max(Math.floor(this.#spanMicros / shrinking), spanMicros.least);
  }
}

function chooseGrowth(share: number): number {
  return share < growth.shareFew ? growth.few : share < growth.shareSome ? growth.some : 1;
}
