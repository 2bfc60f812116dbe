/** Expected failures: their message tells what to do. Anything else that is thrown is a bug. */

export type FailureDetails = {
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
  /** The one field of what was sent that is wrong, as the caller spells it; nested ones with dots. */
  field?: string | undefined;
  /** The item of a list that the field belongs to, from zero. */
  index?: number | undefined;
  /** The position in the field's text, in UTF-16 units from zero. */
  position?: number | undefined;
};

/**
 * An expected failure. The code is one of a closed list that whoever throws it declares; the sentence tells the caller what
 * to change.
 */
export class Failure<Code extends string = string> extends Error {
  readonly code: Code;
  /** Seconds after which a repeat may succeed. */
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

/** Whether something was thrown on purpose, with one of the codes. */
export function isFailure<Code extends string>(error: unknown, ...codes: Code[]): error is Failure<Code> {
  return error instanceof Failure && codes.some(code => code === error.code);
}
