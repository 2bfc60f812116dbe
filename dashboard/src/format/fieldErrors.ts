/** Assigns error messages to the fields of a form. */
import { ApiError, type ApiErrorCode } from '@tapedeck/client';

export type FieldErrors<FieldName extends string> = {
  /** The field's error message, or null. */
  at: (field: FieldName) => string | null;
  /** Messages that belong to no field. */
  rest: string | null;
};

/** `fields` are the form's fields. `codes` assigns errors to fields if the service names none. */
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

/** Shows errors deep inside a field at that field. */
function findField<FieldName extends string>(
  { field: named }: ApiError,
  fields: readonly FieldName[],
): FieldName | undefined {
  return fields.find(field => named === field || named?.startsWith(`${field}.`));
}
