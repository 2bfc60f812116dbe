/** Terms shared by every layer: those of the contract, and the service's expected failures. */
import { type ErrorCode, errorStatuses } from '@tapedeck/contract/vocabulary';
import { Failure } from '@tapedeck/values/failure';

export * from '@tapedeck/contract/vocabulary';

/** An expected failure of the service itself; engines have their own, with codes that are in the list above, too. */
export class ServiceError extends Failure<ErrorCode> {}

/** One field of what was sent is wrong, as the caller spells it. */
export function invalidFieldError(field: string, sentence: string): ServiceError {
  return new ServiceError('invalid_field', sentence, { field });
}

export type ExpectedFailure = Failure<ErrorCode>;

export function isExpected(error: unknown): error is ExpectedFailure {
  return error instanceof Failure && Object.hasOwn(errorStatuses, error.code);
}

/** For work that can be skipped while a store refuses it. */
export function passExpected(error: unknown): void {
  if (!isExpected(error)) throw error;
}
