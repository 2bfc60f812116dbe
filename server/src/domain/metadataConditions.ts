/** Conditions on metadata, as the query key `metadata.<path>` states them for files and for log entries. */
import { limits, ServiceError } from '../vocabulary.ts';

/** The value at the dotted path, as text, must equal `value`. */
export type MetadataCondition = { path: string; value: string };

const prefix = 'metadata.';

/** Takes a parsed query string. A repeated key states several conditions. */
export function readMetadataConditions(
  parameters: Readonly<Record<string, string | readonly string[] | undefined>>,
): MetadataCondition[] {
  const conditions = Object.entries(parameters)
    .filter(([name]) => name.startsWith(prefix))
    .flatMap(([name, values = []]) =>
      [values].flat().map(value => ({ path: name.slice(prefix.length), value })),
    );
  if (conditions.length > limits.searchTermsMax) {
    throw new ServiceError(
      'invalid_field',
      `A query may hold at most ${limits.searchTermsMax} conditions metadata.<path>=value; send fewer.`,
    );
  }
  return conditions;
}
