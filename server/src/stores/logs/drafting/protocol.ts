/** What passes between the main thread and the thread that reads bodies aside. */

import type { Draft, EntryForm, EntryRules, ForeignForm } from '../../../domain/ports/drafts.ts';
import type { ErrorCode } from '../../../vocabulary.ts';

/** The body's memory is handed over. Of a foreign form the thread takes the reader from its module. */
export type DraftTask = {
  form: Exclude<EntryForm, ForeignForm> | Pick<ForeignForm, 'module' | 'options'>;
  body: Uint8Array;
  rules: EntryRules;
};

/** `error`: the properties of a ServiceError. null: the thread met a failure that is none, told by `bug`. */
export type DraftReply =
  | { draft: Draft }
  | { refusal: { code: ErrorCode; sentence: string; properties: object } }
  | { bug: unknown };
