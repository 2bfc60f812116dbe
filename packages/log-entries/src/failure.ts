/** Why a body becomes no entries. */
import { Failure } from '@tapedeck/values/failure';

export const entryCodes = ['invalid_field', 'invalid_json'] as const;
type EntryCode = (typeof entryCodes)[number];

/** Names the field and the entry that it concerns where one does. */
export class EntryFailure extends Failure<EntryCode> {}
