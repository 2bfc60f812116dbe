/** Assigns error messages to the fields of a form. */
import { ApiError, type ApiErrorCode } from '@tapedeck/client';

export type FieldErrors<FieldName extends string> = {
  /** The message for a field, or null when nothing is wrong with it. */
  at: (field: FieldName) => string | null;
  /** Messages that belong to none of the fields. */
  rest: string | null;
};

/** `fields` are those of the form; `codes` says which of them an error is about that the service names no field for. */
export function placeErrors<FieldName extends string>(
  error: Error | null,
  fields: readonly FieldName[],
  codes: Partial<Record<ApiErrorCode, FieldName>> = {},
): FieldErrors<FieldName> {
  const field = error instanceof ApiError ? (findField(error, fields) ?? codes[error.code]) : undefined;
  return {
    at: each => (error && each === field ? error.message : null),
    rest: error && field === undefined ? error.message : null,
  };
}

/** Errors deep inside a field are shown at that field. */
function findField<FieldName extends string>(
  { field: named }: ApiError,
  fields: readonly FieldName[],
): FieldName | undefined {
  return fields.find(field => named === field || named?.startsWith(`${field}.`));
}
