/** Why a query of good form is not answered: it takes too long, or too many are asked at once. */
import { Failure } from '@tapedeck/values/failure';

export const lokiCodes = ['overloaded', 'query_timeout'] as const;
type LokiCode = (typeof lokiCodes)[number];

export class LokiFailure extends Failure<LokiCode> {}
