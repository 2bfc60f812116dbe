/** The errors of a request body that cannot become entries. */
import { Failure } from '@tapedeck/values/failure';

export const entryCodes = ['invalid_field', 'invalid_json'] as const;
type EntryCode = (typeof entryCodes)[number];

/** Names the field and the entry if the error concerns one. */
export class EntryFailure extends Failure<EntryCode> {}
