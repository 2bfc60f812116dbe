/** Messages between the main thread and the reading thread. */

import type { ErrorCode } from '@tapedeck/domain/vocabulary';
import type { ItemRules } from '@tapedeck/log-entries';
import type { EntryFormat, FoundEntries } from '../entryFormat.ts';
import type { DraftGroup } from '../entryWriting.ts';

/** The module holds the format. Transfers the body's memory. */
export type ReadingTask = Pick<EntryFormat, 'module'> & {
  options: object;
  body: Uint8Array;
  rules: ItemRules;
};

/** The rows of a body, and the format's remarks on it. */
export type ReadAside = {
  groups: readonly DraftGroup[];
  shown: unknown;
} & Pick<FoundEntries, 'parentIsFirst'>;

/** `refusal`: an expected failure, to be rebuilt by the main thread. `bug`: any other error in the thread. */
export type ReadingReply =
  | { read: ReadAside }
  | { refusal: { code: ErrorCode; sentence: string; properties: object } }
  | { bug: unknown };
