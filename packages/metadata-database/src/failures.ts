/** Expected failures of a database, with codes and messages, and the errors that queries throw to their callers. */
import { Failure } from '@tapedeck/values/failure';

export const databaseCodes = [
  /** The database doesn't answer, is locked or damaged, or a change took too long. */
  'unavailable',
  'disk_full',
  /** Too many transactions are waiting. */
  'overloaded',
  /** The database is closing. */
  'stopping',
  /** Text with NUL, an invalid address, or rows that don't fit the tables. */
  'invalid_field',
  /** An import needs an empty database, but this one has rows. */
  'already_set_up',
] as const;
type DatabaseCode = (typeof databaseCodes)[number];

export class DatabaseFailure extends Failure<DatabaseCode> {}

/** A unique row exists already, or a referenced row doesn't. */
export class ConstraintViolation extends Error {
  readonly kind: 'unique' | 'reference';

  constructor(kind: 'unique' | 'reference', cause: unknown) {
    super(`A ${kind} constraint was violated.`, { cause });
    this.name = 'ConstraintViolation';
    this.kind = kind;
  }
}

/** A query of a batch touched too few rows. The whole batch was rolled back. */
export class BatchRefused extends Error {
  readonly index: number;

  constructor(index: number) {
    super(`Query ${index} of the batch touched too few rows.`);
    this.name = 'BatchRefused';
    this.index = index;
  }
}
