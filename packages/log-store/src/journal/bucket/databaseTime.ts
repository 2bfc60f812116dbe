/** The database's time, as this machine reckons it: names of segments are given by it, and leases end by it. */

type Reading = {
  /** The database's time, in the middle of the request. */
  there: number;
  monotonicAt: number;
  wallAt: number;
  errorMs: number;
};

const ageMsMax = 10_000; // a clock that was set is followed so soon
const driftPerMs = 0.0002; // of a bad quartz
const exactMsMax = 250; // an answer that took longer says too little, where there is another

export class DatabaseTime {
  #reading: Reading | null = null;

  /** Notes the database's time between then (by `performance.now()`) and now. */
  note(there: number, sentAt: number): void {
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

  /** To be asked only when it is known. */
  now(): number {
    const { there, monotonicAt } = this.#require();
    return there + performance.now() - monotonicAt;
  }

  /** It is that late at least. */
  earliest(): number {
    return this.now() - this.#errorOf(this.#require());
  }

  /** It is no later than that, also when this machine was asleep meanwhile, which its wall clock knows alone. */
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
