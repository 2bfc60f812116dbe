/** Limits the cost of a query's operators: they compute without a pause, and block everything else meanwhile. */
import { LogqlMistake } from '../mistakes.ts';

const pointsMax = 30_000_000; // reading them takes at most a second

export class Work {
  readonly #steps: number;
  #points = 0;

  /** `steps`: the points of each series. */
  constructor(steps: number) {
    this.#steps = steps;
  }

  /** Counts series that an operator reads or creates. Throws if the total exceeds the limit. */
  count(series: number): void {
    this.#points += series * this.#steps;
    if (this.#points > pointsMax)
      throw new LogqlMistake(
        `the operators of the query would read more than ${pointsMax} points; ` +
          'group by fewer labels, or ask for a longer step or a shorter time',
      );
  }
}
