/** Reads conditions on metadata, as the query key `metadata.<path>` states them for files and for log entries. */
import { limits, ServiceError } from '../vocabulary.ts';
import { type QueryParameters, readAll } from './queryParameters.ts';

const prefix = 'metadata.';

/** A repeated key states several conditions. */
export function readMetadataConditions(parameters: QueryParameters): { path: string; value: string }[] {
  const conditions = Object.keys(parameters)
    .filter(name => name.startsWith(prefix))
    .flatMap(name => readAll(parameters, name).map(value => ({ path: name.slice(prefix.length), value })));
  if (conditions.length > limits.searchTermsMax) {
    throw new ServiceError(
      'invalid_field',
      `A query may hold at most ${limits.searchTermsMax} conditions metadata.<path>=value; send fewer.`,
    );
  }
  return conditions;
}
