/** Expected failures of a database, with codes and sentences, and the signals that queries give their callers. */
import { Failure } from '@tapedeck/values/failure';

export const databaseCodes = [
  /** It does not answer, is locked or damaged, or a change took too long. */
  'unavailable',
  'disk_full',
  /** More waits than may wait. */
  'overloaded',
  /** It is being closed. */
  'stopping',
  /** Text with NUL, an address that is none, rows that do not fit the tables. */
  'invalid_field',
  /** Rows are to be taken in where there are some already. */
  'already_set_up',
] as const;
type DatabaseCode = (typeof databaseCodes)[number];

export class DatabaseFailure extends Failure<DatabaseCode> {}

/** A row that must be unique is there already, or one that is referred to is not. */
export class ConstraintViolation extends Error {
  readonly kind: 'unique' | 'reference';

  constructor(kind: 'unique' | 'reference', cause: unknown) {
    super(`A ${kind} constraint was violated.`, { cause });
    this.name = 'ConstraintViolation';
    this.kind = kind;
  }
}

/** A query of a batch touched fewer rows than it had to; nothing of the batch was kept. */
export class BatchRefused extends Error {
  readonly index: number;

  constructor(index: number) {
    super(`Query ${index} of the batch touched too few rows.`);
    this.name = 'BatchRefused';
    this.index = index;
  }
}
