/** The type of a log format: one translator that finds the entries in a body and makes items of them. */

import type { ItemRules, ItemSink } from '@tapedeck/log-entries';
import type { DirectTask, WrittenEntries } from '@tapedeck/log-protocols';
import type { Failure } from '@tapedeck/values/failure';

/**
 * Describes how entries are written. `Options` is what a request says besides its body; it must be transferable to
 * another thread. A module named `*.worker.ts` exports each format as `format`, because bundles keep such modules as
 * separate files.
 */
export type EntryFormat<Options extends object = object> = {
  /** The URL of that module. */
  module: string;
  /** Larger bodies, or those with more entries, would block the main thread, and are read in another one. */
  readHere: { bytesMax: number; entriesMax: number };
  /** For what comes by the million: writes a body without making values of it, before anything else is tried. */
  plain: DirectWriter | null;
  /** The same for entries that may go to several datasets: of a body whose entries all go to one. */
  plainSent: SentWriter<Options> | null;
  read(body: Buffer, options: Options, rules: ItemRules): FoundEntries;
};

type DirectWriter = {
  /** Larger bodies are written in the thread. */
  bytesMax: number;
  /** Returns the traceId of the first entry; null when the body is not plain: then nothing is written. */
  write(sink: ItemSink, body: Buffer): string | null;
};

type SentWriter<Options> = {
  /** null when the body is not plain, or not for the dataset of the task: then nothing is written. */
  write(task: DirectTask, body: Buffer, options: Options): WrittenEntries | null;
};

export type FoundEntries = {
  /** The entries as sent. An empty list is fine, and stores nothing. */
  entries: readonly unknown[];
  /**
   * Makes the item to store of an entry; null where entries are items. Called for one at a time, just before it is written: an
   * item may take far more memory, and time, than its entry.
   */
  translate: ((entry: unknown) => object) | null;
  /** Whether all entries but the first hang below the first. */
  parentIsFirst: boolean;
  /** For entries that name their own dataset. null: all go to the request's dataset, and one refused entry refuses them all. */
  places: EntryPlaces | null;
  /** The part of the response about the body, read once all is judged; null: nothing, or more than it has room for. */
  show(): unknown;
};

export type EntryPlaces = {
  datasetOf(entry: unknown): string;
  /** The dataset of all entries, where one refused entry refuses them all; else null. */
  only: string | null;
  /** Throws when no entry of the request may go there. */
  rulesOf(dataset: string): ItemRules;
  /** Is told of each entry that is not taken. Throws where the whole body is refused with it. */
  refuse(index: number, failure: Failure): void;
};

/** For formats with translation: a few kilobytes may take longer than a batch that needs none. */
export const readTranslatedHere: EntryFormat['readHere'] = {
  bytesMax: 16 * 1024, // for values that are repaired
  entriesMax: 200, // which may be two bytes long: up to 100 microseconds each
};
