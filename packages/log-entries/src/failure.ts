/** Why a body becomes no entries. */
import { Failure } from '@tapedeck/failures';

export type EntryErrorCode = 'invalid_field' | 'invalid_json';

/** Names the field and the entry that it concerns where one does. */
export class EntryFailure extends Failure<EntryErrorCode> {}
