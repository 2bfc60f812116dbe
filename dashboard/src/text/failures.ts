/** Where on a form the words of a refusal belong. */
import { ApiError, type ApiErrorCode } from '@tapedeck/client';

export type Placed<FieldName extends string> = {
  /** What to say at the field, or null when nothing is wrong with it. */
  at: (field: FieldName) => string | null;
  /** What belongs to no field. */
  rest: string | null;
};

/** The service begins the sentence about a field with its name; `refusals.test.ts` holds it to that. */
const aboutField = /^(?:The body(?:'s| lacks) )?(\w+)/;

/** `fields` are those of the form; `codes` says which of them an error code is about. */
export function placeFailure<FieldName extends string>(
  error: Error | null,
  fields: readonly FieldName[],
  codes: Partial<Record<ApiErrorCode, FieldName>> = {},
): Placed<FieldName> {
  const named = aboutField.exec(error?.message ?? '')?.[1];
  const byCode = error instanceof ApiError ? codes[error.code] : undefined;
  const field = byCode ?? fields.find(each => each === named);
  return {
    at: each => (error && each === field ? error.message : null),
    rest: error && field === undefined ? error.message : null,
  };
}
