/** Port to traces: reports how long the domain's steps took. */

/** A finished step. Its name and attributes contain no user input and no secrets. */
type Step = {
  name: string;
  /** A `performance.now()` value. */
  startedAt: number;
  attributes: Readonly<Record<string, string | number>>;
  hasFailed?: boolean;
  /** True if the step serves many requests at once, not only the one that started it. */
  isShared?: boolean;
};

/** Negligible cost, with or without a trace exporter. Never fails. */
export type Spans = { note(step: Step): void };
