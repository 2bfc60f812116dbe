/** Why a request that was to go out has no answer. Each sentence tells the person who chose the address what to check. */
import { Failure } from '@tapedeck/values/failure';

type OutgoingFailureCode = 'target_invalid' | 'target_private' | 'unreachable' | 'silent';

export class OutgoingFailure extends Failure<OutgoingFailureCode> {}
