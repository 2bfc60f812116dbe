/** Expected failures: their message says what to do. Any other thrown error is a bug. */

export type FailureDetails = {
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
  /** The invalid field, spelled as in the request; nested ones with dots. */
  field?: string | undefined;
  /** The list item that holds the field, from zero. */
  index?: number | undefined;
  /** The position in the field's text, in UTF-16 units from zero. */
  position?: number | undefined;
};

/** An expected failure. Its code is from a closed list that the thrower declares; its message tells the caller what to change. */
export class Failure<Code extends string = string> extends Error {
  readonly code: Code;
  /** Seconds until a retry may succeed. */
  readonly retryAfterSeconds: number | undefined;
  readonly field: string | undefined;
  readonly index: number | undefined;
  readonly position: number | undefined;

  constructor(code: Code, sentence: string, details: FailureDetails = {}) {
    super(sentence, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = code;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.field = details.field;
    this.index = details.index;
    this.position = details.position;
  }
}

/** Returns whether the error is an expected failure with one of the codes. */
export function isFailure<Code extends string>(error: unknown, ...codes: Code[]): error is Failure<Code> {
  return error instanceof Failure && codes.some(code => code === error.code);
}
