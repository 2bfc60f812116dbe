/** The errors of valid queries: the query takes too long, or too many run at once. */
import { Failure } from '@tapedeck/values/failure';

export const lokiCodes = ['overloaded', 'query_timeout'] as const;
type LokiCode = (typeof lokiCodes)[number];

export class LokiFailure extends Failure<LokiCode> {}
