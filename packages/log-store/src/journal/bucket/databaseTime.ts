/** Estimates the database's time. Segments are named by it, and leases end by it. */

type Reading = {
  /** The database's time, in the middle of the request. */
  there: number;
  monotonicAt: number;
  wallAt: number;
  errorMs: number;
};

const ageMsMax = 10_000; // a clock that was set is followed after this time
const driftPerMs = 0.0002; // drift of a bad quartz
const exactMsMax = 250; // slower answers say too little to replace a known reading

export class DatabaseTime {
  #reading: Reading | null = null;

  /** Notes the database's time, read between `sentAt` (by `performance.now()`) and now. */
  readClock(there: number, sentAt: number): void {
    const now = performance.now();
    const halfMs = (now - sentAt) / 2;
    const known = this.#reading;
    const reading = { there, monotonicAt: now - halfMs, wallAt: Date.now() - halfMs, errorMs: halfMs + 1 };
    const isOld = known !== null && now - known.monotonicAt > ageMsMax;
    if (known === null || reading.errorMs <= this.#errorOf(known) || (isOld && reading.errorMs <= exactMsMax))
      this.#reading = reading;
  }

  get isKnown(): boolean {
    return this.#reading !== null;
  }

  /** Call it only if `isKnown`. */
  now(): number {
    const { there, monotonicAt } = this.#require();
    return there + performance.now() - monotonicAt;
  }

  /** Returns a lower bound of the database's time. */
  earliest(): number {
    return this.now() - this.#errorOf(this.#require());
  }

  /** Returns an upper bound, even if this machine slept meanwhile, which only its wall clock shows. */
  latest(): number {
    const reading = this.#require();
    const byWall = reading.there + Date.now() - reading.wallAt;
    return Math.max(this.now(), byWall) + this.#errorOf(reading);
  }

  #errorOf({ errorMs, monotonicAt }: Reading): number {
    return errorMs + (performance.now() - monotonicAt) * driftPerMs;
  }

  #require(): Reading {
    if (this.#reading === null) throw new Error('The database has not told its time.');
    return this.#reading;
  }
}
