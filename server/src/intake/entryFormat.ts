/** Defines the type of a log format: a translator that finds the entries in a body and makes items of them. */

import type { ItemRules, ItemSink } from '@tapedeck/log-entries';
import type { DirectTask, WrittenEntries } from '@tapedeck/log-protocols';
import type { Failure } from '@tapedeck/values/failure';

/**
 * Describes how entries are written. `Options` is what a request says besides its body, and must be transferable to another thread. A module
 * named `*.worker.ts` exports each format as `format`, because bundles keep such modules as separate files.
 */
export type EntryFormat<Options extends object = object> = {
  /** The URL of the format's module. */
  module: string;
  /** Bodies beyond these limits would block the main thread, so another thread reads them. */
  readHere: { bytesMax: number; entriesMax: number };
  /** Whether `read` may unpack a short body to a large one. Another thread reads these, too. */
  unpacksLarge(body: Buffer, options: Options): boolean;
  /** For the most common bodies: writes a body without parsing it into values. Tried before anything else. */
  plain: DirectWriter | null;
  /** The same for entries that may go to several datasets. Writes a body only if all its entries go to one. */
  plainSent: SentWriter<Options> | null;
  read(body: Buffer, options: Options, rules: ItemRules): FoundEntries;
};

type DirectWriter = {
  /** The thread writes larger bodies. */
  bytesMax: number;
  /** Returns the traceId of the first entry; null: the body is not plain, and nothing was written. */
  write(sink: ItemSink, body: Buffer): string | null;
};

type SentWriter<Options> = {
  /** Returns null without writing if the body is not plain, or not for the task's dataset. */
  write(task: DirectTask, body: Buffer, options: Options): WrittenEntries | null;
};

export type FoundEntries = {
  /** The entries as sent. An empty list is fine and stores nothing. */
  entries: readonly unknown[];
  /**
   * Translates an entry into the item to store; null: entries are items. Called for one entry at a time, just before it is written, because an
   * item may take far more memory and time than its entry.
   */
  translate: ((entry: unknown) => object) | null;
  /** Whether all other entries are children of the first. */
  parentIsFirst: boolean;
  /** For entries that name their own dataset; null: all go to the request's dataset, and one refused entry refuses them all. */
  places: EntryDatasets | null;
  /** Returns what the response says about the body, once all entries are checked; null: nothing, or too much to fit. */
  show(): unknown;
};

export type EntryDatasets = {
  datasetOf(entry: unknown): string;
  /** The dataset of all entries, if one refused entry refuses them all; else null. */
  only: string | null;
  /** Throws if no entry of the request may go to the dataset. */
  rulesOf(dataset: string): ItemRules;
  /** Called for each refused entry. Throws to refuse the whole body. */
  refuse(index: number, failure: Failure): void;
};

/** For formats with translation, where a few kilobytes may take longer than a batch without. */
export const readTranslatedHere: EntryFormat['readHere'] = {
  bytesMax: 16 * 1024, // for values that need repair
  entriesMax: 200, // of two bytes or more, up to 100 microseconds each
};
