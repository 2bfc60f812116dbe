/** Terms shared by every layer: those of the contract, and the service's expected failures. */
import { type ErrorCode, errorStatuses } from '@tapedeck/contract/vocabulary';
import { Failure } from '@tapedeck/values/failure';

export * from '@tapedeck/contract/vocabulary';

/** An expected failure of the service itself. Engines have separate failure classes, with codes from the same list. */
export class ServiceError extends Failure<ErrorCode> {}

/** Returns the error for a wrong field, named as the caller spells it. */
export function invalidFieldError(field: string, sentence: string): ServiceError {
  return new ServiceError('invalid_field', sentence, { field });
}

export type ExpectedFailure = Failure<ErrorCode>;

export function isExpected(error: unknown): error is ExpectedFailure {
  return error instanceof Failure && Object.hasOwn(errorStatuses, error.code);
}

/** Ignores expected failures of work that can be skipped. */
export function ignoreExpected(error: unknown): void {
  if (!isExpected(error)) throw error;
}
