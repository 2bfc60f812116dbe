/** Explains why a request got no answer. Each sentence tells the user who chose the address what to check. */
import { Failure } from '@tapedeck/values/failure';

type OutgoingFailureCode = 'target_invalid' | 'target_private' | 'unreachable' | 'silent';

export class OutgoingFailure extends Failure<OutgoingFailureCode> {}
