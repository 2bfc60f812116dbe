/** What the operators of a query may cost: they compute in one go, and everything else waits meanwhile. */
import { LogqlMistake } from '../mistakes.ts';

const pointsMax = 30_000_000; // read in a second or less

export class Work {
  readonly #steps: number;
  #points = 0;

  /** Steps of each series. */
  constructor(steps: number) {
    this.#steps = steps;
  }

  /** Counts series that an operator looks at, or makes. Throws when there are too many of them altogether. */
  count(series: number): void {
    this.#points += series * this.#steps;
    if (this.#points > pointsMax)
      throw new LogqlMistake(
        `the operators of the query would read more than ${pointsMax} points; ` +
          'group by fewer labels, or ask for a longer step or a shorter time',
      );
  }
}
