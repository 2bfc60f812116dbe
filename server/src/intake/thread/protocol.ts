/** Messages between the main thread and the thread that reads bodies. */
import type { ItemRules } from '@tapedeck/log-entries';
import type { ErrorCode } from '../../vocabulary.ts';
import type { EntryFormat, FoundEntries } from '../entryFormat.ts';
import type { DraftGroup } from '../entryWriting.ts';

/** The format is found in its module. The body's memory is handed over. */
export type ReadingTask = Pick<EntryFormat, 'module'> & {
  options: object;
  body: Uint8Array;
  rules: ItemRules;
};

/** The rows of a body, and what its format said of it. */
export type ReadAside = {
  groups: readonly DraftGroup[];
  shown: unknown;
} & Pick<FoundEntries, 'parentIsFirst'>;

/** `refusal`: what an expected failure is made of again. `bug`: anything else that the thread met. */
export type ReadingReply =
  | { read: ReadAside }
  | { refusal: { code: ErrorCode; sentence: string; properties: object } }
  | { bug: unknown };

/** Stands for the time of receipt among a draft's times; no entry may have this time of its own. */
export const unstampedMicros = 0xffffffff * 2 ** 32;
