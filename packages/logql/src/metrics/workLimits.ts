/** Limits the cost of a query's operators: they compute without a pause, and block their thread meanwhile. */
import { LogqlMistake } from '../mistakes.ts';

const pointsMax = 30_000_000; // reading them takes at most a second

/** Thrown if the operators would read more points than allowed. */
export class TooManyRead extends LogqlMistake {}

export class Work {
  readonly #steps: number;
  readonly #pointsMax: number;
  #points = 0;

  /** `steps`: the points of each series. `most`: the points that operators may read. */
  constructor(steps: number, most = pointsMax) {
    this.#steps = steps;
    this.#pointsMax = most;
  }

  /** Counts series that an operator reads or creates. Throws if the total exceeds the limit. */
  count(series: number): void {
    this.#points += series * this.#steps;
    if (this.#points > this.#pointsMax)
      throw new TooManyRead(
        `the operators of the query would read more than ${this.#pointsMax} points; ` +
          'group by fewer labels, or ask for a longer step or a shorter time',
      );
  }
}
