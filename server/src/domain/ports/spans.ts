/** Port to traces: reports how long the steps of the domain's work took. */

/** A step that has ended. Its name and attributes hold nothing that users wrote, and no secret. */
type Step = {
  name: string;
  /** A `performance.now()` value. */
  startedAt: number;
  attributes: Readonly<Record<string, string | number>>;
  hasFailed?: boolean;
  /** It is done for many requests at once, whichever of them began it. */
  isShared?: boolean;
};

/** Costs nothing to speak of, whether or not anybody listens, and never fails. */
export type Spans = { note(step: Step): void };
