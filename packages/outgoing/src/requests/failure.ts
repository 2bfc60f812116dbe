/** Why a request that was to go out has no answer. Each sentence tells whoever chose the address what to look at. */
import { Failure } from '@tapedeck/values/failure';

export type OutgoingFailureCode = 'target_invalid' | 'target_private' | 'unreachable' | 'silent';

export class OutgoingFailure extends Failure<OutgoingFailureCode> {}
